// SPDX-License-Identifier: GPL-2.0
/*
 * breath.c - an admission test that takes long holds up nobody else: neither who calls the module
 * for his jobs, nor the CPU that it is on; nor does the end of many tasks
 *
 * How long is never judged: what others do while one and the same request is under way is counted.
 */
#include "lib.h"

#include <limits.h>

#define HOUR (3600 * SEC)

/*
 * Three tasks of nearly coprime periods that need nearly all of a CPU: their response times are
 * found after some nine million steps, or, where each breath takes time, nine hundred thousand.
 */
static const struct {
	uint64_t period, wcet;
} greedy[2][3] = {
	{ { 10007, 3166 }, { 10009, 3399 }, { 10037, 3453 } },
	{ { 10007, 3165 }, { 10009, 3400 }, { 10037, 3453 } },
};
static int slow;

static struct task stands[2], wanted, asks;
static atomic_uint asking; /* odd: a request is under way */
static uint32_t domain;

static struct resch_register greedy_task(int which)
{
	struct resch_register reg = sporadic(greedy[slow][which].period, greedy[slow][which].wcet);

	reg.params.deadline = HOUR - SEC;
	return reg;
}

/* Needs nothing, and is below all these. */
static struct resch_register modest_task(void)
{
	struct resch_register reg = wakeup(HOUR, 1);

	reg.params.cpu = CPU;
	return reg;
}

static void body_stands(struct task *task)
{
	while (!task->stop)
		sleep_ms(5);
}

/* Has the third task admitted, again and again. */
static void body_asks(struct task *task)
{
	struct resch_register reg;

	if (!task->id)
		pin(0, (const char *)task->arg);
	while (!task->stop) {
		reg = greedy_task(2);
		reg.params.flags = 0;
		asking++;
		must(resch_register_thread(dev, wanted.tid, &reg));
		asking++;
		must(resch_unregister(dev, reg.id));
	}
}

static void begin(const char *cpu)
{
	struct resch_domain_set want = { .plugin = "fp", .capacity = 1000000 };
	int i;

	slow = !cpu;
	must(module_load("resch-fp", ""));
	must(resch_cpus_parse("1", &want.cpus));
	must(resch_domain_set(dev, &want));
	domain = want.domain;
	for (i = 0; i < 2; i++) {
		stands[i].reg = greedy_task(i);
		task_start(&stands[i], body_stands);
	}
	thread_start(&wanted, body_stands);
	asks.arg = (void *)cpu;
	if (cpu) {
		thread_start(&asks, body_asks);
	} else {
		asks.reg = modest_task();
		task_start(&asks, body_asks);
	}
}

static void end(void)
{
	asks.stop = 1;
	task_join(&asks);
	wanted.stop = 1;
	task_join(&wanted);
	stands[0].stop = stands[1].stop = 1;
	task_join(&stands[0]);
	task_join(&stands[1]);
}

/*
 * How often @counter is counted up at most while one request is under way: as often as this, sooner
 * or later.
 */
#define OFTEN 6

static void await_often(const atomic_ullong *counter)
{
	uint64_t until = resch_now() + PATIENCE * SEC, first, most = 0;
	unsigned int now;

	while (most < OFTEN) {
		check(resch_now() < until, "%llu at most during a request",
		      (unsigned long long)most);
		now = asking;
		first = *counter;
		while (now & 1 && now == asking) {
			uint64_t seen = *counter - first;

			if (now == asking && seen > most)
				most = seen;
			sleep_ms(1);
		}
	}
}

static atomic_ullong calls;
static atomic_int calls_end;

static void *calls_main(void *arg)
{
	struct resch_task_stat stat;
	struct resch_info now;
	long err;

	(void)arg;
	pin(0, "0");
	while (!calls_end) {
		err = resch_release(dev, stands[0].id);
		check(!err || err == -ENOSPC, "release: %s", errno_name(err));
		must(resch_task_stat(dev, stands[0].id, &stat));
		must(resch_info(dev, &now));
		calls++;
		sleep_ms(1);
	}
	return NULL;
}

TEST(calls, "releases, and queries for tasks and counts, are served while an admission goes on")
{
	pthread_t thread;

	begin("2");
	must_libc(pthread_create(&thread, NULL, calls_main, NULL));
	await_often(&calls);
	calls_end = 1;
	pthread_join(thread, NULL);
	end();
}

static atomic_ullong turns;

static void *turns_main(void *arg)
{
	(void)arg;
	pin(0, "2");
	must(attributes_set(0, SCHED_FIFO, 90, 0, 0));
	while (!calls_end) {
		turns++;
		sleep_ms(1);
	}
	return NULL;
}

TEST(fifo, "a SCHED_FIFO thread gets the CPU on which an admission goes on")
{
	pthread_t thread;

	begin("2");
	must_libc(pthread_create(&thread, NULL, turns_main, NULL));
	await_often(&turns);
	calls_end = 1;
	pthread_join(thread, NULL);
	end();
}

static void body_turns(struct task *task)
{
	while (!task->stop) {
		turns++;
		sleep_ms(1);
	}
}

