// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - what every affinity was, on a file system in memory
 *
 * Lines are appended, each with one write() and before what it tells of is done; a line cut short
 * by a crash has no newline, is the last one, and nothing had been done yet. The lines are
 *
 *	resch-shield 1 BOOT
 *	shield rising|stands|falling CPUS KEEP-IRQS KEEP-TASKS DOMAIN MODULE [latency] [irq=LIST]
 *	set KIND ID START ORIG PREV SET
 *	stuck KIND ID START ERRNO
 *	knob PATH ORIG PREV SET
 *	stuck knob PATH 0 ERRNO
 *	commit
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shield.h"

#define FORMAT "resch-shield 1"
#define LINE_MAX 13000 /* three lists of 1024 CPUs */

static const char *const phase_names[] = { "rising", "stands", "falling" };

/* ---- objects --------------------------------------------------------------------------------- */

static unsigned int bucket_of(enum object_kind kind, uint64_t id)
{
	return (unsigned int)(id * 3 + kind) % OBJECT_BUCKETS;
}

struct object *state_find(const struct state *state, enum object_kind kind, uint64_t id,
			  uint64_t start)
{
	int at;

	for (at = state->buckets[bucket_of(kind, id)]; at >= 0; at = state->objects[at].next) {
		struct object *object = &state->objects[at];

		if (object->kind == kind && object->id == id && object->start == start)
			return object;
	}
	return NULL;
}

