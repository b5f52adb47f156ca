// SPDX-License-Identifier: GPL-2.0
/* lib.c - what the guest tests written in C share, see lib.h */
#include "lib.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <time.h>

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

unsigned int test_limit = 30;
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

const char *errno_name(long error)
{
	static __thread char number[32];
	const char *name;

	if (error >= 0) {
		snprintf(number, sizeof(number), error ? "%ld" : "success", error);
		return number;
	}
	name = strerrorname_np(-error);
	if (name)
		return name;
	snprintf(number, sizeof(number), "error %ld", -error);
	return number;
}

long call(int fd, unsigned long request, void *argument)
{
	long result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

/* ---- time ------------------------------------------------------------------------------------ */

void sleep_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * SEC + time.tv_nsec;
}

void spin(uint64_t ns)
{
	uint64_t end = cpu_time() + ns;

	while (cpu_time() < end)
		;
}

void spin_until(const atomic_int *flag)
{
	while (!atomic_load(flag))
		;
}

/* ---- modules --------------------------------------------------------------------------------- */

int module_load(const char *name, const char *params)
{
	const char *modules = getenv("RESCH_MODULES");
	char path[PATH_MAX];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s.ko", modules ? modules : "/resch/modules", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

/* File names have dashes where the kernel has underscores. */
static const char *module_name(const char *name, char *text, size_t size)
{
	char *dash;

	snprintf(text, size, "%s", name);
	while ((dash = strchr(text, '-')))
		*dash = '_';
	return text;
}

int module_unload(const char *name)
{
	char text[64];

	return syscall(SYS_delete_module, module_name(name, text, sizeof(text)), O_NONBLOCK) ?
		       -errno :
		       0;
}

bool module_loaded(const char *name)
{
	char text[64], path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate",
		 module_name(name, text, sizeof(text)));
	return !access(path, F_OK);
}

/* Remove the plugins, then the core. A reference may be on its way out still: some patience. */
static int modules_unload(char *left, size_t size)
{
	uint64_t end = resch_now() + 5 * SEC;
	char line[512], name[64];
	int users, count;
	FILE *file;

	for (;;) {
		count = 0;
		file = fopen("/proc/modules", "r");
		while (file && fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%63s %*u %d", name, &users) != 2 ||
			    strncmp(name, "resch", 5))
				continue;
			count++;
			snprintf(left, size, "%s (%d users)", name, users);
			if (!users)
				syscall(SYS_delete_module, name, O_NONBLOCK);
		}
		if (file)
			fclose(file);
		if (!count || resch_now() > end)
			return count;
		sleep_ms(2);
	}
}

/* ---- domains --------------------------------------------------------------------------------- */

uint32_t domain_on(const char *cpus, const char *plugin, const char *options)
{
	struct resch_domain_set set = { .domain = 0 };
	char name[64];

	snprintf(name, sizeof(name), "resch-%s", plugin);
	if (strcmp(plugin, "fifo"))
		must(module_load(name, ""));
	must(resch_cpus_parse(cpus, &set.cpus));
	snprintf(set.plugin, sizeof(set.plugin), "%s", plugin);
	snprintf(set.options, sizeof(set.options), "%s", options ? options : "");
	must(resch_domain_set(dev, &set));
	return set.domain;
}

uint32_t use(const char *plugin)
{
	return domain_on("1", plugin, NULL);
}

int domain_swap(uint32_t domain, const char *plugin, const char *options)
{
	struct resch_domain_set set = { .domain = domain };
	char name[64];

	snprintf(name, sizeof(name), "resch-%s", plugin);
	if (strcmp(plugin, "fifo"))
		module_load(name, "");
	snprintf(set.plugin, sizeof(set.plugin), "%s", plugin);
	snprintf(set.options, sizeof(set.options), "%s", options ? options : "");
	return resch_domain_set(dev, &set);
}

struct resch_domain_stat domain_stat(uint32_t domain)
{
	struct resch_domain_stat stat;

	memset(&stat, 0, sizeof(stat));
	must(resch_domain_stat(dev, domain, &stat));
	return stat;
}

