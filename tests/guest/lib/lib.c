// SPDX-License-Identifier: GPL-2.0
/* lib.c - the cases of a guest test and their verdicts, see lib.h */
#include "lib.h"

#include <stdarg.h>
#include <sys/prctl.h>

#define SKIPPED 77
#define NOTES 255

struct report {
	atomic_int taken;
	char text[480];
	atomic_uint noted;
	char notes[NOTES + 1];
};

static struct report *report;
static struct test_case *cases, **cases_end = &cases;
static int cases_count;

unsigned int test_limit = 100;
const char *test_params = "";
int dev = -1;

/* ---- verdicts -------------------------------------------------------------------------------- */

void test_add(struct test_case *test)
{
	*cases_end = test;
	cases_end = &test->next;
	cases_count++;
}

/* The first to complain is heard. */
static void complain(const char *file, int line, const char *format, va_list arguments)
{
	int used = 0;

	if (atomic_exchange(&report->taken, 1))
		return;
	if (file)
		used = snprintf(report->text, sizeof(report->text), "%s:%d: ", file, line);
	vsnprintf(report->text + used, sizeof(report->text) - used, format, arguments);
}

void fail_at(const char *file, int line, const char *format, ...)
{
	const char *name = strrchr(file, '/');
	va_list arguments;

	va_start(arguments, format);
	complain(name ? name + 1 : file, line, format, arguments);
	va_end(arguments);
	_exit(1);
}

void skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(NULL, 0, format, arguments);
	va_end(arguments);
	_exit(SKIPPED);
}

/* ---- the log --------------------------------------------------------------------------------- */

void note(char what)
{
	unsigned int at = atomic_fetch_add(&report->noted, 1);

	if (at < NOTES)
		report->notes[at] = what;
}

const char *notes(void)
{
	return report->notes;
}

void notes_clear(void)
{
	memset(report->notes, 0, sizeof(report->notes));
	atomic_store(&report->noted, 0);
}

/* ---- running the cases ----------------------------------------------------------------------- */

static void case_main(const struct test_case *test)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	dev = resch_open();
	if (dev < 0)
		fail("resch_open: %s", resch_open_reason(dev));
	test->run();
	_exit(0);
}

unsigned int test_slower(void)
{
	const char *slower = getenv("RESCH_SLOWER");
	int times = slower ? atoi(slower) : 1;

	return times > 1 ? (unsigned int)times : 1;
}

/* Seconds for a case here: a debug kernel is given as many times as much as the whole test is. */
static unsigned int case_limit(void)
{
	return test_limit * test_slower();
}

/* Wait for the case; its wait status, or -1: it ran past the limit. */
static int case_end(pid_t pid)
{
	uint64_t end = resch_now() + case_limit() * SEC;
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (resch_now() > end) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			end = resch_now() + 10 * SEC;
			while (waitpid(pid, NULL, WNOHANG) == 0 && resch_now() < end)
				sleep_ms(2);
			return -1;
		}
		sleep_ms(1);
	}
	kill(-pid, SIGKILL);
	return status;
}

/* What a case may not leave behind: registered tasks, domains that can't be deleted. */
static bool case_tidy(char *why, size_t size)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	struct resch_domain_stat stat;
	struct resch_info now;
	bool clean = true;
	int fd, err;

	fd = resch_open();
	if (fd < 0)
		return true; /* the case has unloaded the module */
	while (!resch_info(fd, &now) && now.tasks && resch_now() < end)
		sleep_ms(2);
	if (now.tasks) {
		snprintf(why, size, "%u tasks are still registered after their processes have died",
			 now.tasks);
		clean = false;
	}
	memset(&stat, 0, sizeof(stat));
	while (resch_domain_next(fd, &stat) == 1) {
		do
			err = resch_domain_del(fd, stat.domain);
		while (err == -EBUSY && resch_now() < end);
		if (err && clean) {
			snprintf(why, size, "domain %u can't be deleted: %s", stat.domain,
				 errno_name(err));
			clean = false;
		}
	}
	close(fd);
	return clean;
}

/* 'p'ass, 's'kip, or 'f'ail, and the reason in report->text. */
static char case_run(const struct test_case *test)
{
	char why[120] = "";
	char verdict;
	int status;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	fflush(stdout);
	pid = fork();
	if (!pid)
		case_main(test);
	status = case_end(pid);
	if (status == -1) {
		snprintf(report->text, sizeof(report->text), "no end within %u s; %s", case_limit(),
			 report->notes);
		verdict = 'f';
	} else if (WIFSIGNALED(status)) {
		if (!report->taken)
			snprintf(report->text, sizeof(report->text), "died of signal %d",
				 WTERMSIG(status));
		verdict = 'f';
	} else {
		verdict = WEXITSTATUS(status) == SKIPPED ? 's' : WEXITSTATUS(status) ? 'f' : 'p';
	}
	if (!case_tidy(why, sizeof(why)) && verdict != 'f') {
		snprintf(report->text, sizeof(report->text), "%s", why);
		verdict = 'f';
	}
	return verdict;
}

/* In shell patterns' place: a case runs when its function's sentence contains the word. */
static bool wanted(const struct test_case *test, int count, char **words)
{
	while (count--)
		if (strstr(test->name, words[count]))
			return true;
	return false;
}

int test_load(void)
{
	const char *more = getenv("RESCH_PARAMS");
	char params[200];

	snprintf(params, sizeof(params), TEST_PARAMS " %s %s", test_params, more ? more : "");
	return module_load("resch", params);
}

int main(int argc, char **argv)
{
	int number = 0, failed = 0, skipped = 0, err;
	struct test_case *test;
	char left[120] = "";
	cpu_set_t first;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		puts("needs two CPUs");
		return SKIPPED;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	err = test_load();
	if (err) {
		printf("resch.ko does not load: %s\n", strerror(-err));
		return 1;
	}
	for (test = cases; test; test = test->next) {
		uint64_t begin = resch_now();
		char verdict;

		if (argc > 1 && !wanted(test, argc - 1, argv + 1))
			continue;
		verdict = case_run(test);
		failed += verdict == 'f';
		skipped += verdict == 's';
		printf("%sok %d - %s%s%s (%llu ms)\n", verdict == 'f' ? "not " : "", ++number,
		       test->name,
		       verdict == 's' ? " # SKIP " :
		       verdict == 'f' ? ": " :
					"",
		       verdict == 'p' ? "" : report->text,
		       (unsigned long long)((resch_now() - begin) / MS));
	}
	printf("1..%d\n", number);
	if (modules_unload(left, sizeof(left))) {
		printf("not ok - the modules can't be unloaded: %s\n", left);
		return 1;
	}
	if (number && skipped == number) {
		printf("%s\n", report->text);
		return SKIPPED;
	}
	if (failed)
		printf("%d of %d cases failed\n", failed, number);
	return failed != 0;
}