static struct object *object_new(struct state *state, enum object_kind kind, uint64_t id,
				 uint64_t start)
{
	unsigned int bucket = bucket_of(kind, id);
	struct object *object;
	void *more;

	if (state->nr_objects == state->room) {
		more = reallocarray(state->objects, state->room ? 2 * state->room : 256,
				    sizeof(*state->objects));
		if (!more)
			return NULL;
		state->objects = more;
		state->room = state->room ? 2 * state->room : 256;
	}
	object = &state->objects[state->nr_objects];
	*object = (struct object){
		.kind = kind, .id = id, .start = start, .next = state->buckets[bucket]
	};
	state->buckets[bucket] = (int)state->nr_objects++;
	return object;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct knob *state_knob_find(const struct state *state, const char *path)
{
	size_t i;

	for (i = 0; i < state->nr_knobs; i++) {
		if (!strcmp(state->knobs[i].path, path))
			return &state->knobs[i];
	}
	return NULL;
}

struct knob *state_knob_add(struct state *state, const char *path, const char *now)
{
	struct knob *knob;

	if (!state->knobs)
		state->knobs = calloc(KNOBS_MAX, sizeof(*state->knobs));
	if (!state->knobs || state->nr_knobs == KNOBS_MAX)
		return NULL;
	knob = &state->knobs[state->nr_knobs++];
	snprintf(knob->path, sizeof(knob->path), "%s", path);
	snprintf(knob->orig, sizeof(knob->orig), "%s", now);
	snprintf(knob->set, sizeof(knob->set), "%s", now);
	return knob;
}

static void knob_intends(struct state *state, struct knob *knob, const char *now, const char *set)
{
	char prev[KNOB_VALUE], next[KNOB_VALUE];

	/* They may be its own. */
	snprintf(prev, sizeof(prev), "%s", now);
	snprintf(next, sizeof(next), "%s", set);
	strcpy(knob->prev, prev);
	strcpy(knob->set, next);
	knob->undecided = true;
	knob->stuck = 0;
	state->intents = true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int list_parse(const char *text, struct resch_cpus *cpus)
{
	return resch_cpus_parse(strcmp(text, "-") ? text : "", cpus);
}

static const char *list_format(const struct resch_cpus *cpus, char *text, size_t size)
{
	return resch_cpus_format(cpus, text, size) ? text : "-";
}

static struct shield *shield_find(struct state *state, const struct resch_cpus *cpus)
{
	size_t i;

	for (i = 0; i < state->nr_shields; i++) {
		if (cpus_equal(&state->shields[i].cpus, cpus))
			return &state->shields[i];
	}
	return NULL;
}

static void read_shield(struct state *state, char **words, size_t count)
{
	struct shield *shield, fresh = {};
	size_t at;
	int phase;

	for (phase = 0; phase < 3 && strcmp(words[1], phase_names[phase]);)
		phase++;
	if (phase == 3 || list_parse(words[2], &fresh.cpus) <= 0)
		return;
	fresh.phase = (enum shield_phase)phase;
	snprintf(fresh.keep_irqs, sizeof(fresh.keep_irqs), "%s", words[3]);
	snprintf(fresh.keep_tasks, sizeof(fresh.keep_tasks), "%s", words[4]);
	fresh.domain = (uint32_t)strtoul(words[5], NULL, 10);
	fresh.module = words[6][0] == '1';
	strcpy(fresh.irqs, "-");
	for (at = 7; at < count; at++) {
		if (!strncmp(words[at], "irq=", 4))
			snprintf(fresh.irqs, sizeof(fresh.irqs), "%s", words[at] + 4);
		else
			fresh.latency = true;
	}
	shield = shield_find(state, &fresh.cpus);
	if (!shield && state->nr_shields == SHIELDS_MAX)
		return;
	if (!shield)
		shield = &state->shields[state->nr_shields++];
	*shield = fresh;
}

static void read_set(struct state *state, char **words, enum object_kind kind, uint64_t id,
		     uint64_t start)
{
	struct object *object = state_find(state, kind, id, start);
	struct resch_cpus orig, prev, set;

	if (list_parse(words[4], &orig) < 0 || list_parse(words[5], &prev) < 0 ||
	    list_parse(words[6], &set) < 0)
		return;
	if (!object)
		object = object_new(state, kind, id, start);
	if (!object)
		return;
	object->orig = orig;
	object->prev = prev;
	object->set = set;
	object->undecided = true;
	object->stuck = 0;
}

static void read_object(struct state *state, char **words, size_t count)
{
	static const char *const kinds[] = { "setting", "interrupt", "thread" };
	struct object *object;
	uint64_t id, start;
	int kind;

	for (kind = 0; kind < NR_OBJECT_KINDS && strcmp(words[1], kinds[kind]);)
		kind++;
	if (kind == NR_OBJECT_KINDS || number_parse(words[2], UINT64_MAX, &id) ||
	    number_parse(words[3], UINT64_MAX, &start))
		return;
	if (!strcmp(words[0], "set") && count == 7)
		read_set(state, words, (enum object_kind)kind, id, start);
	object = state_find(state, (enum object_kind)kind, id, start);
	if (object && !strcmp(words[0], "stuck"))
		object->stuck = atoi(words[4]);
}

static void read_knob(struct state *state, char **words)
{
	bool stuck = !strcmp(words[0], "stuck");
	struct knob *knob = state_knob_find(state, words[stuck ? 2 : 1]);

	if (stuck) {
		if (knob)
			knob->stuck = atoi(words[4]);
		return;
	}
	if (!knob)
		knob = state_knob_add(state, words[1], words[2]);
	if (knob)
		knob_intends(state, knob, words[3], words[4]);
}

static void settle(struct state *state)
{
	size_t i;

	for (i = 0; i < state->nr_objects; i++)
		state->objects[i].undecided = false;
	for (i = 0; i < state->nr_knobs; i++)
		state->knobs[i].undecided = false;
	state->intents = false;
}

static void read_line(struct state *state, char *line)
{
	char *words[9], *word;
	size_t count = 0;

	while (count < 9 && (word = strsep(&line, " ")))
		words[count++] = word;
	if (count >= 7 && !strcmp(words[0], "shield"))
		read_shield(state, words, count);
	else if (count == 5 && (!strcmp(words[0], "knob") || !strcmp(words[1], "knob")))
		read_knob(state, words);
	else if (count >= 5)
		read_object(state, words, count);
	else if (count == 1 && !strcmp(words[0], "commit"))
		settle(state);
}

static void boot_id(const struct state *state, char *text, size_t size)
{
	if (read_text(machine_path(state->root, "/proc/sys/kernel/random/boot_id"), text, size) <=
	    0)
		snprintf(text, size, "-");
}

static void read_journal(struct state *state)
{
	char *line = NULL, boot[64], head[96];
	size_t size = 0, i;
	bool valid = false;
	ssize_t length;
	FILE *file;
	int fd = state_file(state, "journal", O_RDONLY);

	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return;
	boot_id(state, boot, sizeof(boot));
	snprintf(head, sizeof(head), FORMAT " %s\n", boot);
	while ((length = getline(&line, &size, file)) > 0 && line[length - 1] == '\n') {
		/* Of another boot: all that it tells of is gone. */
		if (!state->lines)
			valid = !strcmp(line, head);
		if (!valid)
			break;
		state->lines++;
		state->length += length;
		line[length - 1] = 0;
		read_line(state, line);
	}
	free(line);
	fclose(file);
	for (i = 0; i < state->nr_objects; i++)
		state->intents |= state->objects[i].undecided;
	for (i = 0; i < state->nr_knobs; i++)
		state->intents |= state->knobs[i].undecided;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int append(struct state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int append_text(struct state *state, const char *text, size_t length)
{
	ssize_t n = write(state->journal, text, length);

	if (n < 0)
		return -errno;
	if ((size_t)n < length)
		return ftruncate(state->journal, state->length) ? -errno : -ENOSPC;
	state->lines++;
	state->length += n;
	return 0;
}

static int append(struct state *state, const char *format, ...)
{
	char line[LINE_MAX], boot[64];
	va_list arguments;
	int n, result;

	if (state->journal < 0) {
		state->journal = state_file(state, "journal", O_WRONLY | O_CREAT | O_APPEND);
		if (state->journal < 0)
			return state->journal;
		/* A crash may have left half a line, or there is one of another boot. */
		if (ftruncate(state->journal, state->length))
			return -errno;
	}
	if (!state->lines) {
		boot_id(state, boot, sizeof(boot));
		n = snprintf(line, sizeof(line), FORMAT " %s\n", boot);
		result = append_text(state, line, (size_t)n);
		if (result)
			return result;
	}
	va_start(arguments, format);
	n = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= sizeof(line))
		return -E2BIG;
	return append_text(state, line, (size_t)n);
}

static const char *kind_word(enum object_kind kind)
{
	return kind == OBJECT_SETTING ? "setting" : kind == OBJECT_THREAD ? "thread" : "interrupt";
}

static int append_set(struct state *state, const struct object *object,
		      const struct resch_cpus *orig, const struct resch_cpus *prev,
		      const struct resch_cpus *set)
{
	char from[4096], now[4096], to[4096];

	return append(state, "set %s %llu %llu %s %s %s\n", kind_word(object->kind),
		      (unsigned long long)object->id, (unsigned long long)object->start,
		      list_format(orig, from, sizeof(from)), list_format(prev, now, sizeof(now)),
		      list_format(set, to, sizeof(to)));
}

int state_intend(struct state *state, struct object *object, const struct resch_cpus *now,
		 const struct resch_cpus *set)
{
	int result = append_set(state, object, &object->orig, now, set);

	if (result)
		return result;
	object->prev = *now;
	object->set = *set;
	object->undecided = true;
	object->stuck = 0;
	state->intents = true;
	return 0;
}

struct object *state_add(struct state *state, enum object_kind kind, uint64_t id, uint64_t start,
			 const struct resch_cpus *orig, const struct resch_cpus *set)
{
	struct object *object = object_new(state, kind, id, start);

	if (!object || append_set(state, object, orig, set, set))
		return NULL;
	object->orig = *orig;
	object->set = *set;
	object->prev = *set;
	state->intents = true;
	return object;
}

static int append_knob(struct state *state, const struct knob *knob, const char *now,
		       const char *set)
{
	return append(state, "knob %s %s %s %s\n", knob->path, knob->orig, now, set);
}

int state_knob(struct state *state, struct knob *knob, const char *now, const char *set)
{
	int result = append_knob(state, knob, now, set);

	if (!result)
		knob_intends(state, knob, now, set);
	return result;
}

int state_knob_stuck(struct state *state, struct knob *knob, int error)
{
	knob->stuck = error;
	return append(state, "stuck knob %s 0 %d\n", knob->path, error);
}

int state_adopt(struct state *state, struct object *object, const struct resch_cpus *orig)
{
	int result = append_set(state, object, orig, orig, orig);

	object->orig = *orig;
	object->set = *orig;
	object->undecided = false;
	object->stuck = 0;
	state->intents = true;
	return result;
}

int state_stuck(struct state *state, struct object *object, int error)
{
	object->stuck = error;
	return append(state, "stuck %s %llu %llu %d\n", kind_word(object->kind),
		      (unsigned long long)object->id, (unsigned long long)object->start, error);
}

int state_commit(struct state *state)
{
	int result;

	if (!state->intents)
		return 0;
	result = append(state, "commit\n");
	if (!result)
		settle(state);
	return result;
}

static int append_shield(struct state *state, const struct shield *shield)
{
	bool steered = strcmp(shield->irqs, "-");
	char cpus[4096];

	return append(state, "shield %s %s %s %s %u %d%s%s%s\n", phase_names[shield->phase],
		      list_format(&shield->cpus, cpus, sizeof(cpus)), shield->keep_irqs,
		      shield->keep_tasks, shield->domain, shield->module,
		      shield->latency ? " latency" : "", steered ? " irq=" : "",
		      steered ? shield->irqs : "");
}

int state_shield(struct state *state, struct shield *shield, enum shield_phase phase)
{
	shield->phase = phase;
	return append_shield(state, shield);
}

void state_forget(struct state *state, struct shield *shield)
{
	size_t at = (size_t)(shield - state->shields);

	memmove(shield, shield + 1, (state->nr_shields - at - 1) * sizeof(*shield));
	state->nr_shields--;
}

void state_cpus(const struct state *state, struct resch_cpus *cpus)
{
	size_t i;

	*cpus = (struct resch_cpus){};
	for (i = 0; i < state->nr_shields; i++) {
		if (state->shields[i].phase != SHIELD_FALLING)
			cpus_unite(cpus, &state->shields[i].cpus);
	}
}

/*
 * The new journal grows beside the old one and takes its place in one step. Not while anything is
 * undecided: that would be lost.
 */
int state_compact(struct state *state)
{
	struct state fresh = *state;
	char from[700], to[700];
	int result;
	size_t i;

	if (state->intents)
		return -EBUSY;
	snprintf(from, sizeof(from), "%s/journal.new", state->folder);
	snprintf(to, sizeof(to), "%s/journal", state->folder);
	fresh.lines = 0;
	fresh.length = 0;
	fresh.journal = state_file(state, "journal.new", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
	if (fresh.journal < 0)
		return fresh.journal;
	result = append(&fresh, "commit\n");
	for (i = 0; !result && i < state->nr_shields; i++)
		result = append_shield(&fresh, &state->shields[i]);
	for (i = 0; !result && i < state->nr_objects; i++) {
		struct object *object = &state->objects[i];

		if (object->kind == OBJECT_THREAD && !object->seen)
			continue;
		result = append_set(&fresh, object, &object->orig, &object->set, &object->set);
		if (!result && object->stuck)
			result = state_stuck(&fresh, object, object->stuck);
	}
	for (i = 0; !result && i < state->nr_knobs; i++) {
		struct knob *knob = &state->knobs[i];

		if (!knob->stuck && !strcmp(knob->set, knob->orig))
			continue;
		result = append_knob(&fresh, knob, knob->set, knob->set);
		if (!result && knob->stuck)
			result = state_knob_stuck(&fresh, knob, knob->stuck);
	}
	if (!result)
		result = append(&fresh, "commit\n");
	close(fresh.journal);
	if (!result && rename(from, to))
		result = -errno;
	if (result) {
		unlink(from);
		return result;
	}
	/* The old file has no name any more. */
	if (state->journal >= 0)
		close(state->journal);
	state->journal = -1;
	state->lines = fresh.lines;
	state->length = fresh.length;
	return 0;
}

/* ---- whole ----------------------------------------------------------------------------------- */

bool state_exists(const struct state *state)
{
	return state->lines > 0;
}

int state_open(struct state *state, const char *root, bool write)
{
	int i, result = 0;

	*state = (struct state){ .root = root, .lock = -1, .journal = -1 };
	for (i = 0; i < OBJECT_BUCKETS; i++)
		state->buckets[i] = -1;
	if ((size_t)snprintf(state->folder, sizeof(state->folder), "%s/run/resch/shield", root) >=
	    sizeof(state->folder))
		return -ENAMETOOLONG;
	if (write)
		result = state_folder(state);
	if (!result) {
		state->lock = state_lock(state, "lock", write ? F_WRLCK : F_RDLCK, true);
		result = state->lock < 0 ? state->lock : 0;
	}
	if (result == -ENOENT && !write)
		return 0;
	if (!result)
		read_journal(state);
	return result;
}

void state_close(struct state *state)
{
	if (state->journal >= 0)
		close(state->journal);
	if (state->lock >= 0)
		close(state->lock);
	free(state->objects);
	free(state->knobs);
	state->objects = NULL;
	state->knobs = NULL;
	state->journal = -1;
	state->lock = -1;
}

void state_remove(struct state *state)
{
	static const char *const names[] = { "journal", "threads", "interrupts" };
	char path[700];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", state->folder, names[i]);
		unlink(path);
	}
	/* What is written after this must not go to a file without a name. */
	if (state->journal >= 0)
		close(state->journal);
	state->journal = -1;
	state->lines = 0;
	state->length = 0;
}
