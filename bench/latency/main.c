// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - resch-latency: how late a periodic task is, and how much its execution time varies
 *
 * The measurements of É. Piel, P. Marquet, J. Soula, C. Osuna, J.-L. Dekeyser: ARTiS, an Asymmetric
 * Real-Time Scheduler for Linux on Multi-Processor Architectures, INRIA RR-5781, 2005, sections
 * 5.1, 5.2, with the timer in the place of their performance counter's interrupt, so that a stock
 * kernel will do.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock-ns.h"
#include "command-line.h"
#include "pin.h"
#include "stats.h"
#include "time-option.h"
#include "waiting.h"
#include "waking.h"
#include "written.h"

static struct {
	const char *name;
	const char *pin;
	const char *samples;
	int cpu, priority;
	unsigned long count, divisions;
	uint64_t period;
	bool kernel;
} option = { .name = "", .cpu = 0, .priority = 99, .count = 1000, .period = 1000000 };

static struct {
	struct stats user, kernel, work, edge, toggle;
	unsigned long overrun;
} result;

static const char help[] =
	"usage: resch-latency [OPTION]...\n"
	"A periodic task, bound to a CPU. Prints one JSON object; times are ns.\n"
	"  user     from the time that its timer is set to, to its own first instruction\n"
	"  kernel   ... to the kernel's beginning to wake it (-k)\n"
	"  work     execution times of so many integer divisions (-w)\n"
	"  edge     how far from one period toggles of a pin are apart (-o)\n"
	"  toggle   how long a toggle takes (-o)\n"
	"\n"
	"  -c, --cpu=CPU       where (0)\n"
	"  -p, --priority=N    SCHED_FIFO priority, 0 for SCHED_OTHER (99)\n"
	"  -i, --period=TIME   500us, 2ms (1ms)\n"
	"  -n, --count=N       periods (1000)\n"
	"  -w, --work=N        divisions in each period (0)\n"
	"  -k, --kernel        kernel latency, too (root)\n"
	"  -o, --pin=PIN       toggle gpio:/dev/gpiochipN:LINE or rts:/dev/ttySN\n"
	"  -s, --samples=FILE  all user latencies, one a line, in the order in which they came\n"
	"  -N, --name=NAME     \"name\" in the output\n"
	"      --help, --version\n";

static const struct option options[] = {
	{ "cpu", 1, NULL, 'c' },    { "priority", 1, NULL, 'p' },
	{ "period", 1, NULL, 'i' }, { "count", 1, NULL, 'n' },
	{ "work", 1, NULL, 'w' },   { "kernel", 0, NULL, 'k' },
	{ "pin", 1, NULL, 'o' },    { "samples", 1, NULL, 's' },
	{ "name", 1, NULL, 'N' },   ASKED_OPTIONS,
};

/* Divisions whose operands and results the compiler can't know. */
static void divide(unsigned long times)
{
	static volatile unsigned int dividend = 4000000007u, divisor = 13;
	unsigned int sum = 0;

	while (times--)
		sum += (dividend + sum) / divisor;
	dividend = 4000000007u + (sum & 1);
}

static void read_options(int argc, char **argv)
{
	int letter;

	written_or_failed("resch-latency");
	while ((letter = next_option(argc, argv, "resch-latency", help, "c:p:i:n:w:o:s:N:k",
				     options)) != -1) {
		switch (letter) {
		case 'c':
			option.cpu =
				(int)number_option("resch-latency", optarg, 0, CPU_SETSIZE - 1);
			break;
		case 'p':
			option.priority = (int)number_option("resch-latency", optarg, 0, 99);
			break;
		case 'i':
			option.period = time_option("resch-latency", optarg, 10000, 4000000000ull);
			break;
		case 'n':
			option.count = number_option("resch-latency", optarg, 1, 1000000000);
			break;
		case 'w':
			option.divisions = number_option("resch-latency", optarg, 0, 4000000000);
			break;
		case 'o':
			option.pin = optarg;
			break;
		case 's':
			option.samples = optarg;
			break;
		case 'N':
			option.name = optarg;
			break;
		case 'k':
			option.kernel = true;
			break;
		}
	}
	if (optind != argc) {
		fprintf(stderr, "resch-latency: '%s' is none of its options\n", argv[optind]);
		wrong_usage("resch-latency");
	}
}

