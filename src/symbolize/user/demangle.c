// SPDX-License-Identifier: GPL-2.0
#include "symbolize/user/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "util/file/library.h"

/* Of the C++ ABI: cxxabi.h. The library is where C++ programs are, and loaded when one is met. */
typedef char *demangle_fn(const char *name, char *buf, size_t *len, int *status);

char *demangle(const char *name)
{
	static demangle_fn *fn;
	static void *lib;
	int status = 0;

	if (strncmp(name, "_Z", 2))
		return NULL;
	if (!lib) {
		lib = library_open("libstdc++.so.6");
		fn = lib ? (demangle_fn *)dlsym(lib, "__cxa_demangle") : NULL;
	}
	return fn ? fn(name, NULL, NULL, &status) : NULL;
}
