// SPDX-License-Identifier: GPL-2.0-or-later
/* chainset.c - chains of stages from CSV or JSON files */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <resch.h>

#include "chainset-reader.h"
#include "trim.h"
#include "words.h"

const char *const chainset_words[COLUMNS] = {
	"chain", "period", "deadline", "protocol", "jitter", "stage", "wcet",	"bcet", "blocking",
	"node",	 "cpu",	   "priority", "local",	   "kind",   "clock", "offset", "from"
};

int chainset_bad(const struct chainset_reader *reader, enum chainset_column column,
		 const char *what, const char *value)
{
	snprintf(reader->error, reader->size, "%s, %s: %s%s%s%s", reader->place,
		 chainset_words[column], what, value ? " '" : "", value ? value : "",
		 value ? "'" : "");
	return -EINVAL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int read_time(const struct chainset_reader *reader, enum chainset_column column,
		     uint64_t *to, const char *text)
{
	if (!strcmp(text, "0"))
		*to = 0;
	else if (resch_time_parse(text, to) || *to > RESCH_CHAIN_TIME_MAX)
		return chainset_bad(reader, column,
				    "not a number with its unit, of at most an hour:", text);
	return 0;
}

static int read_number(const struct chainset_reader *reader, enum chainset_column column,
		       uint32_t *to, unsigned long most, const char *text)
{
	unsigned long value;
	char what[48], *end;

	errno = 0;
	value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : most + 1;
	if (value > most || *end || errno) {
		snprintf(what, sizeof(what), "not a number from 0 to %lu:", most);
		return chainset_bad(reader, column, what, text);
	}
	*to = (uint32_t)value;
	return 0;
}

static int read_name(const struct chainset_reader *reader, enum chainset_column column,
		     char to[RESCH_CHAIN_NAME], const char *text)
{
	if (strlen(text) >= RESCH_CHAIN_NAME)
		return chainset_bad(reader, column, "more than 15 bytes:", text);
	memset(to, 0, RESCH_CHAIN_NAME);
	memcpy(to, text, strlen(text));
	return 0;
}

static int read_protocol(const struct chainset_reader *reader, struct resch_chain_spec *chain,
			 const char *text)
{
	int protocol = resch_chain_protocol_parse(text);

	if (protocol < 0)
		return chainset_bad(reader, COL_PROTOCOL, "protocols are ds, pm, mpm, rg1, rg, not",
				    text);
	chain->protocol = (uint32_t)protocol;
	return 0;
}

static int read_kind(const struct chainset_reader *reader, struct resch_stage_spec *stage,
		     const char *text)
{
	int kind = resch_name_parse("stage-kinds", text);
	char what[WORDS_TEXT];

	if (kind < 0) {
		words_refusal("stage-kinds", what, sizeof(what) - 5);
		return chainset_bad(reader, COL_KIND, strcat(what, ", not"), text);
	}
	stage->kind = (uint32_t)kind;
	return 0;
}

/* Of stages that come before it in the chain; *@bit: out. Names may be of any length. */
static int read_releaser(const struct chainset_reader *reader, const char *name, size_t length,
			 uint32_t *bit)
{
	const struct resch_chain_spec *chain = chainset_last(reader->set);
	char text[64];
	uint32_t i;

	for (i = 0; i < chain->count; i++) {
		if (strlen(chain->stages[i].name) != length ||
		    strncmp(chain->stages[i].name, name, length))
			continue;
		*bit = UINT32_C(1) << i;
		return 0;
	}
	snprintf(text, sizeof(text), "%.*s", (int)(length < 40 ? length : 40), name);
	return chainset_bad(reader, COL_FROM, "no stage before it has the name", text);
}

/* "a+b": when both are complete; "a|b": when one is. */
static int read_from(const struct chainset_reader *reader, struct resch_stage_spec *stage,
		     const char *text)
{
	const char *kinds = strchr(text, '|') ? "|" : "+", *at;
	uint32_t bit = 0;
	int err = 0;

	if (strchr(text, '|') && strchr(text, '+'))
		return chainset_bad(reader, COL_FROM, "either + or |, not both:", text);
	for (at = text; at && !err; at = strpbrk(at, kinds) ? strpbrk(at, kinds) + 1 : NULL) {
		err = read_releaser(reader, at, strcspn(at, kinds), &bit);
		stage->from |= bit;
	}
	if (*kinds == '|')
		stage->flags |= RESCH_STAGE_ANY;
	return err;
}

static int read_cpu(const struct chainset_reader *reader, struct resch_stage_spec *stage,
		    const char *text)
{
	uint32_t cpu;
	int err = read_number(reader, COL_CPU, &cpu, RESCH_CPUS_MAX - 1, text);

	if (!err)
		stage->cpu = (int32_t)cpu;
	return err;
}

static int read_priority(const struct chainset_reader *reader, struct resch_stage_spec *stage,
			 const char *text)
{
	int err = read_number(reader, COL_PRIORITY, &stage->priority, RESCH_PRIORITY_MAX, text);

	if (!err && !stage->priority)
		return chainset_bad(reader, COL_PRIORITY, "priorities begin with 1, not", text);
	return err;
}

int chainset_read_chain_field(const struct chainset_reader *reader, struct resch_chain_spec *chain,
			      enum chainset_column column, const char *text)
{
	switch (column) {
	case COL_PERIOD:
		return read_time(reader, column, &chain->period, text);
	case COL_DEADLINE:
		return read_time(reader, column, &chain->deadline, text);
	case COL_JITTER:
		return read_time(reader, column, &chain->jitter, text);
	case COL_PROTOCOL:
		return read_protocol(reader, chain, text);
	default:
		return read_name(reader, column, chain->name, text);
	}
}

int chainset_read_stage_field(const struct chainset_reader *reader, struct resch_stage_spec *stage,
			      enum chainset_column column, const char *text)
{
	switch (column) {
	case COL_WCET:
		return read_time(reader, column, &stage->wcet, text);
	case COL_BCET:
		return read_time(reader, column, &stage->bcet, text);
	case COL_BLOCKING:
		return read_time(reader, column, &stage->blocking, text);
	case COL_LOCAL:
		return read_time(reader, column, &stage->local, text);
	case COL_CLOCK:
		return read_time(reader, column, &stage->clock, text);
	case COL_OFFSET:
		return read_time(reader, column, &stage->offset, text);
	case COL_KIND:
		return read_kind(reader, stage, text);
	case COL_CPU:
		return read_cpu(reader, stage, text);
	case COL_PRIORITY:
		return read_priority(reader, stage, text);
	case COL_NODE:
		return read_name(reader, column, stage->node, text);
	case COL_FROM:
		return read_from(reader, stage, text);
	default:
		return read_name(reader, column, stage->name, text);
	}
}

/* ---- chains and stages ----------------------------------------------------------------------- */

struct resch_chain_spec *chainset_last(const struct chainset *set)
{
	return set->model.count ? &set->model.chains[set->model.count - 1] : NULL;
}

int chainset_add_chain(struct chainset_reader *reader, const char *name)
{
	struct resch_chain_model *model = &reader->set->model;
	struct resch_chain_spec *chains;
	uint32_t i;

	for (i = 0; i < model->count; i++) {
		if (!strcmp(model->chains[i].name, name))
			return chainset_bad(reader, COL_CHAIN,
					    "its lines do not follow each other:", name);
	}
	if (model->count == RESCH_CHAINS_MAX)
		return chainset_bad(reader, COL_CHAIN, "too many chains, at", name);
	chains = reallocarray(model->chains, model->count + 1, sizeof(*chains));
	if (!chains)
		return -ENOMEM;
	model->chains = chains;
	chains[model->count++] = (struct resch_chain_spec){ .protocol = RESCH_CHAIN_RG };
	return read_name(reader, COL_CHAIN, chains[model->count - 1].name, name);
}

/* What is needed, and what goes together. */
static int check_stage(const struct chainset_reader *reader, const struct resch_chain_spec *chain,
		       const struct resch_stage_spec *stage)
{
	uint64_t period = stage->clock ? stage->clock : chain->period;
	uint32_t i;

	for (i = 0; !stage->clock && i < chain->count; i++)
		period = chain->stages[i].clock ? chain->stages[i].clock : period;
	if (!stage->wcet)
		return chainset_bad(reader, COL_WCET, "there is none", NULL);
	if (stage->kind != RESCH_STAGE_DELAY && !(reader->given & 1U << COL_CPU))
		return chainset_bad(reader, COL_CPU, "there is none", NULL);
	if (stage->kind != RESCH_STAGE_DELAY && stage->wcet > period)
		return chainset_bad(reader, COL_WCET, "longer than the period", NULL);
	if (stage->bcet > stage->wcet)
		return chainset_bad(reader, COL_BCET, "longer than wcet", NULL);
	if (stage->clock && (!chain->count || stage->kind == RESCH_STAGE_DELAY))
		return chainset_bad(reader, COL_CLOCK,
				    "the first stage has the chain's, and a delay none", NULL);
	if (stage->clock && stage->from)
		return chainset_bad(reader, COL_FROM, "a clock releases it", NULL);
	if (stage->offset && stage->offset >= stage->clock)
		return chainset_bad(reader, COL_OFFSET, "not less than clock", NULL);
	return 0;
}

static int check_chain(const struct chainset_reader *reader, const struct resch_chain_spec *chain)
{
	if (!chain->period)
		return chainset_bad(reader, COL_PERIOD, "there is none for chain", chain->name);
	if (!chain->deadline)
		return chainset_bad(reader, COL_DEADLINE, "there is none for chain", chain->name);
	return 0;
}

int chainset_add_stage(const struct chainset_reader *reader, const struct resch_stage_spec *stage)
{
	struct resch_chain_spec *chain = chainset_last(reader->set);
	int err = check_chain(reader, chain);

	if (err)
		return err;
	if (chain->count == RESCH_CHAIN_STAGES_MAX)
		return chainset_bad(reader, COL_STAGE, "more than 16 of chain", chain->name);
	err = check_stage(reader, chain, stage);
	if (err)
		return err;
	chain->stages[chain->count++] = *stage;
	return 0;
}

/* Who forks has no clocks, one end, and no waiting for a time after one stage of several. */
static int check_forks(const struct chainset_reader *reader, const struct resch_chain_spec *chain)
{
	uint32_t i, releases = 0;

	if (!resch_chain_forks(chain))
		return 0;
	for (i = 0; i < chain->count; i++) {
		uint32_t from = resch_stage_from(&chain->stages[i], i);

		if (chain->stages[i].clock)
			return chainset_bad(reader, COL_CLOCK, "the chain has forks:", chain->name);
		if (chain->protocol == RESCH_CHAIN_MPM && from & (from - 1))
			return chainset_bad(
				reader, COL_FROM,
				"several, under mpm, which knows of one:", chain->stages[i].name);
		releases |= from;
	}
	for (i = 0; i + 1 < chain->count; i++)
		if (!(releases >> i & 1))
			return chainset_bad(
				reader, COL_FROM,
				"no stage waits for it, and it is not the chain's last one:",
				chain->stages[i].name);
	return 0;
}

/* All have priorities and local deadlines, or none has. */
static int check_set(struct chainset_reader *reader)
{
	const struct resch_chain_model *model = &reader->set->model;
	uint32_t i, k, stages = 0, places = 0, priorities = 0, locals = 0;

	snprintf(reader->place, sizeof(reader->place), "all lines");
	for (i = 0; i < model->count; i++) {
		const struct resch_chain_spec *chain = &model->chains[i];

		if (!chain->count)
			return chainset_bad(reader, COL_STAGE, "there is none of chain",
					    chain->name);
		if (check_forks(reader, chain))
			return -EINVAL;
		for (k = 0; k < chain->count; k++) {
			stages++;
			locals += chain->stages[k].local != 0;
			if (chain->stages[k].kind == RESCH_STAGE_DELAY)
				continue;
			places++;
			priorities += chain->stages[k].priority != 0;
		}
	}
	if (!stages)
		return chainset_bad(reader, COL_CHAIN, "there are none", NULL);
	if (priorities && priorities < places)
		return chainset_bad(reader, COL_PRIORITY, "some stages have one, and others none",
				    NULL);
	if (locals && locals < stages)
		return chainset_bad(reader, COL_LOCAL, "some stages have one, and others none",
				    NULL);
	reader->set->prioritised = priorities;
	reader->set->assigned = locals;
	return 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static int find_column(const struct chainset_reader *reader, const char *word,
		       enum chainset_column *column)
{
	uint32_t i;

	for (i = 0; i < COLUMNS; i++) {
		if (strcmp(chainset_words[i], word))
			continue;
		*column = (enum chainset_column)i;
		return 0;
	}
	snprintf(reader->error, reader->size, "%s: unknown column '%s'", reader->place, word);
	return -EINVAL;
}

static int read_header(struct chainset_reader *reader, char *line)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&line, ","))) {
		if (reader->nr_columns == COLUMNS_MAX)
			return chainset_bad(reader, COL_CHAIN, "too many columns, at", word);
		err = find_column(reader, trim(word), &reader->columns[reader->nr_columns++]);
	}
	return err;
}

