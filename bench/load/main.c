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

#include "command-line.h"
#include "load.h"
#include "written.h"

static const char help[] =
	"usage: resch-load [-f BOARD] [-d FILE] [-u PERCENT] KIND[=WORKERS]...\n"
	"       resch-load -r BOARD\n"
	"Keeps the machine busy until it is ended. KIND: compute disk net lock cache fork\n"
	"unmap.\n"
	"\n"
	"  -f, --board=BOARD    count in this file (/tmp/resch-load)\n"
	"  -r, --read=BOARD     print what has been done so far: JSON, times in ns\n"
	"  -d, --disk=FILE      what \"disk\" writes to; a block device loses its contents\n"
	"                       (/tmp/resch-load.disk)\n"
	"  -u, --share=PERCENT  each worker runs so much of every 10 ms (100)\n"
	"      --help, --version\n";

static const struct option options[] = {
	{ "board", 1, NULL, 'f' },
	{ "read", 1, NULL, 'r' },
	{ "disk", 1, NULL, 'd' },
	{ "share", 1, NULL, 'u' },
	ASKED_OPTIONS,
};

static struct load_board *new_board(const char *path)
{
	struct load_board *board;
	/* where everybody may write: not through a link that somebody has laid there */
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

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

static const struct load *load_meant(const char *kind)
{
	const struct load *load = load_named(kind);

	if (load)
		return load;
	fprintf(stderr, "resch-load: there is no load %s", kind);
	for (load = loads; load->name; load++) {
		if (!word_near(kind, load->name))
			continue;
		fprintf(stderr, ": %s?", load->name);
		break;
	}
	fputs("\n", stderr);
	wrong_usage("resch-load");
}

/* Returns the number of workers. */
static unsigned int start_all(struct load_board *board, char **kinds, const char *disk)
{
	const struct load *of[LOAD_WORKERS];
	unsigned int count = 0, i;

	/* all are understood before any is there */
	for (; *kinds; kinds++) {
		char *equals = strchr(*kinds, '=');
		unsigned long workers = 1;
		const struct load *load;

		if (equals) {
			*equals = '\0';
			workers = number_option("resch-load", equals + 1, 1, LOAD_WORKERS);
		}
		load = load_meant(*kinds);
		for (; workers; workers--) {
			if (count == LOAD_WORKERS) {
				fprintf(stderr, "resch-load: more than %d workers\n", LOAD_WORKERS);
				wrong_usage("resch-load");
			}
			of[count++] = load;
		}
	}
	for (i = 0; i < count; i++)
		start(&board->worker[i], of[i], disk, i);
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

static struct {
	const char *board, *disk;
	unsigned int percent;
} option = { .board = "/tmp/resch-load", .disk = "/tmp/resch-load.disk", .percent = 100 };

static void read_options(int argc, char **argv)
{
	int letter;

	written_or_failed("resch-load");
	while ((letter = next_option(argc, argv, "resch-load", help, "f:r:d:u:", options)) != -1) {
		if (letter == 'r')
			exit(board_print(optarg));
		else if (letter == 'f')
			option.board = optarg;
		else if (letter == 'd')
			option.disk = optarg;
		else if (letter == 'u')
			option.percent = (unsigned int)number_option("resch-load", optarg, 0, 100);
	}
	if (optind < argc)
		return;
	fputs("resch-load: no KIND of load\n", stderr);
	wrong_usage("resch-load");
}

int main(int argc, char **argv)
{
	struct load_board *board;
	unsigned int workers;
	int status;

	read_options(argc, argv);
	board = new_board(option.board);
	workers = start_all(board, argv + optind, option.disk);
	if (option.percent < 100)
		share(board, workers, option.percent);
	/* They don't end: one that does has failed. */
	wait(&status);
	signal_all(board, workers, SIGKILL);
	fputs("resch-load: a load has ended\n", stderr);
	return EXIT_FAILED;
}
