// SPDX-License-Identifier: GPL-2.0
/*
 * faults.c - each memory allocation and each copy from and to user space of each request fails
 *
 * A thread can ask the kernel that the Nth of its next allocations or copies fails
 * (/proc/thread-self/fail-nth, with CONFIG_FAULT_INJECTION). For N = 1, 2, ... until there are not
 * that many: the request is refused for want of memory or of the copy, and then all is as before;
 * or it succeeds nevertheless. Kernels without that are skipped: debug kernels have it.
 *
 * Of a load only what the module itself asks for fails: after some failures of what the kernel asks
 * for then, ftrace takes no module any more.
 *
 * resch-test: timeout=300
 */
#include "stages.h"

#define DEBUGFS "/sys/kernel/debug/"
#define WORKQUEUES "/sys/kernel/slab/pool_workqueue/"
#define MANY 1000 /* no request has as many */

/* ---- the kernel's injection ------------------------------------------------------------------ */

/* Of the calling thread; open all the time, since an open() could fail, too. */
static int nth_file;

/* Only what code from this address on asks for, itself or by what it calls. */
static char asking[24] = "0";

/* Also allocations that may sleep, which are left out by default; without a trace of each. */
static void faults_on(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[80];
	int i;

	if (access("/proc/thread-self/fail-nth", W_OK))
		skip("this kernel can't make allocations fail (CONFIG_FAULT_INJECTION)");
	nth_file = must_libc(open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC));
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
static void faults_of_modules(void)
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

/* The Nth fails from now on; 0: none. The copy of this number may be what fails. */
static void fail_nth(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);

	while (write(nth_file, text, size) != size)
		;
}

