// SPDX-License-Identifier: GPL-2.0
/* main.c - resch-load: keep a machine busy, and count what gets done */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asked.h"
#include "load.h"

static const char help[] =
	"usage: resch-load [-f BOARD] [-d FILE] [-u PERCENT] KIND[=WORKERS]...\n"
	"       resch-load -r BOARD\n"
	"Keeps the machine busy until it is ended. KIND: compute disk net lock cache.\n"
	"\n"
	"  -f BOARD    count in this file (/tmp/resch-load)\n"
	"  -r BOARD    print what has been done so far: JSON, times in ns\n"
	"  -d FILE     what \"disk\" writes to; a block device loses its contents\n"
	"              (/tmp/resch-load.disk)\n"
	"  -u PERCENT  each worker runs so much of every 10 ms (100)\n";

static _Noreturn void usage(void)
{
	fputs(help, stderr);
	exit(2);
}

static struct load_board *new_board(const char *path)
{
	struct load_board *board;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, sizeof(*board)))
		err(1, "%s", path);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (board == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return board;
}

static void start(struct load_worker *place, const struct load *load, const char *disk,
		  unsigned int worker)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		err(1, "fork");
	if (child) {
		place->pid = child;
		snprintf(place->name, sizeof(place->name), "%s", load->name);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		exit(1);
	load->run(&place->done, disk, worker);
}

/* Returns the number of workers. */
static unsigned int start_all(struct load_board *board, char **kinds, const char *disk)
{
	unsigned int count = 0;

	for (; *kinds; kinds++) {
		char *equals = strchr(*kinds, '=');
		long workers = 1;
		const struct load *load;

		if (equals) {
			*equals = '\0';
			workers = atol(equals + 1);
		}
		load = load_named(*kinds);
		if (!load || workers < 1 || workers > LOAD_WORKERS - (long)count)
			usage();
		while (workers--) {
			start(&board->worker[count], load, disk, count);
			count++;
		}
	}
	return count;
}

static void signal_all(const struct load_board *board, unsigned int workers, int signal)
{
	while (workers--)
		kill(board->worker[workers].pid, signal);
}

static void pass(unsigned int percent)
{
	struct timespec time = { .tv_nsec = 100000l * percent };

	nanosleep(&time, NULL);
}

/* Stops and continues the workers, ahead of which this process therefore has to be. */
static _Noreturn void share(const struct load_board *board, unsigned int workers,
			    unsigned int percent)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "sched_setscheduler");
	for (;;) {
		if (percent) {
			signal_all(board, workers, SIGCONT);
			pass(percent);
		}
		signal_all(board, workers, SIGSTOP);
		pass(100 - percent);
	}
}

int main(int argc, char **argv)
{
	const char *path = "/tmp/resch-load", *disk = "/tmp/resch-load.disk";
	unsigned int percent = 100, workers;
	struct load_board *board;
	int letter, status;

	answer_if_asked(argv, "resch-load", help);
	while ((letter = getopt(argc, argv, "f:r:d:u:")) != -1) {
		if (letter == 'r')
			return board_print(optarg);
		else if (letter == 'f')
			path = optarg;
		else if (letter == 'd')
			disk = optarg;
		else if (letter == 'u' && atoi(optarg) >= 0 && atoi(optarg) <= 100)
			percent = (unsigned int)atoi(optarg);
		else
			usage();
	}
	if (optind == argc)
		usage();
	board = new_board(path);
	workers = start_all(board, argv + optind, disk);
	if (percent < 100)
		share(board, workers, percent);
	/* They don't end: one that does has failed. */
	wait(&status);
	signal_all(board, workers, SIGKILL);
	fputs("resch-load: a load has ended\n", stderr);
	return 1;
}
