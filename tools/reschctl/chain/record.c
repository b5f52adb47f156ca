// SPDX-License-Identifier: GPL-2.0-or-later
/* record.c - reschctl chain run --output: what each instance took */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "chain/chain.h"

#define LOOK 10 /* ms, between two looks for a signal */

int record_open(struct chain_record *record, const char *path)
{
	*record = (struct chain_record){};
	if (!path)
		return -1;
	record->file = fopen(path, "we");
	if (!record->file)
		return fail("%s: %s", path, strerror(errno));
	fprintf(record->file, "chain,instance,response\n");
	return -1;
}

static const char *name_of(const struct chain_record *record, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < record->count; i++)
		if (record->ids[i] == id)
			return record->chains[i].name;
	return "?";
}

static void take(struct chain_record *record, int fd)
{
	struct resch_event events[64];
	int i, count = resch_event_read(fd, events, sizeof(events) / sizeof(events[0]));

	for (i = 0; i < count; i++)
		if (events[i].type == RESCH_EVENT_CHAIN_COMPLETE)
			fprintf(record->file, "%.15s,%llu,%llu\n", name_of(record, events[i].task),
				(unsigned long long)events[i].job,
				(unsigned long long)events[i].value);
}

void record_until(struct chain_record *record, int fd, const sigset_t *mask, uint64_t end)
{
	static const struct timespec none;

	while (resch_now() < end && sigtimedwait(mask, NULL, &none) < 0)
		if (resch_event_wait(fd, LOOK) > 0)
			take(record, fd);
	while (resch_event_wait(fd, 0) > 0)
		take(record, fd);
}

int record_close(struct chain_record *record, const char *path)
{
	int err = ferror(record->file);

	if (fclose(record->file) || err)
		return fail("%s: it cannot be written", path);
	return -1;
}