static int split(const struct chainset_reader *reader, char *line, char *fields[COLUMNS_MAX])
{
	uint32_t at = 0;
	char *field;

	while ((field = strsep(&line, ","))) {
		field = trim(field);
		if (at == reader->nr_columns) {
			if (!*field && !line)
				break;
			return chainset_bad(reader, reader->columns[at - 1],
					    "more fields than columns, at", field);
		}
		fields[at++] = field;
	}
	if (at < reader->nr_columns)
		return chainset_bad(reader, reader->columns[at], "fewer fields than columns", NULL);
	return 0;
}

static const char *field_of(const struct chainset_reader *reader, char *const fields[],
			    enum chainset_column column)
{
	uint32_t i;

	for (i = 0; i < reader->nr_columns; i++) {
		if (reader->columns[i] == column)
			return fields[i];
	}
	return "";
}

static int read_stage(struct chainset_reader *reader, char *line)
{
	struct resch_stage_spec stage = { .cpu = -1 };
	struct resch_chain_spec *chain = chainset_last(reader->set);
	char *fields[COLUMNS_MAX] = { NULL };
	const char *name;
	uint32_t i;
	int err = split(reader, line, fields);

	if (err)
		return err;
	name = field_of(reader, fields, COL_CHAIN);
	if (!*name)
		return chainset_bad(reader, COL_CHAIN, "there is none", NULL);
	if (!chain || strcmp(chain->name, name))
		err = chainset_add_chain(reader, name);
	chain = chainset_last(reader->set);
	reader->given = 0;
	for (i = 0; i < reader->nr_columns && !err; i++) {
		enum chainset_column column = reader->columns[i];

		if (!*fields[i])
			continue;
		reader->given |= 1U << column;
		if (column >= CHAIN_COLUMNS)
			err = chainset_read_stage_field(reader, &stage, column, fields[i]);
		else if (!chain->count || column == COL_CHAIN)
			err = chainset_read_chain_field(reader, chain, column, fields[i]);
		else
			err = chainset_bad(reader, column,
					   "belongs in the first line of the chain:", fields[i]);
	}
	return err ? err : chainset_add_stage(reader, &stage);
}

