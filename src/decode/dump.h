/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dump.h - MSR numbers and values as people have them → records
 *
 * Text, one register a line, in any of these forms; numbers are hexadecimal with or without 0x
 * and H, the halves of a value may be separated by ` _ or ':':
 *	MSR 0x680: 0xffffffff81000010		680 = ffffffff81000010
 *	CPU 3: MSR 0x680 0xffffffff81000010	[cpu 3] msr(0x680)=ffffffff`81000010
 *	CPU 3:					(alone: the CPU of what follows)
 *	msr=0x680 value=0xffffffff81000010	0x680: edx=0xffffffff eax=0x81000010
 *	680=ffffffff81000010 6c0=ffffffff81000100 1c9=0
 * What the kernel's log, syslog, Xen's console and the tracepoint msr:read_msr put before a line is
 * passed over. The prompts of the Windows debuggers ("3: kd> rdmsr 680") tell the CPU.
 * A pasted shell session with rdmsr of msr-tools: a line with the command, then its output, one
 * line a CPU with -a; numbers in the command are read as rdmsr reads them (0x.. or decimal), the
 * output according to -x, -X, -c, -0, -d, -u, -o:
 *	# rdmsr -a 0x680
 *	ffffffff81000010
 *	ffffffff81000100
 * The CPU model, as in /proc/cpuinfo ("vendor_id", "cpu family", "model", "flags"), or
 * "CPUID signature: 0x506E3", "model: 06_5EH", "LBR format: 5".
 * Comments start with '#'; a line of which nothing is known is left out, with a warning.
 *
 * CSV: columns msr,value or cpu,msr,value; a header (in any order: cpu/core, msr/address/
 * register, value/data) may say otherwise. Commas, semicolons or tabs.
 *
 * JSON: {"0x680": "0x...", ...} for one CPU; {"model": "06_5EH", "cpus": [{"cpu": 0, "msrs":
 * {"0x680": "0x..."}}]}; {"cpu0": {"0x680": "0x..."}}; {"cpus": {"0": [["0x680", "0x..."]]}};
 * [{"cpu": 0, "msr": "0x680", "value": "0x..."}]; and one such object after the other. Strings are
 * hexadecimal as in text, JSON numbers are what they are.
 *
 * Binary, recognised by a NUL byte: records of 16 bytes, little-endian: u32 MSR, u32 CPU, u64
 * value. Or the bare block of one model for each CPU from 0 on, u64 each, little-endian: all FROM
 * registers, all TO, all INFO (those the model has), then the ordering register (TOS), if the
 * model has one; the model must be given.
 */
#ifndef LBRSNOOP_DECODE_DUMP_H
#define LBRSNOOP_DECODE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/model.h"
#include "decode/notes.h"
#include "decode/span.h"

/* Maxima: of what a file may claim, not of what is allocated beforehand */
#define DUMP_BYTES_MAX	 (256u << 20)
#define DUMP_RECORDS_MAX (8u << 20)
#define DUMP_CPU_MAX	 65535u

/** enum dump_form - of an input */
enum dump_form {
	DUMP_FORM_AUTO = 0,
	DUMP_FORM_TEXT,
	DUMP_FORM_CSV,
	DUMP_FORM_JSON,
	DUMP_FORM_RECORDS,
	DUMP_FORM_BLOCK,
};

/** struct dump_record - one register of one CPU */
struct dump_record {
	uint32_t cpu;
	uint32_t msr;
	uint64_t value;
	size_t line; /* or number of the record, from 1 */
};

/**
 * struct dump - all registers of an input, and what it says of the CPU
 * @records: sorted by CPU, MSR and line once dump_parse() is done
 * @count: of @records
 * @model: row that the input names, or NULL
 * @model_line: where
 * @vendor: of a "vendor_id" line
 * @family: of a "cpu family" line, or 0
 * @number: of a "model" line that waits for its "cpu family"
 * @number_line: where; 0: none waits
 * @has_flags: the input has a list of CPU features
 * @has_tsx: hle or rtm is among them
 * @bad_cpu: a number over DUMP_CPU_MAX that dump_add() refused
 * @bad_cpu_line: where; 0: none was
 */
struct dump {
	struct dump_record *records;
	size_t count;
	const struct lbr_model *model;
	size_t model_line;
	enum cpu_vendor vendor;
	unsigned int family;
	unsigned int number;
	size_t number_line;
	bool has_flags;
	bool has_tsx;
	uint64_t bad_cpu;
	size_t bad_cpu_line;
};

/**
 * dump_parse() - read an input of any form
 * @data: @len bytes, hostile
 * @form: DUMP_FORM_AUTO finds out
 * @block_model: model of a bare block; NULL unless the user named one
 * @ret_dump: set on success only; free with dump_deinit()
 * @notes: gets what was left out or could not be read
 * Return: 0, also if there were errors in @notes, as long as there is a record; -ENODATA if
 * there is none; -E2BIG if a maximum is exceeded; -EINVAL if @form does not fit; -ENOMEM. There
 * is an error in @notes unless it is -ENOMEM.
 */
int dump_parse(const char *data, size_t len, enum dump_form form,
	       const struct lbr_model *block_model, struct dump *ret_dump, struct notes *notes);

/** dump_deinit() - free what it owns */
void dump_deinit(struct dump *dump);

/**
 * dump_add() - append a record
 * Return: 0; -E2BIG if there are too many, or the CPU number is beyond DUMP_CPU_MAX; -ENOMEM.
 */
int dump_add(struct dump *dump, uint64_t cpu, uint32_t msr, uint64_t value, size_t line);

/** dump_sort() - by CPU, MSR and line, as struct dump promises; for who used dump_add() */
void dump_sort(struct dump *dump);

/** dump_set_model() - the input names a model; a second, different one is noted */
void dump_set_model(struct dump *dump, const struct lbr_model *model, size_t line,
		    struct notes *notes);

/**
 * dump_property() - take what an input says about the CPU rather than about a register
 * @key: "cpu family", "vendor_id", "signature", "LBR format", ...; any case
 * @value: the text behind it
 * Return: true if the key is one of those, whatever the value was good for.
 * Source: /proc/cpuinfo, lscpu; CPUID.1:EAX as Intel SDM vol. 2A writes it.
 */
bool dump_property(struct dump *dump, struct span key, struct span value, size_t line,
		   struct notes *notes);

/**
 * dump_cut_cpu() - "CPU 3:", "[cpu 3]", "core#3,", "cpu3"
 * Return: true if @line starts like that, which is cut off; else false, and nothing is cut.
 */
bool dump_cut_cpu(struct span *line, uint64_t *ret_cpu);

/** dump_is_csv() - does the first line that is no comment have the columns of a CSV dump? */
bool dump_is_csv(const char *data, size_t len);

/* One function a form; as dump_parse(), but records stay as they came. */
int dump_parse_text(const char *data, size_t len, struct dump *dump, struct notes *notes);
int dump_parse_csv(const char *data, size_t len, struct dump *dump, struct notes *notes);
int dump_parse_json(const char *data, size_t len, struct dump *dump, struct notes *notes);

#endif
