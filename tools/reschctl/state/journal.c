// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - the steps that `apply` has taken, on a file system in memory
 *
 * Lines of JSON, each written with one write() and before what it tells of is done, as in the
 * shields' journal: {"boot": ID}, {"run": N}, a step, {"undone": INDEX}, and {"kept": COUNT} when
 * all steps of a file are done. A line cut short is the last one, and
 * nothing had been done yet.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

/* ---- reading -------------------------------------------------------------------------------- */

static int add_step(struct journal *journal, const struct step *step)
{
	struct step *steps = reallocarray(journal->steps, journal->count + 1, sizeof(*steps));
	bool *undone;
	size_t *runs;

	if (!steps)
		return -ENOMEM;
	journal->steps = steps;
	undone = reallocarray(journal->undone, journal->count + 1, sizeof(*undone));
	if (!undone)
		return -ENOMEM;
	journal->undone = undone;
	runs = reallocarray(journal->runs, journal->count + 1, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	journal->runs = runs;
	steps[journal->count] = *step;
	undone[journal->count] = false;
	runs[journal->count++] = journal->run;
	return 0;
}

static int read_line(struct journal *journal, struct json_object *json)
{
	struct json_object *value;
	struct step step;
	int64_t index;

	if (json_object_object_get_ex(json, "run", &value)) {
		journal->run = (size_t)json_object_get_int64(value);
		return 0;
	}
	if (json_object_object_get_ex(json, "undone", &value)) {
		index = json_object_get_int64(value);
		if (index < 0 || (size_t)index >= journal->count)
			return -EINVAL;
		journal->undone[index] = true;
		return 0;
	}
	if (json_object_object_get_ex(json, "kept", &value)) {
		journal->kept = journal->count;
		return 0;
	}
	if (step_parse(json, &step))
		return -EINVAL;
	if (!add_step(journal, &step))
		return 0;
	step_free(&step);
	return -ENOMEM;
}

static void boot_id(char *text, size_t size)
{
	if (read_text("/proc/sys/kernel/random/boot_id", text, size) <= 0)
		snprintf(text, size, "-");
}

/*
 * Return: where the last whole line ends; 0: of another boot, all that it tells of is gone; -errno
 */
static off_t read_journal(struct journal *journal)
{
	int fd = state_file(&journal->folder, "journal", O_RDONLY), result = 0;
	char *line = NULL, boot[64];
	struct json_object *json, *value;
	bool first = true;
	off_t end = 0;
	size_t size = 0;
	ssize_t length;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	boot_id(boot, sizeof(boot));
	while (file && !result && (length = getline(&line, &size, file)) > 0 &&
	       line[length - 1] == '\n') {
		json = json_tokener_parse(line);
		if (first && (!json_object_object_get_ex(json, "boot", &value) ||
			      strcmp(json_object_get_string(value) ?: "", boot))) {
			json_object_put(json);
			break;
		}
		if (!first)
			result = json ? read_line(journal, json) : -EINVAL;
		first = false;
		end += length;
		json_object_put(json);
	}
	free(line);
	if (file)
		fclose(file);
	return result ?: end;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Takes @json. */
static int append(struct journal *journal, struct json_object *json)
{
	const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
	char *line = NULL;
	int n = asprintf(&line, "%s\n", text), result = 0;
	ssize_t written;

	json_object_put(json);
	if (n < 0)
		return -ENOMEM;
	written = write(journal->fd, line, (size_t)n);
	if (written != n)
		result = written < 0 ? -errno : -ENOSPC;
	free(line);
	return result;
}

static struct json_object *number_line(const char *key, size_t number)
{
	struct json_object *json = json_object_new_object();

	json_add_number(json, key, number);
	return json;
}

int journal_run(struct journal *journal)
{
	journal->run++;
	return append(journal, number_line("run", journal->run));
}

int journal_step(struct journal *journal, const struct step *step)
{
	struct step copy = *step;
	int result = append(journal, step_json(step));

	if (result)
		return result;
	if (item_copy(&copy.before, &step->before))
		return -ENOMEM;
	result = item_copy(&copy.after, &step->after) ? -ENOMEM : 0;
	if (!result)
		result = add_step(journal, &copy);
	if (result)
		step_free(&copy);
	return result;
}

int journal_keep(struct journal *journal)
{
	journal->kept = journal->count;
	return append(journal, number_line("kept", journal->kept));
}

int journal_undone(struct journal *journal, size_t index)
{
	journal->undone[index] = true;
	return append(journal, number_line("undone", index));
}

/* ---- opening -------------------------------------------------------------------------------- */

static int begin(struct journal *journal, off_t end)
{
	struct json_object *head;
	char boot[64];

	journal->fd = state_file(&journal->folder, "journal", O_WRONLY | O_CREAT | O_APPEND);
	if (journal->fd < 0)
		return journal->fd;
	if (ftruncate(journal->fd, end))
		return -errno;
	if (end)
		return 0;
	boot_id(boot, sizeof(boot));
	head = json_object_new_object();
	json_add_text(head, "boot", boot);
	return append(journal, head);
}

/* Return: as journal_open(). */
static int open_folder(struct journal *journal, const char *root)
{
	struct state *folder = &journal->folder;
	off_t end = 0;
	int result;

	folder->root = root;
	if ((size_t)snprintf(folder->folder, sizeof(folder->folder), "%s/run/resch/apply", root) >=
	    sizeof(folder->folder))
		return fail("--root: too long");
	result = state_folder(folder);
	if (!result) {
		folder->lock = state_lock(folder, "lock", F_WRLCK, true);
		result = folder->lock < 0 ? folder->lock : 0;
	}
	if (!result) {
		end = read_journal(journal);
		result = end < 0 ? (int)end : begin(journal, end);
	}
	if (!result)
		return 0;
	if (result == -EACCES || result == -EPERM)
		fail("%s: %s: this needs root", folder->folder, strerror(-result));
	else
		fail("%s/journal: %s", folder->folder, strerror(-result));
	return EXIT_FAILED;
}

static void discard(struct journal *journal)
{
	size_t i;

	for (i = 0; i < journal->count; i++)
		step_free(&journal->steps[i]);
	free(journal->steps);
	free(journal->undone);
	free(journal->runs);
	if (journal->fd >= 0)
		close(journal->fd);
	if (journal->folder.lock >= 0)
		close(journal->folder.lock);
	free(journal);
}

int journal_open(struct journal **journal, const char *root)
{
	struct journal *made = malloc(sizeof(*made));
	int status;

	if (!made)
		return fail("out of memory");
	*made = (struct journal){ .fd = -1, .folder.lock = -1 };
	status = open_folder(made, root);
	if (status)
		discard(made);
	else
		*journal = made;
	return status;
}

void journal_close(struct journal *journal)
{
	char path[400];
	bool some = false;
	size_t i;

	for (i = 0; i < journal->count; i++)
		some |= !journal->undone[i];
	if (!some) {
		snprintf(path, sizeof(path), "%s/journal", journal->folder.folder);
		unlink(path);
	}
	discard(journal);
}
