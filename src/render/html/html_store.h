/* SPDX-License-Identifier: GPL-2.0 */
/* html_store.h - what a page is made of; internal to render/html_*.c */
#ifndef LBRSNOOP_RENDER_HTML_HTML_STORE_H
#define LBRSNOOP_RENDER_HTML_HTML_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "count/path_counts.h"
#include "render/flow_graph.h"
#include "render/html/html_report.h"
#include "symbolize/symbolize.h"
#include "util/hash_table.h"

#define HTML_NONE UINT32_MAX

/** struct html_strings - each string once; the first is "" */
struct html_strings {
	struct hash_table table; /* of char * */
};

/** html_text() - a string by its number; valid as long as @strings */
static inline const char *html_text(const struct html_strings *strings, uint32_t number)
{
	return ((char *const *)strings->table.items)[number];
}

/** html_string() - number of a string, which is copied; HTML_NONE if there is no memory */
uint32_t html_string(struct html_strings *strings, const char *text);

/** html_strings_deinit() - free what it holds */
void html_strings_deinit(struct html_strings *strings);

/**
 * struct html_line - a source line of a function
 * @file, @text: numbers of strings; @text 0: not known
 * @code: instructions are of it
 */
struct html_line {
	uint32_t file;
	int line;
	uint32_t text;
	bool code;
};

/** struct html_insn - @first, @count: of html_function.insn_lines: the lines it is of */
struct html_insn {
	uint64_t addr;
	uint32_t first;
	uint32_t count;
};

/**
 * struct html_function - one that a path has decisions in
 * @symbols: that @addr is of
 * @name, @module: numbers of strings
 * @flow: all zero if it could not be read
 * @rows: numbers of strings, the blocks' one after the other; @row_counts of each block
 */
struct html_function {
	const struct symbols *symbols;
	uint64_t addr;
	uint32_t name;
	uint32_t module;
	struct flow flow;
	uint32_t *rows;
	uint32_t row_total;
	uint32_t *row_counts;
	struct html_line *lines;
	uint32_t line_count;
	struct html_insn *insns;
	uint32_t insn_count;
	uint32_t *insn_lines;
	uint32_t insn_line_count;
};

/**
 * struct html_run - a path in one function
 * @blocks: number, times and condition (a string) of each block that ran
 * @edges: block, index among its edges, times
 * @lines: of the function that were executed
 * @key_block, @error_block, @key_line, @error_line: HTML_NONE if there is none
 */
struct html_run {
	uint32_t function;
	uint32_t (*blocks)[3];
	uint32_t block_count;
	uint32_t (*edges)[3];
	uint32_t edge_count;
	uint32_t *lines;
	uint32_t line_count;
	uint32_t key_block;
	uint32_t error_block;
	uint32_t key_line;
	uint32_t error_line;
};

/**
 * struct html_path - one path; what is not said to be another is the number of a string
 * @detailed: it has @rows, @runs, @record and @context
 * @rows: number in html_report.rows, and the flags behind it, of each row
 * @record: how much of the LBR there is; @context: stack, kernel's log
 */
struct html_path {
	struct path_count taken;
	uint32_t function;
	uint32_t target;
	uint32_t kind;
	uint32_t errname; /* "": it is no error */
	uint32_t place;
	uint32_t reason;
	bool in_case;
	bool detailed;
	uint32_t record;
	uint32_t context;
	uint32_t (*rows)[2];
	uint32_t row_count;
	struct html_run *runs;
	uint32_t run_count;
};

/** struct html_snapshot - @comm: a string; @machine: one of html_report.machines */
struct html_snapshot {
	uint64_t ts_ns;
	uint32_t path;
	uint32_t cpu;
	uint32_t pid;
	uint32_t comm;
	uint32_t machine;
};

/** struct html_report - @counts: of struct html_path */
struct html_report {
	struct html_strings strings;
	struct html_strings rows; /* a letter for the style, one for the level, the text */
	uint32_t *inputs;
	uint32_t input_count;
	uint32_t (*machines)[3]; /* host, release, model of the LBR */
	uint32_t machine_count;
	struct html_function *functions;
	uint32_t function_count;
	struct path_counts counts;
	struct html_snapshot *snapshots;
	uint32_t snapshot_count;
	uint32_t detailed;
};

/** html_path() - a path by its number, of report->counts.paths.count */
static inline struct html_path *html_path(const struct html_report *report, size_t number)
{
	return (struct html_path *)report->counts.paths.items + number;
}

/**
 * html_runs_add() - the functions that a path decides in: their blocks, lines, and what ran
 * @ret_path: gets @runs
 * Return: 0; -ENOMEM.
 */
int html_runs_add(struct html_report *report, const struct path *path, const struct snapshot *snap,
		  const struct story_view *view, struct html_path *ret_path);

/** html_runs_deinit() - free what a path's runs hold */
void html_runs_deinit(struct html_path *path);

/** html_function_deinit() - free what it holds */
void html_function_deinit(struct html_function *function);

/**
 * html_paths_sorted() - errors first, of them the most frequent
 * Return: an array to be freed; NULL without memory.
 */
const struct html_path **html_paths_sorted(const struct html_report *report);

/**
 * html_json() - the page's data as JSON, without a character that ends a script
 * Return: 0; -ENOMEM; -EIO.
 */
int html_json(const struct html_report *report, FILE *out);

#endif
