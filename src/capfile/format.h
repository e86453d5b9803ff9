/* SPDX-License-Identifier: GPL-2.0 */
/*
 * format.h - the capture file, version 1
 *
 * A capture file is a sequence of zstd frames (RFC 8878), so that "zstd -d" unpacks it. The first
 * is a skippable frame that names the format:
 *
 *	u32	0x184d2a5b
 *	u32	16, the bytes that follow
 *	char	"LBRSNOOP"
 *	u32	version
 *	u32	0, reserved
 *
 * What the others hold, one after the other, is a stream of records. All numbers are
 * little-endian and stand without padding.
 *
 *	u32	type
 *	u32	bytes of the payload, at most CAPFILE_PAYLOAD_MAX
 *	u32	CRC-32 (ISO 3309, as zlib's crc32()) of the two words above and the payload
 *	payload
 *
 * A string is a u16 with its length, then its bytes, without a NUL. Whatever a snapshot needs
 * stands before it: a later record about the same thing replaces the earlier one from there on,
 * because text is patched, modules and BPF programs come and go. A reader skips records whose
 * type it does not know, and bytes behind those it knows in a payload; whatever else changes
 * needs a new version.
 *
 *	META		pairs of key NUL value NUL: see CAPFILE_META_* below. Exactly one, the first
 *			record.
 *	MODULE		u16 number, string name, u8 length of build ID, its bytes, u16 sections,
 *			each string name, u64 run-time address. Number 0 is the kernel image, and
 *			is not written.
 *	SYMBOLS		until the payload ends: u64 address, u32 bytes, u16 module, string name
 *	TEXT		u64 address, the bytes there
 *	GONE		u64 address, u64 bytes: what symbols and text told of them holds no more;
 *			0 and 1 << 63: of all programs
 *	TRIGGER		u32 number, u32 kind (enum trigger_kind), u64 address armed, u64 entry of
 *			the function, u64 bytes of the function, strings target, function, module
 *	SNAPSHOT	struct capfile_snapshot, then its entries, newest first, each as in struct
 *			perf_branch_entry: u64 from, u64 to, u64 flags
 *	BUG		of the next SNAPSHOT, a WARN or BUG(): u32 1 if it is a WARN, u32 line,
 *			string file
 *	LOG		of the next SNAPSHOT, what the kernel said around it: u32 lines left out,
 *			until the payload ends strings
 *	REGISTERS	of the next SNAPSHOT: PTREG_COUNT times u64, see enum ptreg
 *	STACK		of the next SNAPSHOT: u32 1 if it was deeper, until the payload ends u64
 *			addresses, innermost first
 *	ARGUMENTS	of the next SNAPSHOT, what its function was called with, until the payload
 *			ends: u32 kind (enum argument_kind), u64 value, string name
 *	ANSWER		of the next SNAPSHOT: what "lbrsnoop why" found out of the call that
 *			failed; src/why/answer_record.h has its fields
 *	WAY		of the next SNAPSHOT: branches that led there, from further back than the
 *			LBR reaches, until the payload ends: u64 from, u64 to; oldest first. Of
 *			several the next one goes on
 *	END		u64 snapshots written, u64 events lost; after it there is nothing. A file
 *			without it is one whose writer was killed, or ran out of space.
 *
 * The writer flushes the compressor after each snapshot, or batch of snapshots if they come
 * faster than it writes: whatever was flushed can be read, although the frame has not ended.
 * Each record's own checksum guards such a tail; each whole frame has zstd's (XXH64), too.
 */
#ifndef LBRSNOOP_CAPFILE_FORMAT_H
#define LBRSNOOP_CAPFILE_FORMAT_H

#include <stdint.h>

#include "snapshot/snapshot.h"

#define CAPFILE_SKIPPABLE    0x184d2a5bu
#define CAPFILE_MAGIC	     "LBRSNOOP"
#define CAPFILE_VERSION	     1u
#define CAPFILE_HEADER_BYTES 24u
#define CAPFILE_RECORD_BYTES 12u

/* A longer name of a symbol is cut. */
#define CAPFILE_NAME_MAX 1024

/* The largest record is a function's text, see TEXT_BYTES_MAX in recorder.c. */
#define CAPFILE_PAYLOAD_MAX (1u << 20)

/* zstd's window: what a reader must be ready to keep. 1 MiB. */
#define CAPFILE_WINDOW_LOG 20

