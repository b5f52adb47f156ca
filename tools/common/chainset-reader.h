/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chainset-reader.h - what CSV and JSON files of chains have in common: columns, and what becomes
 * of them
 */
#ifndef _RESCH_CHAINSET_READER_H
#define _RESCH_CHAINSET_READER_H

#include "chainset.h"

#define COLUMNS_MAX 24

enum chainset_column {
	COL_CHAIN,
	COL_PERIOD,
	COL_DEADLINE,
	COL_PROTOCOL,
	COL_JITTER,
	COL_STAGE,
	COL_WCET,
	COL_BCET,
	COL_BLOCKING,
	COL_NODE,
	COL_CPU,
	COL_PRIORITY,
	COL_LOCAL,
	COL_KIND,
	COL_CLOCK,
	COL_OFFSET,
	COL_FROM,
	COLUMNS,
};

/* The first ones are of the chain. */
#define CHAIN_COLUMNS COL_STAGE

/* By column. */
extern const char *const chainset_words[COLUMNS];

/*
 * struct chainset_reader - where it is, for a message
 * @place: "line 3", "chain 2, stage 1"
 * @given: columns that the stage has, bits
 */
struct chainset_reader {
	struct chainset *set;
	enum chainset_column columns[COLUMNS_MAX];
	uint32_t nr_columns;
	uint32_t line;
	uint32_t given;
	char place[64];
	char *error;
	size_t size;
};

/*
 * A sentence in @reader->error: the place, the column, @what, and @value unless that is NULL.
 * Return: -EINVAL
 */
int chainset_bad(const struct chainset_reader *reader, enum chainset_column column,
		 const char *what, const char *value);
/* What a column says, of the chain or the stage. Return: 0 or -EINVAL */
int chainset_read_chain_field(const struct chainset_reader *reader, struct resch_chain_spec *chain,
			      enum chainset_column column, const char *text);
int chainset_read_stage_field(const struct chainset_reader *reader, struct resch_stage_spec *stage,
			      enum chainset_column column, const char *text);
/* The one that stages are added to. */
struct resch_chain_spec *chainset_last(const struct chainset *set);
/* Return: 0, -EINVAL or -ENOMEM */
int chainset_add_chain(struct chainset_reader *reader, const char *name);
int chainset_add_stage(const struct chainset_reader *reader, const struct resch_stage_spec *stage);

/* All of @file. Return: likewise */
int chainset_read_json(struct chainset_reader *reader, FILE *file);

#endif /* _RESCH_CHAINSET_READER_H */
