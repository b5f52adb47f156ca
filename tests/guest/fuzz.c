// SPDX-License-Identifier: GPL-2.0
/* fuzz.c - random requests with random contents; afterwards everything works */
#include "lib.h"

#include <sys/resource.h>

#define CALLS 20000
#define TIME (6 * SEC) /* or less, where the machine is slow ... */
#define ENOUGH 50 /* ... but so many succeed, however long it takes */
#define STUCK (100 * MS) /* a call may rightly sleep for hours: then its process is killed */

struct fuzz {
	atomic_int calls;
	atomic_int succeeded;
	atomic_uint last; /* request */
};

static struct fuzz *fuzz;
static uint64_t seed;

static uint64_t random_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t limit)
{
	return random_number() % limit;
}

static uint64_t interesting(void)
{
	static const uint64_t numbers[] = {
		0,
		1,
		2,
		3,
		4,
		5,
		64,
		1000,
		4096,
		10000,
		1000000,
		10000000,
		3600000000000,
		3600000000001,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffffffffffffffff,
	};

	return below(4) ? numbers[below(sizeof(numbers) / sizeof(*numbers))] : random_number();
}

static void fill(void *to, size_t size)
{
	uint32_t *words = to;
	size_t i;

	memset(to, 0, size);
	for (i = 0; i < size / 4; i++)
		if (!below(3))
			words[i] = interesting();
}

static const char *name(void)
{
	static const char *const names[] = { "edf",    "fp",	 "demo",   "fifo",
					     "fifo",   "fifo",	 "",	   "sixteen-letters-",
					     "Zz\n%s", "server", "server", "server" };

	return names[below(sizeof(names) / sizeof(*names))];
}

/* Parameters that may be taken, but for one thing or two. */
static void almost_right(struct resch_register *reg)
{
	memset(reg, 0, sizeof(*reg));
	*reg = periodic((1 + below(20)) * MS, 100000);
	reg->params.kind = below(3);
	reg->params.overrun = below(6);
	reg->params.miss = below(6);
	if (reg->params.overrun == RESCH_SIGNAL || reg->params.miss == RESCH_SIGNAL)
		reg->params.signal = SIGURG;
	reg->params.cpu = below(3) - 1;
	reg->params.group = below(2) ? below(8) : 0;
	while (!below(2))
		((uint32_t *)reg)[below(sizeof(*reg) / 4)] = interesting();
}

static void almost_right_domain(struct resch_domain_set *want)
{
	memset(want, 0, sizeof(*want));
	want->domain = below(2) ? below(20) : 0;
	if (!want->domain)
		want->cpus.bits[0] = below(4);
	snprintf(want->plugin, sizeof(want->plugin), "%s", name());
	while (!below(3))
		((uint32_t *)want)[below(sizeof(*want) / 4)] = interesting();
}

static void almost_right_server(struct resch_server_set *want)
{
	memset(want, 0, sizeof(*want));
	want->domain = below(20);
	want->id = below(2) ? below(8) : 0;
	want->params.period = (1 + below(20)) * MS;
	want->params.budget = want->params.period / (1 + below(6));
	want->params.kind = below(4);
	want->params.policy = below(6);
	want->params.quantum = want->params.policy == RESCH_SERVER_RR ? MS : 0;
	want->params.cpu = below(3) - 1;
	want->params.flags = below(2);
	while (!below(3))
		((uint32_t *)want)[below(sizeof(*want) / 4)] = interesting();
}

