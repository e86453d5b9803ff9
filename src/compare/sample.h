/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample.h - some of the calls of a running system, of each kind as many as asked
 *
 * Calls are of one kind if they are of one function and returned the same errno, or none. Of a kind
 * that is frequent, those kept are drawn from all that were seen since the beginning, each with the
 * same chance (Vitter's algorithm R): what failed once an hour is compared with what passed in that
 * hour, not in its first second. Of a kind that is rare all are kept.
 */
#ifndef LBRSNOOP_COMPARE_SAMPLE_H
#define LBRSNOOP_COMPARE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/ranking.h"

/* Kinds of calls; of further ones none is kept. */
#define SAMPLE_KINDS_MAX 1024

struct sample;

/**
 * sample_create() - an empty one
 * @failing, @passing: calls that are kept of each kind at most, at least 1
 * @seed: of what is drawn
 * Return: sample_destroy(); NULL without memory.
 */
struct sample *sample_create(uint32_t failing, uint32_t passing, uint64_t seed);

/** sample_destroy() - free; NULL is fine */
void sample_destroy(struct sample *sample);

/**
 * sample_draw() - a call was seen: is it to be kept?
 * If it is, sample_call() and sample_decision() tell of it before the next one is seen; without
 * sample_call() it is as if it had not been drawn.
 * @err: positive errno, 0: it passed
 * Return: 1; 0; -E2BIG: it is of more kinds than SAMPLE_KINDS_MAX; -ENOMEM.
 */
int sample_draw(struct sample *sample, const char *function, int err);

/**
 * sample_call() - the call drawn last begins; it takes the place of another one, or a free one
 * Strings are copied. Return: 0; -ENOMEM.
 */
int sample_call(struct sample *sample, const struct ranking_call *call);

/** sample_decision() - it made this decision; strings are copied. 0; -ENOMEM */
int sample_decision(struct sample *sample, const struct ranking_decision *decision);

/** sample_seen() - how many calls of a kind were seen; 0: none */
uint64_t sample_seen(const struct sample *sample, const char *function, int err);

/** sample_total() - how many failing, or passing calls of all kinds were seen */
uint64_t sample_total(const struct sample *sample, bool failing);

/**
 * sample_rank() - hand the calls that were kept to a ranking
 * @ret_left_out: of them, calls that the ranking has no kinds for
 * Return: 0; -ENOMEM.
 */
int sample_rank(const struct sample *sample, struct ranking *ranking, uint64_t *ret_left_out);

#endif
