// SPDX-License-Identifier: GPL-2.0
/*
 * faults.c - each memory allocation and each copy fails, of what is no request: opening, mapping,
 * children of members, loading and unloading; faults_requests.c has the requests
 *
 * Of a load only what the module itself asks for fails: after some failures of what the kernel asks
 * for then, ftrace takes no module any more.
 *
 * resch-test: timeout=300
 */
#include "trial.h"

#define WORKQUEUES "/sys/kernel/slab/pool_workqueue/"

static uint32_t domain, made;
static int opened = -1;

static void closed(void)
{
	if (opened >= 0)
		close(opened);
	opened = -1;
}

static long act_open(void)
{
	opened = open("/dev/resch", O_RDWR | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

TEST(open_device, "the device is opened")
{
	each_fails(&(struct trial){ closed, act_open, report_all });
}

static void *page = MAP_FAILED;

static void unmapped(void)
{
	if (page != MAP_FAILED)
		munmap(page, getpagesize());
	page = MAP_FAILED;
}

static long act_map(void)
{
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, opened, 0);
	return page == MAP_FAILED ? -errno : 0;
}

TEST(server_map, "a server's page is mapped")
{
	domain = use("server");
	made = server_make(domain, 10 * MS, 50 * MS);
	opened = must(resch_server_open(dev, domain, made));
	each_fails(&(struct trial){ unmapped, act_map, report_all });
	closed();
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
static void childless(void)
{
	if (forked > 0)
		child_ok(forked);
	forked = 0;
	await(tasks_registered() == 1);
}

static void tell_members(struct report *report)
{
	report_say(report, "%u tasks", tasks_registered());
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
	each_fails(&(struct trial){ childless, act_fork, tell_members });
}

static long act_load(void)
{
	return test_load();
}

/* The last references may be on their way out. */
static void unloaded(void)
{
	int err;

	await(!(err = module_unload("resch")) || err == -ENOENT);
}

static bool is_loaded(void)
{
	return module_loaded("resch") || !access("/dev/resch", F_OK);
}

static void tell_loaded(struct report *report)
{
	report_say(report, is_loaded() ? "it is there" : "it is not there");
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
	each_fails(&(struct trial){ unloaded, act_load, tell_loaded });
	await(workqueues() < before + 10);
	must(act_load());
}

static const char *plugin;

static void no_plugin(void)
{
	int err;

	await(!(err = module_unload(plugin)) || err == -ENOENT);
}

static long act_plugin(void)
{
	return module_load(plugin, "");
}

static void tell_plugin(struct report *report)
{
	report_all(report);
	report_say(report, module_loaded(plugin) ? "it is there" : "it is not there");
}

TEST(load_plugins, "each plugin is loaded")
{
	static const char *const plugins[] = { "resch-artis", "resch-demo", "resch-edf",
					       "resch-fp",    "resch-npsf", "resch-sekg",
					       "resch-server" };
	unsigned int i;

	faults_of_modules();
	for (i = 0; i < sizeof(plugins) / sizeof(*plugins); i++) {
		plugin = plugins[i];
		each_fails(&(struct trial){ no_plugin, act_plugin, tell_plugin });
	}
}

TEST(unload, "the module is unloaded, which is never refused, after it had a task and a domain")
{
	struct resch_register reg = periodic(50 * MS, MS);
	unsigned int nth;
	bool failed = true;

	faults_of_modules();
	for (nth = 1; failed; nth++) {
		domain = use("edf");
		must(resch_register_self(dev, &reg));
		must(resch_unregister(dev, 0));
		must(domain_swap(domain, "fifo", NULL));
		must(module_unload("resch-edf"));
		close(dev);
		fail_nth(nth);
		unloaded();
		failed = has_failed();
		fail_nth(0);
		check(!is_loaded(), "it is still there, when number %u fails", nth);
		must(act_load());
		dev = must(resch_open());
	}
	printf("# %u times\n", nth - 1);
	check(nth > 2, "nothing has failed");
}