struct resch_info info(void)
{
	struct resch_info now;

	memset(&now, 0, sizeof(now));
	must(resch_info(dev, &now));
	return now;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct resch_register periodic(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = {
		.params = {
			.period = period,
			.wcet = wcet,
			.kind = RESCH_PERIODIC,
			.cpu = CPU,
			.flags = RESCH_F_SKIP_ADMISSION,
		},
	};

	return reg;
}

struct resch_register sporadic(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.kind = RESCH_SPORADIC;
	return reg;
}

struct resch_register wakeup(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.kind = RESCH_WAKEUP;
	return reg;
}

static void *task_main(void *arg)
{
	struct task *task = arg;
	int err;

	task->tid = gettid();
	if (task->registered) {
		err = resch_register_self(dev, &task->reg);
		if (err)
			fail("a task could not register: %s", errno_name(err));
		task->id = task->reg.id;
	}
	atomic_store(&task->registered, 2);
	task->body(task);
	if (task->id && !task->unregistered_end) {
		err = resch_unregister(dev, 0);
		if (err)
			fail("a task could not unregister: %s", errno_name(err));
	}
	atomic_store(&task->ended, 1);
	return NULL;
}

static void task_run(struct task *task, void (*body)(struct task *task), int registered)
{
	pthread_attr_t attr;
	int err;

	task->body = body;
	atomic_store(&task->registered, registered);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	err = pthread_create(&task->thread, &attr, task_main, task);
	pthread_attr_destroy(&attr);
	if (err)
		fail("pthread_create: %s", strerror(err));
	while (atomic_load(&task->registered) != 2)
		sleep_ms(1);
}

void task_start(struct task *task, void (*body)(struct task *task))
{
	task_run(task, body, 1);
}

void thread_start(struct task *task, void (*body)(struct task *task))
{
	task_run(task, body, 0);
}

void task_join(struct task *task)
{
	struct timespec end;
	int err;

	atomic_store(&task->stop, 1);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	err = pthread_timedjoin_np(task->thread, NULL, &end);
	if (err)
		fail("task %d (thread %d, state %s) does not end: %s", task->number, task->tid,
		     resch_state_name(state_of(task->id)), strerror(err));
}

void task_wait(struct task *task)
{
	int err;

	do
		err = resch_wait(dev, &task->job);
	while (err == -EINTR);
	if (err)
		fail("task %d: resch_wait: %s", task->number, errno_name(err));
	atomic_fetch_add(&task->jobs, 1);
}

void body_idle(struct task *task)
{
	while (!atomic_load(&task->stop))
		task_wait(task);
}

void body_spin(struct task *task)
{
	task_wait(task);
	spin_until(&task->stop);
}

struct resch_task_stat stat_of(uint32_t id)
{
	struct resch_task_stat stat;
	int err;

	memset(&stat, 0, sizeof(stat));
	err = resch_task_stat(dev, id, &stat);
	if (err)
		fail("statistics of task %u: %s", id, errno_name(err));
	return stat;
}

uint32_t state_of(uint32_t id)
{
	struct resch_task_stat stat;

	memset(&stat, 0, sizeof(stat));
	return resch_task_stat(dev, id, &stat) ? RESCH_STATE_GONE : stat.state;
}

char proc_state(pid_t tid)
{
	char path[64], text[512], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (!file_read(path, text, sizeof(text)))
		return 'X';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 'X';
}

uint32_t tasks_registered(void)
{
	return info().tasks;
}

/* ---- what a thread was ----------------------------------------------------------------------- */

/* Newer C libraries have struct sched_attr, older ones haven't. */
struct attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

struct attributes attributes_of(pid_t tid)
{
	struct attributes now;
	struct attr attr;

	memset(&now, 0, sizeof(now));
	memset(&attr, 0, sizeof(attr));
	must_libc(syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0));
	now.policy = attr.policy;
	now.flags = attr.flags & FLAG_RESET_ON_FORK;
	now.priority = attr.priority;
	/* Real-time threads have a nice value, too: for later. */
	now.nice = attr.policy == SCHED_OTHER || attr.policy == SCHED_BATCH ? attr.nice : 0;
	must_libc(sched_getaffinity(tid, sizeof(now.cpus), &now.cpus));
	return now;
}