TEST(own, "so do registered tasks when one of them has asked for it")
{
	struct task other = { .reg = modest_task() };

	begin(NULL);
	task_start(&other, body_turns);
	await_often(&turns);
	other.stop = 1;
	task_join(&other);
	end();
}

/*
 * Threads that are tasks of a descriptor which another thread closes. Who is more urgent, on that
 * one's CPU, sees the first of them gone and the last one not, if it gets the CPU in between.
 */
#define CROWD 600

static uint32_t crowd[CROWD]; /* their ids, in the order in which they end */
static int crowd_end[2]; /* a pipe, which is closed then */
static atomic_int closing;
static atomic_ullong amid;

static void *crowd_main(void *arg)
{
	atomic_int *tid = arg;
	char byte;

	*tid = (int)syscall(SYS_gettid);
	/* No turns meanwhile: of so many they would be all that a slow CPU gets done. */
	while (read(crowd_end[0], &byte, 1) < 0 && errno == EINTR)
		;
	return NULL;
}

static bool crowd_gone(int which)
{
	struct resch_task_stat stat;

	return resch_task_stat(dev, crowd[which], &stat) < 0 || stat.state == RESCH_STATE_GONE;
}

static void *amid_main(void *arg)
{
	(void)arg;
	pin(0, "2");
	must(attributes_set(0, SCHED_FIFO, 90, 0, 0));
	while (!calls_end) {
		if (closing && crowd_gone(0) && !crowd_gone(CROWD - 1))
			amid++;
		sleep_ms(1); /* long beside a look, or nobody would ever close */
	}
	return NULL;
}

static void crowd_close(const atomic_int *tids)
{
	int fd = must(resch_open()), i;

	for (i = 0; i < CROWD; i++) {
		struct resch_register reg = modest_task();

		reg.params.flags |= RESCH_F_SKIP_ADMISSION;
		must(resch_register_thread(fd, tids[i], &reg));
		crowd[i] = reg.id;
	}
	closing = 1;
	must_libc(close(fd));
	closing = 0;
	await(tasks_registered() == 0);
}

TEST(close, "a SCHED_FIFO thread gets the CPU on which a descriptor with many tasks is closed")
{
	static pthread_t threads[CROWD];
	static atomic_int tids[CROWD];
	uint64_t until;
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	use("edf");
	must_libc(pipe(crowd_end));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN > 16384 ? PTHREAD_STACK_MIN : 16384);
	for (i = 0; i < CROWD; i++)
		check(!pthread_create(&threads[i], &attr, crowd_main, &tids[i]), "no thread %d", i);
	for (i = 0; i < CROWD; i++)
		await(tids[i]);
	pin(0, "2");
	must_libc(pthread_create(&thread, NULL, amid_main, NULL));
	until = resch_now() + PATIENCE * SEC;
	while (!amid) {
		check(resch_now() < until, "the CPU was never to be had meanwhile");
		crowd_close(tids);
	}
	calls_end = 1;
	pthread_join(thread, NULL);
	must_libc(close(crowd_end[1]));
	for (i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
}

/*
 * A reader of low rank who is kept from the CPU at times, always for longer than a request takes.
 * It is a SCHED_FIFO one, since the kernel gives ordinary threads some time beside those.
 */
static atomic_ullong reads, kept, done;

static void *reads_main(void *arg)
{
	struct resch_domain_stat stat;
	struct resch_plugin_stat plugin;

	(void)arg;
	pin(0, "2");
	must(attributes_set(0, SCHED_FIFO, 1, 0, 0));
	while (!calls_end) {
		must(resch_domain_stat(dev, domain, &stat));
		must(resch_plugin_stat(dev, 0, &plugin));
		reads++;
	}
	return NULL;
}

static void *keeps_main(void *arg)
{
	uint64_t until;

	(void)arg;
	pin(0, "2");
	must(attributes_set(0, SCHED_FIFO, 90, 0, 0));
	while (!calls_end) {
		sleep_ms(3);
		/* As long as it takes for a request to come and go. */
		until = done + 1;
		kept++; /* odd */
		while (done <= until && !calls_end)
			relax();
		kept++;
	}
	return NULL;
}

#define ROUNDS 500

TEST(reader, "whoever reads, and then gets no CPU for long, holds up no request")
{
	pthread_t reader, keeper;
	unsigned int i;

	domain = use("edf");
	pin(0, "0");
	/* PREEMPT_RT: whoever waits for a reader lends it his priority. */
	must(attributes_set(0, SCHED_FIFO, 95, 0, 0));
	must_libc(pthread_create(&reader, NULL, reads_main, NULL));
	await(reads > 3);
	must_libc(pthread_create(&keeper, NULL, keeps_main, NULL));
	for (i = 0; i < ROUNDS || reads <= ROUNDS; i++) {
		await(kept > 2ULL * i); /* or several requests would be one round */
		must(resch_plugin_load(dev, "edf"));
		done++;
		must(resch_plugin_load(dev, "edf"));
		done++;
	}
	calls_end = 1;
	pthread_join(reader, NULL);
	pthread_join(keeper, NULL);
}
