// SPDX-License-Identifier: GPL-2.0
/* trial.c - each allocation and each copy of something fails, see trial.h */
#include "trial.h"

#define DEBUGFS "/sys/kernel/debug/"
#define MANY 1000 /* nothing asks for as many */

/* Of the calling thread; open all the time, since an open() could fail, too. */
static int nth_file;

/* Only what code from this address on asks for, itself or by what it calls. */
static char asking[24] = "0";

static int nth_open(void)
{
	int fd = must_libc(open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC));
	int high = must_libc(fcntl(fd, F_DUPFD_CLOEXEC, TRIAL_FILE));

	close(fd);
	return high;
}

/* Also allocations that may sleep, which are left out by default; without a trace of each. */
static void faults_on(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[80];
	int i;

	if (access("/proc/thread-self/fail-nth", W_OK))
		skip("this kernel can't make allocations fail (CONFIG_FAULT_INJECTION)");
	if (!nth_file)
		nth_file = nth_open();
	check(file_write(DEBUGFS "failslab/ignore-gfp-wait", "N"), "failslab: %s", strerror(errno));
	check(file_write(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N"), "fail_page_alloc: %s",
	      strerror(errno));
	file_write(DEBUGFS "fail_page_alloc/min-order", "0");
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/verbose", kinds[i]);
		file_write(path, "0");
		snprintf(path, sizeof(path), DEBUGFS "%s/require-start", kinds[i]);
		if (!file_write(path, asking) && strcmp(asking, "0"))
			skip("this kernel can't tell whose allocations fail "
			     "(CONFIG_FAULT_INJECTION_STACKTRACE_FILTER)");
	}
}

/* Modules lie behind the kernel. */
void faults_of_modules(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char address[sizeof(asking) - 2] = "", name[64] = "";

	check(symbols, "/proc/kallsyms: %s", strerror(errno));
	while (strcmp(name, "_end"))
		check(fscanf(symbols, "%21s %*s %63s%*[^\n]", address, name) == 2,
		      "no _end in /proc/kallsyms");
	fclose(symbols);
	snprintf(asking, sizeof(asking), "0x%s", address);
	faults_on();
}

void fail_nth(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);

	while (write(nth_file, text, size) != size)
		;
}

bool has_failed(void)
{
	char text[16] = "";

	return pread(nth_file, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
}

static bool same(const struct report *one, const struct report *other)
{
	return !strcmp(one->text, other->text);
}

static void told(const struct trial *trial, struct report *report)
{
	report->length = 0;
	report->text[0] = 0;
	trial->tell(report);
}

/* An attempt, of which the Nth allocation or copy fails: its result; false: there is none such. */
static bool attempt(const struct trial *trial, unsigned int nth, long *result)
{
	bool failed;

	fail_nth(nth);
	*result = trial->act();
	failed = has_failed();
	fail_nth(0);
	check(*result >= 0 || failed, "%s though none has failed", errno_name(*result));
	check(*result >= 0 || *result == -ENOMEM || *result == -EFAULT || *result == -EAGAIN,
	      "%s, when number %u fails", errno_name(*result), nth);
	return failed;
}

void each_fails(const struct trial *trial)
{
	static struct report before, now, after, untold;
	unsigned int nth, refusals = 0;
	bool failed = true;
	long result;

	faults_on();
	untold.length = 0;
	for (nth = 1; failed; nth++) {
		check(nth < MANY, "%u allocations and copies, and still more", nth);
		if (trial->ready)
			trial->ready();
		told(trial, &now);
		if (nth == 1)
			before = now;
		check(same(&now, &before), "it is not brought back, before number %u:\n%s\nnot\n%s",
		      nth, now.text, before.text);
		failed = attempt(trial, nth, &result);
		told(trial, &after);
		if (result >= 0)
			continue;
		refusals++;
		/* A result that can't be told is one all the same: the last copy. */
		if (result == -EFAULT && !same(&after, &now))
			untold = after;
		else
			check(same(&after, &now), "%s, when number %u fails, and left\n%s\nnot\n%s",
			      errno_name(result), nth, after.text, now.text);
	}
	/* The last one was a success. */
	check(!untold.length || same(&untold, &after), "what could not be told is\n%s\nnot\n%s",
	      untold.text, after.text);
	if (trial->ready)
		trial->ready();
	printf("# %u times, %u refusals\n", nth - 1, refusals);
	check(refusals, "nothing has been refused");
}