static void one(int fd, char *memory)
{
	static const unsigned long requests[] = {
		RESCH_IOC_INFO,	       RESCH_IOC_REGISTER,    RESCH_IOC_UNREGISTER,
		RESCH_IOC_WAIT,	       RESCH_IOC_DELAY,	      RESCH_IOC_RELEASE,
		RESCH_IOC_START,       RESCH_IOC_TASK_STAT,   RESCH_IOC_DOMAIN_SET,
		RESCH_IOC_DOMAIN_DEL,  RESCH_IOC_DOMAIN_STAT, RESCH_IOC_PLUGIN_LOAD,
		RESCH_IOC_PLUGIN_STAT, RESCH_IOC_SERVER_SET,  RESCH_IOC_SERVER_SET,
		RESCH_IOC_SERVER_DEL,  RESCH_IOC_SERVER_STAT,
	};
	uint32_t request = requests[below(sizeof(requests) / sizeof(*requests))];
	struct resch_register *reg = (struct resch_register *)memory;
	/* Never a thread that isn't ours: nobody should have to suffer for it. */
	const int32_t pids[] = { 0, 0, 0, 0, gettid(), -1, 2, 0x7fffffff };
	void *argument = memory;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN | POLLOUT };
	long result;

	switch (below(24)) {
	case 0:
		fcntl(fd, F_SETFL, O_NONBLOCK);
		result = read(fd, below(4) ? memory : NULL, below(4096));
		goto done;
	case 1:
		result = poll(&poll_fd, 1, below(3));
		goto done;
	case 2:
		result = below(4) ? fdatasync(fd) : fsync(fd);
		goto done;
	case 3:
		result = write(fd, memory, below(64));
		goto done;
	case 4:
		result = lseek(fd, below(100), SEEK_SET);
		goto done;
	case 5:
		result = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
		goto done;
	}
	fill(memory, 16384);
	if (request == RESCH_IOC_REGISTER && below(4))
		almost_right(reg);
	if (request == RESCH_IOC_DOMAIN_SET && below(4))
		almost_right_domain((struct resch_domain_set *)memory);
	if (request == RESCH_IOC_SERVER_SET && below(4))
		almost_right_server((struct resch_server_set *)memory);
	if (request == RESCH_IOC_SERVER_DEL && below(2)) {
		((struct resch_server_del *)memory)->domain = below(20);
		((struct resch_server_del *)memory)->id = below(8);
	}
	if (request == RESCH_IOC_PLUGIN_LOAD)
		snprintf(memory, 16, "%s", name());
	if (request == RESCH_IOC_DELAY && below(4))
		((struct resch_delay *)memory)->until = resch_now() + below(3 * MS);
	if (request == RESCH_IOC_START && below(2))
		((struct resch_start *)memory)->time = resch_now() + below(3 * MS);
	if (_IOC_NR(request) == _IOC_NR(RESCH_IOC_REGISTER))
		reg->pid = pids[below(sizeof(pids) / sizeof(*pids))];
	/* Another size, another direction, another number, another magic, another place. */
	if (!below(6))
		request = (request & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
			  (uint32_t)below(1 << _IOC_SIZEBITS) << _IOC_SIZESHIFT;
	if (!below(12))
		request ^= (uint32_t)(1 + below(3)) << _IOC_DIRSHIFT;
	if (!below(24) && _IOC_NR(request) != _IOC_NR(RESCH_IOC_REGISTER))
		request = (request & ~0xffU) | (32 + below(200));
	if (!below(24))
		request ^= 1U << (_IOC_TYPESHIFT + below(8));
	if (!below(16))
		argument = below(2) ? NULL : memory + 16384 - 8;
	atomic_store(&fuzz->last, request);
	result = ioctl(fd, request, argument);
done:
	if (result >= 0)
		atomic_fetch_add(&fuzz->succeeded, 1);
	atomic_fetch_add(&fuzz->calls, 1);
}

static void nothing(int signal)
{
	(void)signal;
}

static int process(void *arg)
{
	const struct rlimit limit = { .rlim_cur = 64, .rlim_max = 64 };
	struct sigaction action = { .sa_handler = nothing };
	char *memory;
	int fd, i;

	seed = *(uint64_t *)arg;
	setrlimit(RLIMIT_NOFILE, &limit);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP)
			sigaction(i, &action, NULL);
	/* Behind it, nothing. */
	memory = mmap(NULL, 16384 + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	mprotect(memory + 16384, 4096, PROT_NONE);
	for (;;) {
		fd = resch_open();
		if (fd < 0)
			return 1;
		for (i = 0; i < 300; i++) {
			/* Sleeps end by signals, where they may. */
			alarm(0);
			ualarm(3000, 0);
			one(fd, memory);
		}
		close(fd);
	}
	return 0;
}

static bool fuzz_goes_on(uint64_t end)
{
	return atomic_load(&fuzz->succeeded) <= ENOUGH ||
	       (atomic_load(&fuzz->calls) < CALLS && resch_now() < end);
}

