// SPDX-License-Identifier: GPL-2.0
#include "compare/conditions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "path/names.h"

/* Calls of which a name is asked for: where so many had none, debug information has none. */
#define ASKED_MAX 8

/**
 * struct words - of a branch that went one way; @place has strings of its own
 * @condition, @source: "" while there is none
 * @asked: in how many calls @source was looked up
 */
struct words {
	struct ranking_place place;
	uint64_t rel;
	bool taken;
	char *condition;
	char *source;
	unsigned int asked;
};

static bool is_of(const void *element, const void *key)
{
	const struct words *words = element;
	const struct ranking_decision *item = key;

	return words->rel == item->rel && words->taken == item->taken &&
	       ranking_place_same(&words->place, &item->place);
}

static void words_deinit(struct words *words)
{
	free((char *)words->place.function);
	free((char *)words->place.module);
	free(words->condition);
	free(words->source);
}

/* NULL without memory. */
static struct words *get_words(struct conditions *conditions, const struct ranking_decision *item)
{
	uint32_t hash = ranking_place_hash(&item->place, item->rel);
	struct words *words =
		hash_table_find(&conditions->table, sizeof(*words), hash, is_of, item);
	struct words made;

	if (words)
		return words;
	made = (struct words){
		.place = {.function = strdup(item->place.function),
			  .module = strdup(item->place.module),
			  .off = item->place.off},
		.rel = item->rel,
		.taken = item->taken,
		.condition = strdup(""),
		.source = strdup(""),
	};
	if (made.place.function && made.place.module && made.condition && made.source)
		words = hash_table_add(&conditions->table, sizeof(made), hash, &made);
	if (!words)
		words_deinit(&made);
	return words;
}

static int set(char **words, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*words);
	*words = copy;
	return 0;
}

static int name(struct words *words, const struct conditions_call *call,
		const struct path_decision *decision)
{
	struct lines *lines = call->lines ? call->lines(call->lines_ctx) : NULL;
	struct operand_condition named;
	int err;

	if (!lines)
		return 0;
	words->asked++;
	err = path_source_condition(call->path, decision, call->symbols, lines, &named);
	if (err)
		return err == -ENOMEM ? err : 0;
	return set(&words->source, named.text);
}

int conditions_find(struct conditions *conditions, const struct conditions_call *call,
		    const struct path_decision *decision, struct ranking_decision *item)
{
	struct words *words = get_words(conditions, item);
	char text[RANKING_TEXT_MAX];

	if (!words)
		return -ENOMEM;
	if (!*words->condition && !path_condition(call->path, decision, text, sizeof(text)) &&
	    set(&words->condition, text))
		return -ENOMEM;
	if (!*words->source && words->asked < ASKED_MAX && name(words, call, decision))
		return -ENOMEM;
	item->condition = words->condition;
	item->source = words->source;
	return 0;
}

void conditions_deinit(struct conditions *conditions)
{
	struct words *words = conditions->table.items;

	for (size_t i = 0; i < conditions->table.count; i++)
		words_deinit(&words[i]);
	hash_table_deinit(&conditions->table);
}
