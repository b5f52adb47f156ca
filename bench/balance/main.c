// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - resch-balance: how a machine shares its CPUs among the tasks of a scenario
 *
 * The load-balancing observer of É. Piel and others: ARTiS, INRIA RR-5781, 2005, section 5.3, with
 * the evolution over time that its section 6.2 wishes for.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock-ns.h"
#include "command-line.h"
#include "task.h"
#include "time-option.h"
#include "waiting.h"
#include "written.h"

#define SAMPLES_MAX 4096
#define MOST_NS 100000000000ull /* of an option */

static struct {
	int observer_cpu;
	uint64_t every_ns, gap_ns;
	const char *name;
} option = { .every_ns = 10000000, .gap_ns = 500000, .name = "" };

static struct scenario scenario;
static struct board *board;

static struct {
	unsigned int count;
	uint64_t at[SAMPLES_MAX];
	signed char cpu[SAMPLES_MAX][TASKS_MAX];
} samples;

static struct {
	bool known;
	uint64_t at, cpu[CPUS_MAX];
} idle_before, idle_after;

static const char help[] =
	"usage: resch-balance [OPTION]... SCENARIO\n"
	"Starts a scenario's tasks together and tells what each got. Prints one JSON object; times\n"
	"are ns. The format is in bench/balance/scenario.h and docs/shielding-measured.md.\n"
	"\n"
	"  -m, --cpu=CPU     where the observer itself runs (0)\n"
	"  -e, --every=TIME  look where the tasks are every so often (10ms)\n"
	"  -g, --gap=TIME    a gap of so much in a task's time was somebody else's (500us)\n"
	"  -N, --name=NAME   \"name\" in the output\n"
	"      --help, --version\n";

static const struct option options[] = {
	{ "cpu", 1, NULL, 'm' }, { "every", 1, NULL, 'e' },
	{ "gap", 1, NULL, 'g' }, { "name", 1, NULL, 'N' },
	ASKED_OPTIONS,
};

/*
 * The CPU that @pid is on or waits for: the 39th word of its stat. The name in the second may have
 * anything.
 */
static int cpu_of(pid_t pid)
{
	char path[40], text[1024], *word;
	ssize_t length;
	int fd, i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -1;
	text[length] = '\0';
	word = strrchr(text, ')');
	for (i = 2; word && i < 39; i++)
		word = strchr(word + 1, ' ');
	return word ? atoi(word) : -1;
}

static void look_at_idle(uint64_t *cpus)
{
	FILE *stat = fopen("/proc/stat", "r");
	char line[4096];

	if (!stat)
		err(1, "/proc/stat");
	while (fgets(line, sizeof(line), stat)) {
		uint64_t idle, wait;
		unsigned int cpu;

		if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &wait) ==
			    3 &&
		    cpu < CPUS_MAX)
			cpus[cpu] = (idle + wait) * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
	}
	fclose(stat);
}

static void start(struct task *task, const struct group *group, int gate[2])
{
	pid_t child;

	task->group = group;
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		close(gate[1]);
		task_live(board, task, gate[0], option.gap_ns);
	}
}

static void start_all(int gate[2])
{
	unsigned int group, number, task = 0;

	for (group = 0; group < scenario.groups; group++)
		for (number = 0; number < scenario.group[group].count; number++)
			start(&board->task[task++], &scenario.group[group], gate);
	for (task = 0; task < scenario.tasks; task++)
		while (!board->task[task].ready) {
			if (waitpid(-1, NULL, WNOHANG) > 0) {
				errno = ECHILD;
				err(1, "a task has not begun");
			}
			sleep_for(1000000);
		}
}

/* Returns how many that end by themselves have not ended. */
static unsigned int unfinished(bool *some_ended)
{
	unsigned int task, count = 0;

	for (task = 0; task < scenario.tasks; task++) {
		if (!board->task[task].group->work.value)
			continue;
		if (board->task[task].done)
			*some_ended = true;
		else
			count++;
	}
	return count;
}

static void sample(uint64_t at)
{
	unsigned int task;

	if (samples.count == SAMPLES_MAX)
		return;
	samples.at[samples.count] = at;
	for (task = 0; task < scenario.tasks; task++)
		samples.cpu[samples.count][task] =
			board->task[task].done ? -1 : (signed char)cpu_of(board->task[task].pid);
	samples.count++;
}

