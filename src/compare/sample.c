// SPDX-License-Identifier: GPL-2.0
#include "compare/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/** struct kept_call - a call; its strings are the sample's */
struct kept_call {
	struct ranking_call call;
	struct argument arguments[ARGUMENTS_MAX];
	struct ranking_decision *decisions;
	size_t decision_count;
};

/**
 * struct kind - calls of one function and errno
 * @seen: how many there were; @kept: of them, @kept_count
 */
struct kind {
	char *function;
	int err;
	uint64_t seen;
	struct kept_call *kept;
	size_t kept_count;
};

/**
 * struct sample - what was drawn
 * @names: strings, each once
 * @drawn: kind of the call drawn last, NULL: none; @place: where it goes
 */
struct sample {
	uint32_t failing;
	uint32_t passing;
	uint64_t random;
	struct kind kinds[SAMPLE_KINDS_MAX];
	size_t kind_count;
	struct hash_table names; /* of pointers to strings */
	struct kind *drawn;
	size_t place;
	struct kept_call *current;
};

struct sample *sample_create(uint32_t failing, uint32_t passing, uint64_t seed)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	if (!sample)
		return NULL;
	sample->failing = failing;
	sample->passing = passing;
	sample->random = seed;
	return sample;
}

void sample_destroy(struct sample *sample)
{
	char **names;

	if (!sample)
		return;
	for (size_t i = 0; i < sample->kind_count; i++) {
		for (size_t k = 0; k < sample->kinds[i].kept_count; k++)
			free(sample->kinds[i].kept[k].decisions);
		free(sample->kinds[i].kept);
		free(sample->kinds[i].function);
	}
	names = sample->names.items;
	for (size_t i = 0; i < sample->names.count; i++)
		free(names[i]);
	hash_table_deinit(&sample->names);
	free(sample);
}

/* Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64) */
static uint64_t draw_number(struct sample *sample)
{
	uint64_t z = sample->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static const struct kind *find_kind(const struct sample *sample, const char *function, int err)
{
	for (size_t i = 0; i < sample->kind_count; i++)
		if (sample->kinds[i].err == err && !strcmp(sample->kinds[i].function, function))
			return &sample->kinds[i];
	return NULL;
}

static int get_kind(struct sample *sample, const char *function, int err, struct kind **ret)
{
	struct kind *kind = (struct kind *)find_kind(sample, function, err);

	if (!kind) {
		if (sample->kind_count == SAMPLE_KINDS_MAX)
			return -E2BIG;
		kind = &sample->kinds[sample->kind_count];
		*kind = (struct kind){.function = strdup(function), .err = err};
		if (!kind->function)
			return -ENOMEM;
		sample->kind_count++;
	}
	*ret = kind;
	return 0;
}

int sample_draw(struct sample *sample, const char *function, int err)
{
	uint32_t most = err ? sample->failing : sample->passing;
	struct kind *kind;
	int failed = get_kind(sample, function, err, &kind);

	sample->drawn = NULL;
	if (failed)
		return failed;
	kind->seen++;
	sample->place = kind->kept_count;
	if (kind->kept_count == most)
		sample->place = draw_number(sample) % kind->seen;
	if (sample->place >= most)
		return 0;
	sample->drawn = kind;
	return 1;
}

static bool is_name(const void *element, const void *key)
{
	return !strcmp(*(char *const *)element, key);
}

/* NULL without memory. */
static const char *name_of(struct sample *sample, const char *text)
{
	uint32_t hash = (uint32_t)fnv(FNV_START, text, strlen(text));
	char *const *found = hash_table_find(&sample->names, sizeof(char *), hash, is_name, text);
	char *copy;

	if (found)
		return *found;
	copy = strdup(text);
	if (!copy || !hash_table_add(&sample->names, sizeof(char *), hash, &copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* All or none of its strings are there. */
static int own_place(struct sample *sample, struct ranking_place *place)
{
	if (!place->function)
		return 0;
	place->function = name_of(sample, place->function);
	place->module = name_of(sample, place->module);
	return place->function && place->module ? 0 : -ENOMEM;
}

/* Those of the call itself are borrowed. */
static int own_arguments(struct sample *sample, struct kept_call *kept)
{
	size_t count = 0;

	for (size_t i = 0; i < kept->call.argument_count && count < ARGUMENTS_MAX; i++) {
		struct argument *mine = &kept->arguments[count++];

		*mine = kept->call.arguments[i];
		mine->name = name_of(sample, mine->name);
		if (!mine->name)
			return -ENOMEM;
	}
	kept->call.argument_count = count;
	kept->call.arguments = NULL;
	return 0;
}

int sample_call(struct sample *sample, const struct ranking_call *call)
{
	struct kind *kind = sample->drawn;
	struct kept_call kept = {.call = *call};

	kept.call.function = name_of(sample, call->function);
	kept.call.decided.condition = "";
	kept.call.decided.source = "";
	if (!kept.call.function || own_arguments(sample, &kept) ||
	    own_place(sample, &kept.call.made_at) || own_place(sample, &kept.call.decided.place))
		return -ENOMEM;
	if (sample->place == kind->kept_count) {
		if (vector_grow(&kind->kept, kind->kept_count, sizeof(kept)))
			return -ENOMEM;
		kind->kept_count++;
	} else {
		free(kind->kept[sample->place].decisions);
	}
	sample->current = &kind->kept[sample->place];
	*sample->current = kept;
	return 0;
}

int sample_decision(struct sample *sample, const struct ranking_decision *decision)
{
	struct kept_call *kept = sample->current;
	struct ranking_decision copy = *decision;

	copy.condition = name_of(sample, decision->condition);
	copy.source = name_of(sample, decision->source);
	if (!copy.condition || !copy.source || own_place(sample, &copy.place) ||
	    vector_grow(&kept->decisions, kept->decision_count, sizeof(copy)))
		return -ENOMEM;
	kept->decisions[kept->decision_count++] = copy;
	return 0;
}

uint64_t sample_seen(const struct sample *sample, const char *function, int err)
{
	const struct kind *kind = find_kind(sample, function, err);

	return kind ? kind->seen : 0;
}

uint64_t sample_total(const struct sample *sample, bool failing)
{
	uint64_t total = 0;

	for (size_t i = 0; i < sample->kind_count; i++)
		if (!sample->kinds[i].err == !failing)
			total += sample->kinds[i].seen;
	return total;
}

static int rank_call(const struct kept_call *kept, struct ranking *ranking)
{
	struct ranking_call call = kept->call;
	int err;

	call.arguments = kept->arguments;
	err = ranking_call(ranking, &call);

	for (size_t i = 0; i < kept->decision_count && !err; i++)
		err = ranking_decision(ranking, &kept->decisions[i]);
	if (!err)
		ranking_call_end(ranking);
	return err;
}

int sample_rank(const struct sample *sample, struct ranking *ranking, uint64_t *ret_left_out)
{
	uint64_t left_out = 0;

	for (size_t i = 0; i < sample->kind_count; i++)
		for (size_t k = 0; k < sample->kinds[i].kept_count; k++) {
			int err = rank_call(&sample->kinds[i].kept[k], ranking);

			if (err && err != -E2BIG)
				return err;
			left_out += err == -E2BIG;
		}
	*ret_left_out = left_out;
	return 0;
}
