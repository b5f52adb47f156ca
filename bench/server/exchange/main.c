// SPDX-License-Identifier: GPL-2.0
/* main.c - resch-exchange: the command line */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exchange.h"

static _Noreturn void usage(void)
{
	fputs("usage: resch-exchange rate\n"
	      "       resch-exchange peer [-s WAY] [-c CPU] HOST PORT\n"
	      "       resch-exchange provider [-s WAY] [-c CPU] [-d DOMAIN] PATH HOST PORT\n"
	      "       resch-exchange client [-s WAY] [-c CPU] [-d DOMAIN] -r RATE -w WORK -t PERIOD [-x WCET] -n COUNT PATH\n"
	      "       resch-exchange load [-s WAY] [-c CPU] [-d DOMAIN] -r RATE -w WORK -t PERIOD [-x WCET]\n"
	      "A periodic client of a service over TCP, that service, the provider between them, and a periodic load.\n"
	      "Times in us. RATE: as `rate` says, loops in a ms. WAY: other fifo=PRIORITY deadline=RUNTIME/PERIOD\n"
	      "server=BUDGET/PERIOD, and for the provider passive=BUDGET/PERIOD. Status 3: refused by admission.\n",
	      stderr);
	exit(2);
}

_Noreturn void die(const char *what, int result)
{
	fprintf(stderr, "resch-exchange: %s: %s\n", what, strerror(-result));
	exit(1);
}

static uint64_t number(const char *text, uint64_t unit)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (end == text || *end)
		usage();
	return value * unit;
}

static void parse(struct options *options, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:c:d:r:w:t:x:n:")) != -1) {
		switch (option) {
		case 's':
			if (way_parse(options, optarg))
				usage();
			break;
		case 'c':
			options->cpu = (int)number(optarg, 1);
			break;
		case 'd':
			options->domain = (uint32_t)number(optarg, 1);
			break;
		case 'r':
			options->rate = number(optarg, 1);
			break;
		case 'w':
			options->work = number(optarg, 1000);
			break;
		case 't':
			options->cycle = number(optarg, 1000);
			break;
		case 'x':
			options->wcet = number(optarg, 1000);
			break;
		case 'n':
			options->count = number(optarg, 1);
			break;
		default:
			usage();
		}
	}
}

static int is(const char *name, char **argv, int count, int wanted)
{
	if (strcmp(argv[1], name))
		return 0;
	if (count != wanted)
		usage();
	return 1;
}

int main(int argc, char **argv)
{
	struct options options = { .cpu = -1, .domain = 1 };
	int count;

	if (argc < 2)
		usage();
	parse(&options, argc - 1, argv + 1);
	argv[optind] = argv[1];
	argv += optind - 1;
	count = argc - optind - 1;
	if (is("rate", argv, count, 0)) {
		printf("%llu\n", (unsigned long long)work_rate());
		return 0;
	}
	options.path = argv[2];
	if (is("provider", argv, count, 3)) {
		options.host = argv[3];
		options.port = argv[4];
		return provider(&options);
	}
	if (is("peer", argv, count, 2)) {
		options.host = argv[2];
		options.port = argv[3];
		return peer(&options);
	}
	if (!options.rate || !options.cycle)
		usage();
	if (is("load", argv, count, 0))
		return periodic_load(&options);
	if (!is("client", argv, count, 1) || !options.count)
		usage();
	return periodic_client(&options);
}