static void attributes_text(const struct attributes *attributes, char *text, size_t size)
{
	int used, cpu;

	used = snprintf(text, size, "policy %u priority %u nice %d flags %llu CPUs",
			attributes->policy, attributes->priority, attributes->nice,
			(unsigned long long)attributes->flags);
	for (cpu = 0; cpu < 64; cpu++)
		if (CPU_ISSET(cpu, &attributes->cpus) && used < (int)size)
			used += snprintf(text + used, size - used, " %d", cpu);
}

static bool attributes_equal(const struct attributes *a, const struct attributes *b)
{
	return a->policy == b->policy && a->flags == b->flags && a->nice == b->nice &&
	       a->priority == b->priority && CPU_EQUAL(&a->cpus, &b->cpus);
}

void attributes_check(pid_t tid, const struct attributes *before, const char *who)
{
	struct attributes now = attributes_of(tid);
	char is[120], was[120];

	if (attributes_equal(&now, before))
		return;
	attributes_text(&now, is, sizeof(is));
	attributes_text(before, was, sizeof(was));
	fail("%s has %s; it had %s", who, is, was);
}

void attributes_await(pid_t tid, const struct attributes *before, const char *who)
{
	uint64_t end = resch_now() + 5 * SEC;
	struct attributes now;

	do {
		now = attributes_of(tid);
		if (attributes_equal(&now, before))
			return;
		sleep_ms(2);
	} while (resch_now() < end);
	attributes_check(tid, before, who);
}

int attributes_set(pid_t tid, uint32_t policy, uint32_t priority, int32_t nice, uint64_t flags)
{
	struct attr attr = {
		.size = sizeof(attr),
		.policy = policy,
		.flags = flags,
		.nice = nice,
		.priority = priority,
	};

	return syscall(SYS_sched_setattr, tid, &attr, 0) ? -errno : 0;
}

void pin(pid_t tid, const char *cpus)
{
	struct resch_cpus wanted;
	cpu_set_t set;
	int cpu;

	memset(&wanted, 0, sizeof(wanted));
	must(resch_cpus_parse(cpus, &wanted));
	CPU_ZERO(&set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (resch_cpus_has(&wanted, cpu))
			CPU_SET(cpu, &set);
	must_libc(sched_setaffinity(tid, sizeof(set), &set));
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

/* ---- processes and files --------------------------------------------------------------------- */

pid_t child(int (*body)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(body(arg));
	}
	return pid;
}

int child_wait(pid_t pid)
{
	uint64_t end = resch_now() + 15 * SEC;
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG))) {
		if (resch_now() > end)
			fail("process %d (state %c) does not end", pid, proc_state(pid));
		sleep_ms(1);
	}
	check(got == pid, "waitpid: %s", strerror(errno));
	return status;
}

void child_ok(pid_t pid)
{
	int status = child_wait(pid);

	check(WIFEXITED(status), "process %d died of signal %d", pid, WTERMSIG(status));
	check(!WEXITSTATUS(status), "process %d ended with status %d", pid, WEXITSTATUS(status));
}

void *shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	return memory;
}

bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (close(fd))
		done = false;
	return done;
}

bool file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	return true;
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

/* Wait for the case; its wait status, or -1: it ran past the limit. */
static int case_end(pid_t pid)
{
	uint64_t end = resch_now() + test_limit * SEC;
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
	uint64_t end = resch_now() + 5 * SEC;
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
		snprintf(report->text, sizeof(report->text), "no end within %u s; %s", test_limit,
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

int main(int argc, char **argv)
{
	const char *more = getenv("RESCH_PARAMS");
	int number = 0, failed = 0, skipped = 0, err;
	struct test_case *test;
	char params[200], left[120] = "";
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
	snprintf(params, sizeof(params), "%s %s", test_params, more ? more : "");
	err = module_load("resch", params);
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
