/* SPDX-License-Identifier: GPL-2.0 */
/* vector.h - arrays that grow as elements are appended */
#ifndef LBRSNOOP_UTIL_VECTOR_H
#define LBRSNOOP_UTIL_VECTOR_H

#include <stddef.h>

/**
 * vector_grow() - make room for one more element
 * @array: address of the pointer to the elements; that is NULL at first, freed with free(), and
 *         grown by this function alone: how much room there is follows from @count
 * @count: elements in it, which may have been more before
 * @size: bytes of an element
 * Return: 0; -ENOMEM, and nothing has changed.
 */
int vector_grow(void *array, size_t count, size_t size);

#endif
