/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire.h - what the two ends of the virtio-serial port say to each other
 *
 * Host and guest share one port. Everything on it is a frame: a kind, the length
 * of the payload, the payload. One port instead of three keeps the order: when the
 * exit status has arrived, so has every byte of output.
 *
 * The host sends one WIRE_CONFIG frame: records of NUL-terminated strings, a verb
 * followed by its operands (see guest-init.c, config_parse()). The guest answers
 * with output and ends with exactly one WIRE_EXIT or WIRE_FAILED.
 */
#ifndef TESTS_VM_WIRE_H
#define TESTS_VM_WIRE_H

#include <stdint.h>

#define WIRE_PORT_NAME "lbrsnoop.run"

enum wire_kind {
	WIRE_CONFIG = 'C', /* host to guest: verbs and operands */
	WIRE_STDOUT = 'O', /* guest to host: bytes of the command's stdout */
	WIRE_STDERR = 'E', /* guest to host: bytes of the command's stderr */
	WIRE_EXIT = 'X',   /* guest to host: 4 bytes, the command's exit status */
	WIRE_FAILED = 'F', /* guest to host: text, the guest could not be set up */
};

/* Both ends are the same machine, so that the length has one byte order. */
struct wire_header {
	uint8_t kind;
	uint8_t reserved[3];
	uint32_t len_bytes;
};

_Static_assert(sizeof(struct wire_header) == 8, "a frame header is 8 bytes");

#define WIRE_CONFIG_MAX (4U << 20)
/* virtio_console hands the host at most 32 KiB at a time: one frame, one buffer. */
#define WIRE_FRAME_MAX	 (32U << 10)
#define WIRE_PAYLOAD_MAX (WIRE_FRAME_MAX - sizeof(struct wire_header))

#endif /* TESTS_VM_WIRE_H */
