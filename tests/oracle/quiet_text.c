// SPDX-License-Identifier: GPL-2.0
/*
 * quiet_text - is the kernel's text, read as if nothing were armed, what memory holds?
 *
 * For a kernel in which no kprobe is armed and nobody traces a function: whatever differs was taken
 * for a probe's or the tracer's, and is code. Every function of the running kernel is compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "target/functions.h"
#include "util/cleanup.h"

#define FUNCTION_MAX (1u << 20)

/** struct comparison - of the text as it is, and with what is armed taken away
 * @text_end: of the kernel image: 6.18 has data behind it that /proc/kallsyms calls text */
struct comparison {
	struct text_source plain, hidden;
	uint64_t text_end;
	uint8_t *a, *b;
	size_t functions, bytes, different;
};

static int compare(const struct symbol *func, void *ctx)
{
	struct comparison *c = ctx;

	if (func->size > FUNCTION_MAX || symbol_is_bpf(func) ||
	    (!*func->module && func->addr >= c->text_end) ||
	    c->plain.read(c->plain.ctx, func->addr, c->a, func->size))
		return 0;
	if (c->hidden.read(c->hidden.ctx, func->addr, c->b, func->size)) {
		printf("%s: it cannot be read\n", func->name);
		c->different++;
		return 0;
	}
	c->functions++;
	c->bytes += func->size;
	for (size_t i = 0; i < func->size; i++)
		if (c->a[i] != c->b[i]) {
			if (c->different++ < 10)
				printf("%s+%#zx: %02x, read as %02x\n", func->name, i, c->a[i],
				       c->b[i]);
			break;
		}
	return 0;
}

static uint64_t find_text_end(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], type[2], name[128];
	uint64_t addr;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %1s %127s", &addr, type, name) == 3 &&
		    !strcmp(name, "_etext"))
			return addr;
	return 0;
}

int main(void)
{
	struct comparison c = {.a = malloc(FUNCTION_MAX), .b = malloc(FUNCTION_MAX)};
	struct symbols *symbols = NULL;
	struct functions *types = NULL;
	struct text *plain = NULL, *hidden = NULL;
	int err = c.a && c.b ? symbols_open(NULL, &symbols) : -ENOMEM;

	if (!err)
		err = functions_open(&types, NULL);
	if (!err)
		err = text_live_open(NULL, &plain);
	if (!err)
		err = text_live_open(NULL, &hidden);
	if (!err)
		err = text_live_hide_probes(hidden, symbols, functions_btf(types));
	if (!err) {
		c.text_end = find_text_end();
		c.plain = text_source(plain);
		c.hidden = text_source(hidden);
		err = symbols_for_each(symbols, compare, &c);
	}
	text_close(plain);
	text_close(hidden);
	functions_close(types);
	symbols_close(symbols);
	free(c.a);
	free(c.b);
	if (err) {
		fprintf(stderr, "quiet_text: %s\n", strerror(-err));
		return 2;
	}
	printf("%zu functions, %zu bytes, %zu different\n", c.functions, c.bytes, c.different);
	return c.different || c.functions < 10000;
}
