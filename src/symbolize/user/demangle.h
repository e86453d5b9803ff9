/* SPDX-License-Identifier: GPL-2.0 */
/* demangle.h - C++ names as they are in the source */
#ifndef LBRSNOOP_SYMBOLIZE_USER_DEMANGLE_H
#define LBRSNOOP_SYMBOLIZE_USER_DEMANGLE_H

/**
 * demangle() - "_ZN3foo3barEi" to "foo::bar(int)"
 * Return: free() it; NULL if it is no C++ name, or libstdc++ is not there, which knows them.
 */
char *demangle(const char *name);

#endif