/* Priority first, then the CPU: the order that the report asks of a task that becomes RT0. */
static void become_real_time(void)
{
	struct sched_param param = { .sched_priority = option.priority };
	cpu_set_t cpus;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		err(1, "mlockall");
	if (option.priority && sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "sched_setscheduler");
	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)option.cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
}

/* A period; @waking and @pin may be NULL. */
static void cycle(uint64_t due, struct waking *waking, const struct pin *pin, unsigned long number)
{
	static uint64_t last_edge;
	uint64_t begin, edge, woken;

	sleep_until(due);
	begin = now_ns();
	if (pin) {
		if (pin_set(pin, number & 1))
			err(1, "%s", option.pin);
		edge = now_ns();
		stats_add(&result.toggle, (int64_t)(edge - begin));
		if (last_edge)
			stats_add(&result.edge,
				  llabs((int64_t)(edge - last_edge) - (int64_t)option.period));
		last_edge = edge;
	}
	stats_add(&result.user, (int64_t)(begin - due));
	if (waking) {
		/* Due while the task was still busy with the last period: nobody had to wake it. */
		woken = waking_next(waking, due);
		if (woken && woken <= begin)
			stats_add(&result.kernel, (int64_t)(woken - due));
	}
	if (option.divisions) {
		begin = now_ns();
		divide(option.divisions);
		stats_add(&result.work, (int64_t)(now_ns() - begin));
	}
}

static void measure(struct waking *waking, const struct pin *pin)
{
	uint64_t due = now_ns() + 10 * option.period;
	unsigned long i;

	for (i = 0; i < option.count; i++) {
		cycle(due, waking, pin, i);
		due += option.period;
		for (; due < now_ns(); due += option.period)
			result.overrun++;
	}
}

static void print_samples(void)
{
	FILE *file = fopen(option.samples, "w");
	size_t i;

	if (!file)
		err(1, "%s", option.samples);
	for (i = 0; i < result.user.count; i++)
		fprintf(file, "%" PRIu32 "\n", result.user.sample[i]);
	if (fclose(file))
		err(1, "%s", option.samples);
}

static void print_one(const char *name, struct stats *stats)
{
	if (!stats->count)
		return;
	stats_sort(stats);
	printf(", \"%s\": ", name);
	stats_print(stats, stdout);
}

static void print(void)
{
	if (option.samples)
		print_samples();
	printf("{\"name\": \"%s\", \"cpu\": %d, \"priority\": %d, \"period\": %" PRIu64
	       ", \"divisions\": %lu, \"overruns\": %lu",
	       option.name, option.cpu, option.priority, option.period, option.divisions,
	       result.overrun);
	print_one("user", &result.user);
	print_one("kernel", &result.kernel);
	print_one("work", &result.work);
	print_one("edge", &result.edge);
	print_one("toggle", &result.toggle);
	puts("}");
}

int main(int argc, char **argv)
{
	struct waking waking;
	struct pin pin;
	pid_t teller;

	read_options(argc, argv);
	if (stats_init(&result.user, option.count) || stats_init(&result.kernel, option.count) ||
	    stats_init(&result.work, option.divisions ? option.count : 0) ||
	    stats_init(&result.edge, option.pin ? option.count : 0) ||
	    stats_init(&result.toggle, option.pin ? option.count : 0))
		err(1, "memory");
	if (option.pin && pin_open(&pin, option.pin))
		err(1, "%s", option.pin);
	teller = waiting_begin("resch-latency", option.cpu,
			       1e-9 * (double)option.period * (double)option.count);
	become_real_time();
	if (option.kernel && waking_open(&waking, option.cpu, getpid()))
		err(1, "sched_waking");
	measure(option.kernel ? &waking : NULL, option.pin ? &pin : NULL);
	if (option.kernel)
		waking_close(&waking);
	waiting_end(teller);
	print();
	return 0;
}