static uint64_t run(void)
{
	struct sched_param param = { .sched_priority = 99 };
	bool some_ended = false;
	uint64_t begin;
	cpu_set_t cpus;
	pid_t teller;
	int gate[2];

	teller = waiting_begin("resch-balance", option.observer_cpu, 0);
	if (pipe(gate))
		err(1, "pipe");
	start_all(gate);
	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)option.observer_cpu, &cpus);
	/* On time, where it may be; it does next to nothing. */
	sched_setscheduler(0, SCHED_FIFO, &param);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	look_at_idle(idle_before.cpu);
	begin = now_ns();
	idle_before.at = begin;
	close(gate[1]);
	while (unfinished(&some_ended)) {
		sample(now_ns() - begin);
		sleep_for(option.every_ns);
		if (some_ended && !idle_after.known) {
			look_at_idle(idle_after.cpu);
			idle_after.at = now_ns();
			idle_after.known = true;
		}
	}
	if (!idle_after.known) {
		look_at_idle(idle_after.cpu);
		idle_after.at = now_ns();
	}
	board->enough = true;
	waiting_end(teller);
	while (wait(NULL) > 0)
		;
	return begin;
}

static void print_task(const struct task *task, uint64_t begin, unsigned int cpus)
{
	unsigned int cpu;

	printf("{\"group\": %d, \"time\": %" PRIu64
	       ", \"voluntary\": %ld, \"involuntary\": %ld, \"locks\": %" PRIu64 ", \"cpu\": [",
	       (int)(task->group - scenario.group), task->end_ns - begin, task->voluntary,
	       task->involuntary, task->locks);
	for (cpu = 0; cpu < cpus; cpu++)
		printf("%s%" PRIu64, cpu ? ", " : "", task->cpu_ns[cpu]);
	fputs("]}", stdout);
}

static void print(uint64_t begin)
{
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF), i, j;

	if (cpus > CPUS_MAX)
		cpus = CPUS_MAX;
	printf("{\"name\": \"%s\", \"cpus\": %u, \"groups\": [", option.name, cpus);
	for (i = 0; i < scenario.groups; i++)
		printf("%s{\"name\": \"%s\", \"count\": %u, \"policy\": %d, \"priority\": %d, \"ends\": %s}",
		       i ? ", " : "", scenario.group[i].name, scenario.group[i].count,
		       scenario.group[i].policy, scenario.group[i].priority,
		       scenario.group[i].work.value ? "true" : "false");
	fputs("], \"tasks\": [", stdout);
	for (i = 0; i < scenario.tasks; i++) {
		fputs(i ? ", " : "", stdout);
		print_task(&board->task[i], begin, cpus);
	}
	printf("], \"first\": %" PRIu64 ", \"idle\": [", idle_after.at - idle_before.at);
	for (i = 0; i < cpus; i++)
		printf("%s%" PRIu64, i ? ", " : "", idle_after.cpu[i] - idle_before.cpu[i]);
	fputs("], \"samples\": [", stdout);
	for (i = 0; i < samples.count; i++) {
		printf("%s[%" PRIu64 ", [", i ? ", " : "", samples.at[i]);
		for (j = 0; j < scenario.tasks; j++)
			printf("%s%d", j ? ", " : "", samples.cpu[i][j]);
		fputs("]]", stdout);
	}
	puts("]}");
}

static void read_options(int argc, char **argv)
{
	int letter;

	written_or_failed("resch-balance");
	while ((letter = next_option(argc, argv, "resch-balance", help, "m:e:g:N:", options)) !=
	       -1) {
		if (letter == 'm')
			option.observer_cpu =
				(int)number_option("resch-balance", optarg, 0, CPU_SETSIZE - 1);
		else if (letter == 'e')
			option.every_ns = time_option("resch-balance", optarg, 0, MOST_NS);
		else if (letter == 'g')
			option.gap_ns = time_option("resch-balance", optarg, 0, MOST_NS);
		else if (letter == 'N')
			option.name = optarg;
	}
	if (optind + 1 == argc)
		return;
	fputs("resch-balance: there is to be one SCENARIO\n", stderr);
	wrong_usage("resch-balance");
}

int main(int argc, char **argv)
{
	char why[200];
	FILE *file;

	read_options(argc, argv);
	file = fopen(argv[optind], "r");
	if (!file) {
		warn("%s", argv[optind]);
		return EXIT_USAGE;
	}
	if (scenario_read(&scenario, file, why, sizeof(why))) {
		fprintf(stderr, "resch-balance: %s: %s\n", argv[optind], why);
		return EXIT_USAGE;
	}
	fclose(file);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED)
		err(1, "memory");
	print(run());
	return 0;
}
