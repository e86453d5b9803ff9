// SPDX-License-Identifier: GPL-2.0
#include "symbolize/kernelimage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbolize/build_id.h"
#include "symbolize/debugfile.h"
#include "symbolize/symbolize.h"
#include "util/cleanup.h"

static int find_image(const char *vmlinux, const char *debug_dir, char **ret_path)
{
	struct build_id running;
	struct utsname uts;
	int err;

	build_id_of_kernel(&running);
	if (!vmlinux)
		return uname(&uts)
			       ? -ENOENT
			       : debugfile_find_kernel(debug_dir, uts.release, &running, ret_path);
	err = debugfile_check(vmlinux, &running);
	if (err)
		return err;
	*ret_path = strdup(vmlinux);
	return *ret_path ? 0 : -ENOMEM;
}

/* Where its _stext was linked to; 0: it has none. */
static uint64_t linked_stext(const char *path)
{
	struct symbol stext = {0};
	struct symbols *symbols;

	if (symbols_open_elf(path, 0, &symbols))
		return 0;
	if (symbols_by_name(symbols, "", "_stext", 0, &stext))
		stext.addr = 0;
	symbols_close(symbols);
	return stext.addr;
}

int kernel_image_open(const char *vmlinux, const char *debug_dir, uint64_t stext, char **ret_path,
		      struct text **ret_text)
{
	_cleanup_free_ char *path = NULL;
	uint64_t linked;
	int err = find_image(vmlinux, debug_dir, &path);

	if (err)
		return err;
	linked = linked_stext(path);
	if (!linked || !stext)
		return -EINVAL;
	err = text_image_open(path, stext - linked, ret_text);
	if (err)
		return err;
	*ret_path = path;
	path = NULL;
	return 0;
}
