// SPDX-License-Identifier: GPL-2.0
/*
 * faults_requests.c - each memory allocation and each copy of every request of the ABI fails, see
 * tests/faults; faults.c has what is no request
 *
 * resch-test: timeout=900
 */
#include "../faults/faults.h"

unsigned long number;
union argument asked;

#define REQUEST(NAME, name, type)          \
	TEST(name, #NAME)                  \
	{                                  \
		number = RESCH_IOC_##NAME; \
		trials_##name();           \
	}
#include "abi.h"
#undef REQUEST

long act(void)
{
	static union argument got;

	got = asked;
	return call(dev, number, &got);
}

void fails(void (*ready)(void))
{
	each_fails(&(struct trial){ ready, act, report_all });
}

static int last_file;

void files_begin(void)
{
	last_file = must_libc(dup(dev));
}

void no_file(void)
{
	must_libc(close_range(last_file + 1, TRIAL_FILE - 1, 0));
}
