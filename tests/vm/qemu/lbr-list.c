// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions that are logged whether the LBR is on or not: the list of $LBR_INSNS_AT.
 *
 * The list is asked when a block is translated: code that is not in it costs nothing. The guest
 * can replace the file, for a module that it has loaded since, and have it read again by CPUID
 * with EAX = LBR_LEAF_LIST, from any ring.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "lbr-internal.h"

#define LINE_BYTES_MAX 64

/* An old list is never freed: another vCPU may be reading it. */
static GHashTable *list;
static char *list_path;

/* Return: true if @line is an address of the kernel in hex, and nothing else. */
static bool parse_line(char *line, uint64_t *ret_addr)
{
	char *end;

	g_strchomp(line);
	if (!g_ascii_isxdigit(*line))
		return false;
	errno = 0;
	*ret_addr = strtoull(line, &end, 16);
	return !errno && !*end && (int64_t)*ret_addr < 0;
}

/* Return: the list in @path, or NULL, with a line on stderr. */
static GHashTable *read_list(const char *path)
{
	GHashTable *addresses = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	char line[LINE_BYTES_MAX];
	FILE *file = fopen(path, "r");
	unsigned int number = 0;
	uint64_t addr;
	bool failed;

	while (file && fgets(line, sizeof(line), file)) {
		number++;
		if (!parse_line(line, &addr)) {
			fprintf(stderr, "lbr: %s:%u: no address of the kernel\n", path, number);
			goto error;
		}
		g_hash_table_add(addresses, g_memdup2(&addr, sizeof(addr)));
	}
	failed = !file || ferror(file);
	if (!failed) {
		fclose(file);
		return addresses;
	}
	fprintf(stderr, "lbr: cannot read %s: %s\n", path, strerror(errno));
error:
	if (file)
		fclose(file);
	g_hash_table_destroy(addresses);
	return NULL;
}

static void read_first(void)
{
	static gsize once;

	if (!g_once_init_enter(&once))
		return;
	list_path = getenv("LBR_INSNS_AT");
	if (list_path && *list_path) {
		list = read_list(list_path);
		if (!list)
			exit(1);
	}
	g_once_init_leave(&once, 1);
}

bool lbr_listed(uint64_t addr)
{
	GHashTable *addresses;

	read_first();
	addresses = qatomic_read(&list);
	return addresses && (int64_t)addr < 0 && g_hash_table_contains(addresses, &addr);
}

uint32_t lbr_list_reload(CPUX86State *env)
{
	GHashTable *addresses;

	read_first();
	if (!list)
		return UINT32_MAX;
	addresses = read_list(list_path);
	if (!addresses)
		return UINT32_MAX;
	qatomic_set(&list, addresses);
	/* Done before any vCPU begins another block, the one that is executed now excepted. */
	tb_flush(env_cpu(env));
	return g_hash_table_size(addresses);
}

void helper_lbr_listed(CPUX86State *env, target_ulong pc)
{
	uint64_t values[] = {env->cr[3], env->regs[R_ESP], env->regs[R_EAX], env->regs[R_EDI],
			     env->regs[R_ESI]};

	truth_listed(truth_buffer_get(env_cpu(env)->cpu_index), pc, values, ARRAY_SIZE(values));
}
