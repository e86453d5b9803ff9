/* SPDX-License-Identifier: GPL-2.0 */
/* textstore.h - instruction bytes that a caller tells piece by piece, as a capture file does */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_TEXTSTORE_H
#define LBRSNOOP_SYMBOLIZE_TEXT_TEXTSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

#define TEXTSTORE_PAGE_BYTES 4096u
/* 64 MiB of text: a distribution kernel with all that it loads has half of it. */
#define TEXTSTORE_PAGES_MAX 16384u

struct textstore;

/** textstore_create() - an empty one; NULL if there is no memory */
struct textstore *textstore_create(void);

/** textstore_destroy() - free; NULL is fine */
void textstore_destroy(struct textstore *store);

/**
 * textstore_write() - these bytes stand there from now on
 * Return: 0; -EINVAL if they reach beyond the last address; -E2BIG if it is of more than
 * TEXTSTORE_PAGES_MAX pages together with what is there; -ENOMEM.
 */
int textstore_write(struct textstore *store, uint64_t addr, const void *bytes, size_t len);

/** textstore_forget() - nothing is known of these bytes from now on */
void textstore_forget(struct textstore *store, uint64_t addr, uint64_t len);

/** textstore_has() - do these bytes stand there? */
bool textstore_has(const struct textstore *store, uint64_t addr, const void *bytes, size_t len);

/** textstore_has_any() - is anything known of these @len bytes? */
bool textstore_has_any(const struct textstore *store, uint64_t addr, uint64_t len);

/** textstore_hide_user() - textstore_source() has nothing of user space; as symbols_hide_user() */
void textstore_hide_user(struct textstore *store, bool hidden);

/** textstore_source() - as the rest of the tool reads it; valid until textstore_destroy() */
struct text_source textstore_source(struct textstore *store);

/** typedef textstore_visit_fn - return non-zero to stop; that value is returned */
typedef int textstore_visit_fn(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx);

/**
 * textstore_for_each() - every stretch of text, in address order, none longer than a page
 * Return: 0, what @visit stopped it with, or -ENOMEM.
 */
int textstore_for_each(struct textstore *store, textstore_visit_fn *visit, void *ctx);

#endif
