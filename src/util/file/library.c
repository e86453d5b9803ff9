// SPDX-License-Identifier: GPL-2.0
#include "util/file/library.h"

#include <stddef.h>

#ifdef LBRSNOOP_STATIC

/* The linker puts it in the place of dlopen(), which libdw would call as the program starts. */
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

void *library_open(const char *name)
{
	(void)name;
	return NULL;
}

bool library_possible(void)
{
	return false;
}

#else

#include <dlfcn.h>

void *library_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool library_possible(void)
{
	return true;
}

#endif
