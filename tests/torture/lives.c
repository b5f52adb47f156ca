// SPDX-License-Identifier: GPL-2.0
/* lives.c - what processes do until they are killed, see torture.h */
#include "torture.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "thread-attr.h"

#define THREADS 4

/* ---- what most do ---------------------------------------------------------------------------- */

void life_leave(struct life *life)
{
	union argument argument = { .unregister = { .id = 0 } };

	request(life, REQUEST_UNREGISTER, &argument);
	life->task = 0;
}

/* What a thread may do to itself, registered or not. */
static void own_attributes(struct life *life)
{
	struct thread_attr attr = { .nice = below(life, 40) - 20 };
	cpu_set_t cpus;

	happened(EVENT_OWN);
	switch (below(life, 5)) {
	case 0:
		CPU_ZERO(&cpus);
		CPU_SET(below(life, world->cpus), &cpus);
		CPU_SET(below(life, world->cpus), &cpus);
		sched_setaffinity(0, sizeof(cpus), one_in(life, 8) ? NULL : &cpus);
		break;
	case 1:
		setpriority(PRIO_PROCESS, 0, attr.nice);
		break;
	case 2:
		attr.policy = one_in(life, 2) ? SCHED_BATCH : SCHED_OTHER;
		thread_attr_set(0, &attr);
		break;
	case 3:
		attr = (struct thread_attr){ .policy = one_in(life, 2) ? SCHED_FIFO : SCHED_RR,
					     .priority = 1 + below(life, 60),
					     .flags = below(life, 2) };
		thread_attr_set(0, &attr);
		break;
	case 4:
		/* Not with CPUs that go offline: docs/hardening.md, 12 */
		if (world->options.hotplug)
			break;
		attr = (struct thread_attr){ .policy = SCHED_DEADLINE,
					     .runtime = MS,
					     .deadline = 20 * MS,
					     .period = 20 * MS };
		thread_attr_set(0, &attr);
		attr = (struct thread_attr){ .policy = SCHED_OTHER };
		thread_attr_set(0, &attr);
		break;
	}
}

static void child_once(struct life *life)
{
	pid_t pid = one_in(life, 4) ? vfork() : fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return;
	happened(EVENT_FORKS);
	if (!one_in(life, 4))
		waitpid(pid, NULL, 0);
}

/* Computing is in small portions: it may be that nobody else has the CPU meanwhile. */
static void compute(struct life *life)
{
	spin(below(life, 3 * MS));
}

void life_something(struct life *life)
{
	int wanted = request_wanted(life);

	if (wanted != NONE && one_in(life, 4))
		request_likely(life, wanted);
	switch (below(life, 12)) {
	case 0:
		own_attributes(life);
		break;
	case 1:
		child_once(life);
		break;
	case 2:
		usleep(below(life, 5000));
		break;
	case 3:
		request_likely(life, REQUEST_DELAY);
		break;
	case 4:
		request_likely(life, REQUEST_TASK_STAT);
		break;
	case 5:
		sched_yield();
		break;
	default:
		compute(life);
	}
}

/* ---- servers --------------------------------------------------------------------------------- */

static bool server_kind_any(struct life *life, bool passive)
{
	union argument argument;
	int turns;

	if (!domain_under(life, "server"))
		return false;
	for (turns = 0; turns < 6; turns++)
		if (server_any(life, life->domain.domain) &&
		    (life->server.params.kind == RESCH_SERVER_PASSIVE) == passive)
			return true;
	request_fill(life, REQUEST_SERVER_SET, &argument);
	argument.server_set.id = 0;
	argument.server_set.params.kind = passive ? RESCH_SERVER_PASSIVE : RESCH_SERVER_CBS_HARD;
	argument.server_set.params.policy = RESCH_SERVER_EDF;
	argument.server_set.params.quantum = 0;
	argument.server_set.params.flags = RESCH_SERVER_F_PERSIST;
	argument.server_set.plugin[0] = '\0';
	argument.server_set.options[0] = '\0';
	if (request(life, REQUEST_SERVER_SET, &argument))
		return false;
	life->server.id = argument.server_set.id;
	life->server.params = argument.server_set.params;
	life->server.params.cpu = argument.server_set.cpu;
	return true;
}

