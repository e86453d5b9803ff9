// SPDX-License-Identifier: GPL-2.0
#include "symbolize/build_id.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "symbolize/elf.h"
#include "util/cleanup.h"

#define NOTES_BYTES_MAX 65536
#define PATH_BYTES	4096

bool build_id_differ(const struct build_id *a, const struct build_id *b)
{
	if (!a->len || !b->len)
		return false;
	return a->len != b->len || memcmp(a->bytes, b->bytes, a->len) != 0;
}

/* The build ID among the ELF notes of a file in sysfs. */
static void read_notes(const char *path, struct build_id *ret_id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ uint8_t *notes = malloc(NOTES_BYTES_MAX);
	size_t pos = 0;
	ssize_t len;

	*ret_id = (struct build_id){0};
	if (fd < 0 || !notes)
		return;
	len = read(fd, notes, NOTES_BYTES_MAX);
	while (len > 0 && (size_t)len - pos >= sizeof(Elf64_Nhdr)) {
		size_t left = (size_t)len - pos - sizeof(Elf64_Nhdr), name_len, desc_len;
		const uint8_t *name = notes + pos + sizeof(Elf64_Nhdr);
		Elf64_Nhdr note;

		memcpy(&note, notes + pos, sizeof(note));
		name_len = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		desc_len = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name_len > left || desc_len > left - name_len)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MAX) {
			memcpy(ret_id->bytes, name + name_len, note.n_descsz);
			ret_id->len = note.n_descsz;
			return;
		}
		pos += sizeof(Elf64_Nhdr) + name_len + desc_len;
	}
}

void build_id_of_kernel(struct build_id *ret_id)
{
	read_notes("/sys/kernel/notes", ret_id);
}

void build_id_of_module(const char *module, struct build_id *ret_id)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	read_notes(path, ret_id);
}

void build_id_of_elf(Elf *elf, struct build_id *ret_id)
{
	const void *bytes;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bytes);

	*ret_id = (struct build_id){0};
	if (len > 0 && len <= BUILD_ID_MAX) {
		memcpy(ret_id->bytes, bytes, (size_t)len);
		ret_id->len = (size_t)len;
	}
}

void build_id_of_file(const char *path, struct build_id *ret_id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(cleanup_elf) Elf *elf = NULL;

	*ret_id = (struct build_id){0};
	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return;
	elf = dwelf_elf_begin(fd);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		build_id_of_elf(elf, ret_id);
}

const char *build_id_text(const struct build_id *id, char *buf)
{
	strcpy(buf, "unknown");
	for (size_t i = 0; i < id->len && i < BUILD_ID_MAX; i++)
		sprintf(buf + 2 * i, "%02x", id->bytes[i]);
	return buf;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool build_id_parse(const char *text, struct build_id *ret_id)
{
	struct build_id id = {.len = strlen(text) / 2};

	if (strlen(text) % 2 || id.len > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < id.len; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.bytes[i] = (uint8_t)(high << 4 | low);
	}
	*ret_id = id;
	return true;
}