/* Has it failed by now? */
static bool has_failed(void)
{
	char text[16] = "";

	return pread(nth_file, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static uint32_t domain, made;
static int opened;

struct trial {
	long (*act)(void); /* 0 or more, or -errno */
	void (*undo)(void); /* what it has done */
	uint64_t (*state)(void); /* what it would change */
};

/* How many there are of what requests make. */
static uint64_t counts(void)
{
	struct resch_info now = info();

	return now.tasks + (now.domains << 8) + (now.plugins << 16) +
	       ((uint64_t)(domain ? servers_of(domain) : 0) << 32);
}

static void each_fails(const struct trial *trial)
{
	uint64_t before = trial->state();
	unsigned int nth, refusals = 0;
	bool failed = true;
	long result;

	faults_on();
	for (nth = 1; failed; nth++) {
		check(nth < MANY, "%u allocations and copies, and still more", nth);
		fail_nth(nth);
		result = trial->act();
		failed = has_failed();
		fail_nth(0);
		if (result >= 0) {
			trial->undo();
		} else {
			check(failed, "%s though none has failed", errno_name(result));
			check(result == -ENOMEM || result == -EFAULT || result == -EAGAIN,
			      "%s, when number %u fails", errno_name(result), nth);
			refusals++;
		}
		/* A result that can't be told is one all the same: the last copy. */
		if (result == -EFAULT && trial->state() != before)
			trial->undo();
		check(trial->state() == before, "%#llx, not %#llx, when number %u fails: %s",
		      (unsigned long long)trial->state(), (unsigned long long)before, nth,
		      errno_name(result));
	}
	printf("# %u times, %u refusals\n", nth - 1, refusals);
	check(refusals, "nothing has been refused");
}

/* ---- requests -------------------------------------------------------------------------------- */

static long act_open(void)
{
	opened = open("/dev/resch", O_RDWR | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

static void undo_open(void)
{
	close(opened);
}

TEST(open_device, "the device is opened")
{
	each_fails(&(struct trial){ act_open, undo_open, counts });
}

static long act_domain(void)
{
	struct resch_domain_set want = { .plugin = "fp" };
	int err;

	must(resch_cpus_parse("1", &want.cpus));
	err = resch_domain_set(dev, &want);
	return err;
}

static void undo_domain(void)
{
	struct resch_domain_stat stat = {};

	while (resch_domain_next(dev, &stat) == 1)
		must(resch_domain_del(dev, stat.domain));
}

TEST(domain_new, "a domain is made")
{
	must(module_load("resch-fp", ""));
	each_fails(&(struct trial){ act_domain, undo_domain, counts });
}

static struct task standing[2];

static void standing_start(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		standing[i].reg = periodic((20 + i) * MS, MS);
		task_start(&standing[i], body_idle);
	}
}

static void standing_end(void)
{
	task_join(&standing[0]);
	task_join(&standing[1]);
}

static long act_swap(void)
{
	struct resch_domain_set want = { .domain = domain, .plugin = "edf" };

	return resch_domain_set(dev, &want);
}

static void undo_swap(void)
{
	must(domain_swap(domain, "fp", NULL));
}

static uint64_t is_edf(void)
{
	return counts() << 1 | !strcmp(domain_stat(domain).plugin, "edf");
}

TEST(domain_swap, "a domain with tasks changes its plugin")
{
	domain = use("fp");
	must(module_load("resch-edf", ""));
	standing_start();
	each_fails(&(struct trial){ act_swap, undo_swap, is_edf });
	standing_end();
}

static long act_register(void)
{
	struct resch_register reg = periodic(50 * MS, MS);

	return resch_register_self(dev, &reg);
}

static void undo_register(void)
{
	struct resch_task_stat stat = {};

	/* its number may not have been told */
	while (resch_task_next(dev, &stat) == 1)
		must(resch_unregister(dev, stat.id));
}

TEST(register_self, "a thread registers itself")
{
	struct attributes before = attributes_of(0);

	domain = use("edf");
	each_fails(&(struct trial){ act_register, undo_register, counts });
	attributes_await(0, &before, "the case");
}

static long act_member(void)
{
	struct resch_register reg = in_server(made, 50 * MS, MS);

	return resch_register_self(dev, &reg);
}

TEST(register_member, "a thread registers itself in a server")
{
	domain = use("server");
	made = server_make(domain, 10 * MS, 50 * MS);
	each_fails(&(struct trial){ act_member, undo_register, counts });
}

static long act_server(void)
{
	struct resch_server_set want = server_of(domain, MS, 10 * MS);

	return server_set(&want);
}

static void undo_server(void)
{
	struct resch_server_stat stat = { .domain = domain };

	while (resch_server_next(dev, &stat) == 1)
		must(server_del(domain, stat.id));
}

TEST(server_new, "a server is made")
{
	domain = use("server");
	each_fails(&(struct trial){ act_server, undo_server, counts });
}

static long act_page(void)
{
	struct resch_server_open request = { .domain = domain, .id = made };

	opened = -1;
	return call(dev, RESCH_IOC_SERVER_OPEN, &request) ?: (opened = request.fd, 0);
}

static void undo_page(void)
{
	if (opened >= 0)
		close(opened);
}

TEST(server_page, "a server's page is opened")
{
	domain = use("server");
	made = server_make(domain, 10 * MS, 50 * MS);
	each_fails(&(struct trial){ act_page, undo_page, counts });
}

static long act_plan(void)
{
	static const struct resch_reserve plan = { .group = 1, .cpu = CPU, .end = 50 * MS };
	uint64_t from;
	int err;

	/* A plan whose time has come may still have to wait for a CPU of its domain. */
	do {
		from = 0;
		err = resch_plan_set(dev, domain, 100 * MS, &from, &plan, 1, NULL);
	} while (err == -EAGAIN);
	return err;
}

static void undo_nothing(void)
{
}

TEST(plan, "a plan is put in force")
{
	domain = use("sekg");
	each_fails(&(struct trial){ act_plan, undo_nothing, counts });
}

static long act_guard(void)
{
	struct resch_guard_set want = { .domain = domain, .flags = RESCH_GUARD_ON };

	return call(dev, RESCH_IOC_GUARD_SET, &want);
}

static void undo_guard(void)
{
	guard_off(domain);
}

static uint64_t is_guarded(void)
{
	struct resch_balance_stat stat = { .domain = domain, .cpu = -1 };

	return counts() << 1 | !call(dev, RESCH_IOC_BALANCE_STAT, &stat);
}

TEST(guard, "a domain is guarded")
{
	domain = use("fifo");
	each_fails(&(struct trial){ act_guard, undo_guard, is_guarded });
}

static long act_query(void)
{
	struct resch_info now;
	struct resch_domain_stat stat;
	int err = resch_info(dev, &now);

	return err ? err : resch_domain_stat(dev, domain, &stat);
}

TEST(queries, "queries are made")
{
	domain = use("edf");
	each_fails(&(struct trial){ act_query, undo_nothing, counts });
}

static uint32_t rows[2];

static long act_chain(void)
{
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);

	want.count = 2;
	return chain_make(dev, &want, rows, NULL);
}

static uint64_t chains(void)
{
	struct resch_chain_stat stat = {};
	uint64_t count = 0;

	while (resch_chain_next(dev, &stat, NULL, 0, NULL) == 1)
		count++;
	return counts() << 8 | count;
}

/* its number may not have been told */
static void undo_chain(void)
{
	struct resch_chain_stat stat = {};

	while (resch_chain_next(dev, &stat, NULL, 0, NULL) == 1)
		must(resch_chain_del(dev, stat.id));
}

static long act_chain_query(void)
{
	struct resch_stage_stat stages[2];
	uint64_t histogram[RESCH_CHAIN_BUCKETS];
	struct resch_chain_stat stat = {};
	int found = resch_chain_next(dev, &stat, stages, 2, histogram);

	return found == 1 ? 0 : found ?: -ENOENT;
}

static long act_chain_page(void)
{
	struct resch_chain_open request = { .id = made };

	opened = -1;
	return call(dev, RESCH_IOC_CHAIN_OPEN, &request) ?: (opened = request.fd, 0);
}

TEST(chain, "a chain is made, asked how it is, and opened")
{
	struct task tasks[2] = { { .reg = sporadic(MS, MS / 10) },
				 { .reg = sporadic(MS, MS / 10) } };
	struct resch_chain_stat stat = {};
	int i;

	domain = use("edf");
	for (i = 0; i < 2; i++) {
		task_start(&tasks[i], body_idle);
		rows[i] = tasks[i].id;
		must(resch_chain_offer(dev, rows[i], stage_key(rows[i])));
		await(state_of(rows[i]) == RESCH_STATE_SLEEPING);
	}
	each_fails(&(struct trial){ act_chain, undo_chain, chains });
	must(act_chain());
	each_fails(&(struct trial){ act_chain_query, undo_nothing, chains });
	must(resch_chain_next(dev, &stat, NULL, 0, NULL));
	made = stat.id;
	each_fails(&(struct trial){ act_chain_page, undo_page, chains });
	undo_chain();
	for (i = 0; i < 2; i++) {
		atomic_store(&tasks[i].stop, 1);
		await(atomic_load(&tasks[i].ended) || !resch_release(dev, rows[i]));
		task_join(&tasks[i]);
	}
}

/* A member of a server has a child: it is a member, too, or there is none. */
static pid_t forked;

static long act_fork(void)
{
	/* fork() would copy all of the address space: hundreds of allocations, none of them ours */
	forked = vfork();
	if (!forked)
		_exit(0);
	return forked < 0 ? -errno : 0;
}

/* The child has ended, its registration may do so yet. */
static void undo_fork(void)
{
	child_ok(forked);
	await(tasks_registered() == 1);
}

static uint64_t is_member(void)
{
	return tasks_registered();
}

TEST(fork_member, "a member of a server with its family has a child")
{
	struct resch_register reg = {
		.params = { .kind = RESCH_WAKEUP, .cpu = -1, .flags = RESCH_F_FAMILY },
	};

	domain = use("server");
	made = server_make(domain, 10 * MS, 50 * MS);
	reg.params.group = made;
	must(resch_register_self(dev, &reg));
	each_fails(&(struct trial){ act_fork, undo_fork, is_member });
}

static long act_load(void)
{
	return test_load();
}

/* The last references may be on their way out. */
static void undo_load(void)
{
	await(!module_unload("resch"));
}

static uint64_t is_loaded(void)
{
	return module_loaded("resch") << 1 | !access("/dev/resch", F_OK);
}

/*
 * How many parts of workqueues the kernel has. All of them are on a list, so that one that is left
 * behind is none that kmemleak would tell.
 */
static long workqueues(void)
{
	char text[200];

	file_write(WORKQUEUES "shrink", "1"); /* what was freed is not held by KASAN any more */
	check(file_read(WORKQUEUES "objects", text, sizeof(text)), WORKQUEUES "objects: %s",
	      strerror(errno));
	return atol(text);
}

TEST(load, "the module is loaded")
{
	char left[120];
	long before;

	faults_of_modules();
	close(dev);
	check(!modules_unload(left, sizeof(left)), "still loaded:%s", left);
	before = workqueues();
	each_fails(&(struct trial){ act_load, undo_load, is_loaded });
	await(workqueues() < before + 10);
	must(act_load());
}

TEST(unload, "the module is unloaded, which is never refused, after it had a task and a domain")
{
	unsigned int nth;
	bool failed = true;

	faults_of_modules();
	for (nth = 1; failed; nth++) {
		domain = use("edf");
		must(act_register());
		undo_register();
		must(domain_swap(domain, "fifo", NULL));
		must(module_unload("resch-edf"));
		close(dev);
		fail_nth(nth);
		undo_load();
		failed = has_failed();
		fail_nth(0);
		check(!is_loaded(), "it is still there, when number %u fails", nth);
		must(act_load());
		dev = must(resch_open());
	}
	printf("# %u times\n", nth - 1);
	check(nth > 2, "nothing has failed");
}
