// SPDX-License-Identifier: GPL-2.0
/* board.c - what the loads have got done so far */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock-ns.h"
#include "exit-status.h"
#include "load.h"

static uint64_t cpu_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : clock_ns(clock);
}

/* All CPUs' idle time, ns, from the first line of /proc/stat. */
static uint64_t idle_ns(void)
{
	FILE *stat = fopen("/proc/stat", "r");
	uint64_t idle = 0, wait = 0;
	int read = 0;

	if (!stat)
		return 0;
	read = fscanf(stat, "cpu %*u %*u %*u %" SCNu64 " %" SCNu64, &idle, &wait);
	fclose(stat);
	return read == 2 ? (idle + wait) * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK)) : 0;
}

static void print_load(const struct load_board *board, const char *name)
{
	uint64_t done = 0, cpu = 0;
	unsigned int i;

	for (i = 0; i < LOAD_WORKERS; i++) {
		if (strcmp(board->worker[i].name, name))
			continue;
		done += board->worker[i].done;
		cpu += cpu_ns(board->worker[i].pid);
	}
	printf("\"%s\": {\"done\": %" PRIu64 ", \"cpu\": %" PRIu64 "}", name, done, cpu);
}

int board_print(const char *path)
{
	const struct load_board *board;
	const char *comma = "";
	const struct load *load;
	struct stat stat;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &stat))
		err(EXIT_USAGE, "%s", path);
	/* beyond its end there would be a signal */
	if (stat.st_size != sizeof(*board))
		errx(EXIT_USAGE, "%s: no board of resch-load", path);
	board = mmap(NULL, sizeof(*board), PROT_READ, MAP_SHARED, fd, 0);
	if (board == MAP_FAILED)
		err(EXIT_FAILED, "%s", path);
	printf("{\"time\": %" PRIu64 ", \"idle\": %" PRIu64 ", \"cpus\": %ld, \"loads\": {",
	       now_ns(), idle_ns(), sysconf(_SC_NPROCESSORS_ONLN));
	for (load = loads; load->name; load++) {
		unsigned int i;

		for (i = 0; i < LOAD_WORKERS && strcmp(board->worker[i].name, load->name); i++)
			;
		if (i == LOAD_WORKERS)
			continue;
		fputs(comma, stdout);
		print_load(board, load->name);
		comma = ", ";
	}
	puts("}}");
	return 0;
}