static bool join(struct life *life, bool passive, uint32_t flags)
{
	union argument argument;
	struct resch_register *reg = &argument.register_;

	life_leave(life);
	if (!server_kind_any(life, passive))
		return false;
	memset(&argument, 0, sizeof(argument));
	reg->domain = life->domain.domain;
	reg->params.kind = RESCH_WAKEUP;
	reg->params.flags = flags;
	reg->params.group = life->server.id;
	reg->params.cpu = -1;
	if (!(flags & RESCH_F_FAMILY)) {
		reg->params.period = 50 * MS;
		reg->params.wcet = MS;
	}
	return !request(life, REQUEST_REGISTER, &argument);
}

/* One of a server's family, whose children are members, too; some stay behind. */
static void live_family(struct life *life)
{
	unsigned int children;
	pid_t pid;

	if (!join(life, false, RESCH_F_FAMILY))
		return;
	for (children = below(life, 12); children; children--) {
		pid = fork();
		if (!pid) {
			while (!one_in(life, 8))
				life_something(life);
			_exit(0);
		}
		if (pid > 0)
			happened(EVENT_FORKS);
		life_something(life);
		if (one_in(life, 3))
			request_likely(life, REQUEST_SERVER_SET);
		if (one_in(life, 3))
			request_likely(life, REQUEST_SERVER_STAT);
	}
	if (one_in(life, 2))
		life_leave(life);
	while (one_in(life, 2) && waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* A server's page, and when it has used up its budget. */
static void live_page(struct life *life)
{
	union argument argument;
	struct pollfd poll_fd = { .events = POLLIN };
	uint64_t count;
	void *page;

	request_fill(life, REQUEST_SERVER_OPEN, &argument);
	/* Not by request(), which closes it. */
	if (call(life->fd, RESCH_IOC_SERVER_OPEN, &argument))
		return;
	poll_fd.fd = argument.server_open.fd;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, poll_fd.fd, 0);
	poll(&poll_fd, 1, below(life, 50));
	fcntl(poll_fd.fd, F_SETFL, O_NONBLOCK);
	if (read(poll_fd.fd, &count, sizeof(count)) < 0)
		life_something(life);
	if (one_in(life, 2))
		close(poll_fd.fd);
	if (page != MAP_FAILED && *(volatile uint32_t *)page % 2)
		sched_yield();
	if (page != MAP_FAILED && one_in(life, 2))
		munmap(page, 4096);
	close(poll_fd.fd);
}

static void live_provider(struct life *life)
{
	union argument argument;
	unsigned int turns;
	uint32_t own;

	if (!join(life, true, RESCH_F_SKIP_ADMISSION))
		return;
	own = life->server.id;
	for (turns = 5 + below(life, 40); turns; turns--) {
		if (request_likely(life, REQUEST_SERVE)) {
			usleep(below(life, 2000));
			continue;
		}
		life_something(life);
		memset(&argument, 0, sizeof(argument));
		/* Of others like it, for the same client. */
		argument.call.server = own;
		argument.call.flags = one_in(life, 2) ? RESCH_CALL_F_WAIT : 0;
		if (one_in(life, 3))
			request(life, REQUEST_CALL, &argument);
		memset(&argument, 0, sizeof(argument));
		if (!one_in(life, 10))
			request(life, REQUEST_SERVE_END, &argument);
	}
	if (!one_in(life, 4))
		life_leave(life);
}

/* A passive server of the CPU of the server that was joined. */
static uint32_t provider_of(struct life *life)
{
	struct resch_server_stat mine = life->server;
	int turns;

	for (turns = 0; turns < 8; turns++)
		if (server_any(life, life->domain.domain) &&
		    life->server.params.kind == RESCH_SERVER_PASSIVE &&
		    (mine.params.cpu < 0 || life->server.params.cpu == mine.params.cpu))
			return life->server.id;
	return 0;
}

static void live_client(struct life *life)
{
	union argument argument;
	unsigned int turns;

	if (!join(life, false, RESCH_F_SKIP_ADMISSION))
		return;
	for (turns = 5 + below(life, 30); turns; turns--) {
		memset(&argument, 0, sizeof(argument));
		argument.call.server = provider_of(life);
		if (!argument.call.server)
			break;
		argument.call.flags = below(life, 4);
		request(life, REQUEST_CALL, &argument);
		life_something(life);
		request_likely(life, REQUEST_CALL_END);
		if (one_in(life, 4))
			request_likely(life, REQUEST_CALL_END);
	}
	if (!one_in(life, 4))
		life_leave(life);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static void live_guard(struct life *life)
{
	unsigned int turns;

	request_likely(life, REQUEST_GUARD_SET);
	for (turns = below(life, 20); turns; turns--) {
		request_likely(life, REQUEST_GUARD_LEND);
		compute(life);
		request_likely(life, one_in(life, 2) ? REQUEST_BALANCE_SET : REQUEST_GUARD_STAT);
		life_something(life);
	}
	if (!one_in(life, 4))
		request_likely(life, REQUEST_GUARD_SET);
}

/* ---- ordinary load --------------------------------------------------------------------------- */

static void memory_use(struct life *life)
{
	size_t size = (1 + below(life, 8)) << 20, at;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	for (at = 0; at < size; at += 4096)
		memory[at] = at;
	madvise(memory, size / 2, one_in(life, 2) ? MADV_DONTNEED : MADV_WILLNEED);
	munmap(memory, size);
}

void life_pipe(struct life *life)
{
	char byte = 0;
	int ends[2];

	if (pipe(ends))
		return;
	if (write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1)
		compute(life);
	close(ends[0]);
	close(ends[1]);
}

static void live_load(struct life *life)
{
	uint64_t end = resch_now() + below(life, 300) * MS;

	if (one_in(life, 3))
		setpriority(PRIO_PROCESS, 0, below(life, 20));
	while (resch_now() < end) {
		switch (below(life, 6)) {
		case 0:
			memory_use(life);
			break;
		case 1:
			life_pipe(life);
			break;
		case 2:
			child_once(life);
			break;
		case 3:
			life_something(life);
			break;
		default:
			spin(5 * MS);
		}
	}
}

/* ---- another program, another user ----------------------------------------------------------- */

static void live_exec(struct life *life)
{
	char seed[32], memory[16], file[16];
	char name[] = "torture", again[] = "--again";
	char *arguments[] = { name, again, memory, seed, file, NULL };
	int fd = one_in(life, 2) ? dup(life->fd) : -1; /* no close-on-exec */

	/* A thread that is registered, on a machine that has other programs, too. */
	if (one_in(life, 2))
		request_likely(life, REQUEST_REGISTER);
	snprintf(memory, sizeof(memory), "%d", world->fd);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)random_number(life));
	snprintf(file, sizeof(file), "%d", fd);
	happened(EVENT_EXECS);
	execv("/proc/self/exe", arguments);
}