TEST(fuzz, "20000 random requests, or as many as fit into some seconds")
{
	struct resch_domain_stat stat;
	struct resch_task_stat task;
	uint64_t start = 20261121, began, end = resch_now() + TIME;
	int calls, rounds = 0;
	pid_t pid;

	must(module_load("resch-edf", ""));
	must(module_load("resch-fp", ""));
	must(module_load("resch-demo", ""));
	must(module_load("resch-server", ""));
	fuzz = shared(sizeof(*fuzz));
	while (fuzz_goes_on(end)) {
		start += 0x9e3779b97f4a7c15;
		pid = child(process, &start);
		/* To begin takes longer than any call. */
		began = resch_now() + 10 * STUCK;
		calls = atomic_load(&fuzz->calls);
		while (fuzz_goes_on(end)) {
			sleep_ms(5);
			if (atomic_load(&fuzz->calls) != calls) {
				calls = atomic_load(&fuzz->calls);
				began = resch_now();
			} else if (resch_now() > began + STUCK) {
				break;
			}
			check(waitpid(pid, NULL, WNOHANG) == 0, "the process ended at request %x",
			      atomic_load(&fuzz->last));
		}
		kill(pid, SIGKILL);
		child_wait(pid);
		rounds++;
	}
	printf("# %d calls in %d processes, %d succeeded\n", atomic_load(&fuzz->calls), rounds,
	       atomic_load(&fuzz->succeeded));
	fflush(stdout);
	await(tasks_registered() == 0);
	memset(&task, 0, sizeof(task));
	check_is(must(resch_task_next(dev, &task)), 0);
	memset(&stat, 0, sizeof(stat));
	while (must(resch_domain_next(dev, &stat)) == 1) {
		check_is(stat.tasks, 0);
		must(resch_domain_del(dev, stat.domain));
	}
	check_is(info().domains, 0);
	/* And it works. */
	{
		struct task after = { .reg = periodic(30 * MS, 3 * MS) };

		use("edf");
		task_start(&after, body_idle);
		await(atomic_load(&after.jobs) >= 5);
		task_join(&after);
	}
}

static void body_delay(struct task *task)
{
	task_wait(task);
	atomic_store(&task->step, 1);
	task->result = resch_delay(dev, *(uint64_t *)task->arg);
	atomic_store(&task->step, 2);
}

TEST(never, "a delay until the end of time")
{
	static uint64_t ends[] = { RESCH_NEVER, RESCH_NEVER - 1, INT64_MAX,
				   (uint64_t)INT64_MAX + 1 };
	struct task task, other;
	unsigned int i;

	use("edf");
	for (i = 0; i < 4; i++) {
		memset(&task, 0, sizeof(task));
		task.reg = periodic(20 * MS, 2 * MS);
		task.arg = &ends[i];
		task.unregistered_end = true;
		task_start(&task, body_delay);
		await(state_of(task.id) == RESCH_STATE_BLOCKED);
		/* Alone, and with somebody else who needs the CPU's timer. */
		sleep_ms(100);
		check_is(state_of(task.id), RESCH_STATE_BLOCKED);
		memset(&other, 0, sizeof(other));
		other.reg = periodic(30 * MS, 3 * MS);
		task_start(&other, body_idle);
		await(atomic_load(&other.jobs) >= 4);
		task_join(&other);
		check_is(atomic_load(&task.step), 1);
		check_is(state_of(task.id), RESCH_STATE_BLOCKED);
		must(resch_unregister(dev, task.id));
		task_join(&task);
		check_is(task.result, -ECANCELED);
	}
}

TEST(files, "what the device does not do")
{
	struct resch_event event;
	struct pollfd poll_fd = { .fd = dev, .events = POLLIN };

	check_is(call(dev, _IO(RESCH_IOC_MAGIC, 99), NULL), -ENOTTY);
	check_is(call(dev, _IO('x', 1), NULL), -ENOTTY);
	check(write(dev, "x", 1) == -1, "write() works");
	check(lseek(dev, 0, SEEK_SET) == -1 && errno == ESPIPE, "lseek() works");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, dev, 0) == MAP_FAILED, "mmap() works");
	check(fdatasync(dev) == -1 && errno == ENOENT, "fdatasync() of an unregistered thread: %s",
	      strerror(errno));
	check_is(poll(&poll_fd, 1, 0), 0);
	fcntl(dev, F_SETFL, O_NONBLOCK);
	check(read(dev, &event, sizeof(event)) == -1 && errno == EAGAIN,
	      "read() with no events: %s", strerror(errno));
	check(read(dev, &event, sizeof(event) - 1) == -1 && errno == EINVAL,
	      "read() of too little: %s", strerror(errno));
}