static int read_line(struct chainset_reader *reader, char *line)
{
	snprintf(reader->place, sizeof(reader->place), "line %u", ++reader->line);
	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	return reader->nr_columns ? read_stage(reader, line) : read_header(reader, line);
}

static int read_csv(struct chainset_reader *reader, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	while (!err && getline(&line, &room, file) >= 0)
		err = read_line(reader, line);
	free(line);
	return err;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Only blanks are read, and lines of them counted. */
static bool is_json(struct chainset_reader *reader, FILE *file)
{
	int c;

	do {
		c = getc(file);
		reader->line += c == '\n';
	} while (c != EOF && isspace(c));
	ungetc(c, file);
	return c == '{';
}

int chainset_read(FILE *file, struct chainset *set, char *error, size_t size)
{
	struct chainset_reader reader = { .set = set, .error = error, .size = size };
	int err;

	*set = (struct chainset){};
	snprintf(error, size, "out of memory");
	err = is_json(&reader, file) ? chainset_read_json(&reader, file) : read_csv(&reader, file);
	if (!err && ferror(file)) {
		snprintf(error, size, "%s", strerror(EIO));
		err = -EIO;
	}
	if (!err)
		err = check_set(&reader);
	if (err)
		chainset_free(set);
	return err;
}

void chainset_free(struct chainset *set)
{
	free(set->model.chains);
	*set = (struct chainset){};
}