/*
 * No rights any more, for this thread; what others may do to it, and it to others, has to be
 * refused.
 */
static void live_user(struct life *life)
{
	cpu_set_t cpus;
	unsigned int turns;
	union argument argument;

	syscall(SYS_setresuid, 65534, 65534, 65534);
	for (turns = below(life, 100); turns; turns--) {
		struct thread_attr attr = { .policy = SCHED_FIFO,
					    .priority = 1 + below(life, 20),
					    .flags = FLAG_RESET_ON_FORK };
		pid_t victim = world->sentinels[below(life, SENTINELS)].pid;

		CPU_ZERO(&cpus);
		CPU_SET(below(life, world->cpus), &cpus);
		switch (below(life, 4)) {
		case 0:
			if (!sched_setaffinity(victim, sizeof(cpus), &cpus))
				fail("uid 65534 has changed the affinity of a process of root");
			break;
		case 1:
			if (!thread_attr_set(victim, &attr))
				fail("uid 65534 has changed the policy of a process of root");
			break;
		case 2:
			thread_attr_set(0, &attr);
			break;
		default:
			request_any(life, &argument);
		}
	}
}

/* ---- a life ---------------------------------------------------------------------------------- */

static void live_requests(struct life *life)
{
	union argument argument;
	unsigned int turns;

	for (turns = below(life, 200); turns; turns--) {
		request_any(life, &argument);
		if (!world->options.eager && one_in(life, 6))
			usleep(below(life, 1000));
	}
}

