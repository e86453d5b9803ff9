/* SPDX-License-Identifier: GPL-2.0 */
/*
 * patched.h - kernel text that was read while the kernel patched it
 *
 * While the kernel arms or disarms the tracer's call of functions, or changes the target of a
 * static call's trampoline, an INT3 is the first byte of each for a moment, up to 256 of them
 * together (text_poke_bp_batch() of arch/x86/kernel/alternative.c).
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_PATCHED_H
#define LBRSNOOP_SYMBOLIZE_TEXT_PATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an ENDBR64, and of what replaces it */
#define ENDBR_BYTES 4

struct symbols;

/** patched_is_endbr() - ENDBR64, or the NOP that the kernel makes of one that no indirect call
 * needs
 */
bool patched_is_endbr(const uint8_t bytes[ENDBR_BYTES]);

/**
 * patched_put_back() - in @bytes, just read at @addr, take away such an INT3
 * Where the tracer's call is, the NOP is put, as in a function that nobody traces; a static call's
 * trampoline is a jump to its old target or to its new one. What cannot be known, and what crosses
 * an end of @bytes, stays as it is.
 * @symbols: tell where functions begin
 */
void patched_put_back(const struct symbols *symbols, uint64_t addr, void *bytes, size_t len);

#endif
