/* SPDX-License-Identifier: GPL-2.0 */
/* meta.h - what a capture file says of the machine it was taken on: META and MODULE */
#ifndef LBRSNOOP_CAPFILE_META_H
#define LBRSNOOP_CAPFILE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capfile/recorder.h"
#include "snapshot/branch.h"
#include "symbolize/debug/debugfile.h"

#define META_SECTIONS_MAX 256
/* MODULE_NAME_LEN is 64 - sizeof(unsigned long); names of sections are mostly shorter */
#define MODULE_NAME_BYTES 64

/**
 * struct capfile_meta - META, checked
 * @text: all of it, as in the file, and a NUL
 * @len: bytes of @text, that NUL not counted
 * @lbr: what the branches were read from
 * @filter: "" if unknown
 * @release: kernel release; "" if unknown
 * @build_id: of the kernel
 * @text_addr: run-time address of _text, 0 if unknown
 * @stext: ... of _stext
 */
struct capfile_meta {
	char *text;
	size_t len;
	struct lbr_info lbr;
	const char *filter;
	const char *release;
	bool filtered;
	bool path_ok;
	struct build_id build_id;
	uint64_t text_addr;
	uint64_t stext;
};

/**
 * struct capfile_module - MODULE, checked; strings are the record's own
 * @sections: with run-time addresses
 */
struct capfile_module {
	uint32_t number;
	char name[MODULE_NAME_BYTES];
	struct build_id build_id;
	uint32_t section_count;
	struct capfile_section {
		char name[MODULE_NAME_BYTES];
		uint64_t addr;
	} sections[META_SECTIONS_MAX];
};

/**
 * meta_of_host() - payload of a META about this machine
 * Return: 0; -ENOMEM. The caller frees @ret_bytes.
 */
int meta_of_host(const struct recorder_options *opts, uint8_t **ret_bytes, size_t *ret_len);

/**
 * meta_of_file() - payload of a META about the machine that another file is of
 * @meta: of that file
 * @command: in place of the one that is in it; NULL: ""
 * Return: as meta_of_host().
 */
int meta_of_file(const struct capfile_meta *meta, const char *command, uint8_t **ret_bytes,
		 size_t *ret_len);

/** meta_parse() - check a META; 0, -EBADMSG, or -ENOMEM; meta_deinit() frees */
int meta_parse(const uint8_t *bytes, size_t len, struct capfile_meta *ret_meta);

/** meta_get() - value of a key, "" if unknown; valid until meta_deinit() */
const char *meta_get(const struct capfile_meta *meta, const char *key);

void meta_deinit(struct capfile_meta *meta);

/** meta_module() - payload of a MODULE about a loaded module; as meta_of_host() */
int meta_module(uint16_t number, const char *name, uint8_t **ret_bytes, size_t *ret_len);

/** meta_module_parse() - check a MODULE; 0 or -EBADMSG */
int meta_module_parse(const uint8_t *bytes, size_t len, struct capfile_module *ret_module);

#endif