static void live_exit(struct life *life)
{
	if (one_in(life, 2))
		_exit(0);
	pthread_exit(NULL);
}

static const struct {
	void (*live)(struct life *life);
	unsigned int weight;
} bodies[] = {
	{ live_requests, 20 }, { live_jobs, 25 },   { live_family, 8 }, { live_page, 6 },
	{ live_provider, 12 }, { live_client, 12 }, { live_guard, 6 },	{ live_load, 12 },
	{ live_chain, 12 },    { live_pool, 6 },    { live_exec, 2 },	{ live_user, 1 },
	{ live_exit, 1 },
};

static __thread struct life *self;

/* Within jobs, and between them: now and then it takes its time. */
static void handler(int signal)
{
	int error = errno;

	(void)signal;
	if (!self || !one_in(self, 4))
		return;
	if (one_in(self, 4))
		usleep(below(self, 3000));
	else
		compute(self);
	errno = error;
}

/* What sleeps in a call for too long is woken by a signal of the thread's own. */
static void alarms_start(struct life *life)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec times = { .it_interval.tv_nsec = (50 + below(life, 400)) * MS };
	timer_t timer;

	times.it_value = times.it_interval;
	event._sigev_un._tid = gettid();
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &times, NULL);
}

static void thread_live(struct life *life)
{
	unsigned int weights = 0, weight, i;

	life->reserves = calloc(RESCH_CALLS_MAX, sizeof(*life->reserves));
	self = life;
	alarms_start(life);
	for (i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		weights += bodies[i].weight;
	for (;;) {
		while (world->options.eager && !one_in(life, 12))
			live_requests(life);
		weight = below(life, weights);
		for (i = 0; weight >= bodies[i].weight; i++)
			weight -= bodies[i].weight;
		bodies[i].live(life);
	}
}

static void *thread_main(void *argument)
{
	thread_live(argument);
	return NULL;
}

static void life_live(uint64_t seed, int fd)
{
	static struct life lives[THREADS];
	struct sigaction action = { .sa_handler = handler };
	pthread_t thread;
	unsigned int i, count;

	for (i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP && i != SIGSEGV && i != SIGBUS && i != SIGILL)
			sigaction(i, &action, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 128, 128 });
	lives[0].seed = seed;
	groups_join(&lives[0]);
	if (fd < 0)
		fd = resch_open();
	count = 1 + below(&lives[0], THREADS);
	for (i = 0; i < count; i++) {
		lives[i].seed = (seed + i) * 0x9e3779b97f4a7c15 | 1;
		lives[i].fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (i)
			pthread_create(&thread, NULL, thread_main, &lives[i]);
	}
	close(fd);
	thread_live(&lives[0]);
}

void life_main(uint64_t number)
{
	happened(EVENT_LIVES);
	life_live((world->options.seed ^ number * 0x9e3779b97f4a7c15) | 1, -1);
	_exit(0);
}

void life_again(char **arguments)
{
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(arguments[0]),
		     0);
	if (world == MAP_FAILED)
		_exit(1);
	life_live(strtoull(arguments[1], NULL, 10) | 1, atoi(arguments[2]));
	_exit(0);
}