/** enum capfile_type - types of records */
enum capfile_type {
	CAPFILE_META = 1,
	CAPFILE_MODULE,
	CAPFILE_SYMBOLS,
	CAPFILE_TEXT,
	CAPFILE_TRIGGER,
	CAPFILE_SNAPSHOT,
	CAPFILE_END,
	CAPFILE_GONE,
	CAPFILE_BUG,
	CAPFILE_LOG,
	CAPFILE_REGISTERS,
	CAPFILE_STACK,
	CAPFILE_ARGUMENTS,
	CAPFILE_ANSWER,
	CAPFILE_WAY,
};

/* Branches of one WAY, and of all of a snapshot: thousands of runs find as many. */
#define CAPFILE_WAY_BRANCHES 32768u
#define CAPFILE_WAY_MAX	     (1u << 20)

/* What one GONE may say; all programs, from address 0, are one. */
#define CAPFILE_GONE_MAX  (16u << 20)
#define CAPFILE_GONE_USER (1ull << 63)

/* A longer name of a file in BUG, or line of LOG, is cut. */
#define CAPFILE_BUG_FILE_MAX 255
#define CAPFILE_LOG_LINE_MAX 8191

/* Keys of META. Numbers are in decimal, addresses in hexadecimal with 0x. */
#define CAPFILE_META_TOOL	"tool"	     /* name and version of the writer */
#define CAPFILE_META_COMMAND	"command"    /* its command line */
#define CAPFILE_META_HOST	"host"	     /* nodename */
#define CAPFILE_META_RELEASE	"release"    /* uname -r */
#define CAPFILE_META_VERSION	"version"    /* uname -v */
#define CAPFILE_META_MACHINE	"machine"    /* uname -m */
#define CAPFILE_META_CPUS	"cpus"	     /* online */
#define CAPFILE_META_CPU_NAME	"cpu-name"   /* brand string of CPUID */
#define CAPFILE_META_CPU_ID	"cpu-id"     /* vendor-family-model-stepping, as perf writes it */
#define CAPFILE_META_BUILD_ID	"build-id"   /* of the kernel, in hexadecimal */
#define CAPFILE_META_TEXT	"text"	     /* run-time address of _text: the KASLR base */
#define CAPFILE_META_STEXT	"stext"	     /* of _stext */
#define CAPFILE_META_LBR_MODEL	"lbr-model"  /* struct lbr_info */
#define CAPFILE_META_LBR_FORMAT "lbr-format" /* -1: none */
#define CAPFILE_META_LBR_DEPTH	"lbr-depth"  /* entries */
#define CAPFILE_META_LBR_FIELDS "lbr-fields" /* LBR_HAS_* bits */
#define CAPFILE_META_FILTER	"filter"     /* branch filter, perf's names */
#define CAPFILE_META_FILTERED	"filtered"   /* 1: Linux sorts entries out, and leaves holes */
#define CAPFILE_META_PATH_OK	"path-ok"    /* 1: the branches are contiguous */
#define CAPFILE_META_CLOCK	"clock"	     /* of the snapshots' time: "realtime" */
#define CAPFILE_META_START	"start"	     /* when recording began, in nanoseconds of it */

#define CAPFILE_HAS_RETVAL (1u << 0)
/* Are all branches in code of the process? Known, and the answer: struct snapshot.mixed. */
#define CAPFILE_MIXED_KNOWN (1u << 1)
#define CAPFILE_MIXED	    (1u << 2)

/**
 * struct capfile_snapshot - fixed part of a SNAPSHOT
 * @ts_ns: CLOCK_REALTIME
 * @ip: address of the trigger's instruction, 0 if unknown
 * @retval: return value as its type reads it, if CAPFILE_HAS_RETVAL; of TRIGGER_SIGNAL its number,
 *	of TRIGGER_FAULT the address of the ud2 of WARN or BUG(), or 0
 * @lost: events lost since the snapshot before
 * @trigger: number of a TRIGGER
 * @flags: CAPFILE_HAS_RETVAL, CAPFILE_MIXED*
 * @count: entries that follow, empty ones at the old end left out
 * @read: entries the LBR held, empty ones included
 */
struct capfile_snapshot {
	uint64_t ts_ns;
	uint64_t ip;
	int64_t retval;
	uint64_t lost;
	uint32_t trigger;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint16_t flags;
	uint16_t count;
	uint32_t read;
	char comm[COMM_LEN];
};

_Static_assert(sizeof(struct capfile_snapshot) == 72, "no padding");
_Static_assert(sizeof(struct raw_branch) == 24, "as struct perf_branch_entry");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file's byte order is taken for the machine's: x86 alone has these records"
#endif

#endif
