// SPDX-License-Identifier: GPL-2.0
/* events.c - what read() and poll() on the device do */
#include "lib.h"

/* The last job does not complete, so its overrun may be seen or not. */
static void body_overruns(struct task *task)
{
	int jobs = (long)task->arg;

	while (jobs--) {
		task_wait(task);
		spin(200000);
	}
}

/* A task each of whose jobs overruns. */
static struct resch_register overruns(void)
{
	struct resch_register reg = periodic(MS, 1000);

	reg.params.overrun = RESCH_NOTIFY;
	return reg;
}

TEST(in_order, "events come whole, in order, one for each overrun")
{
	struct task task = { .reg = overruns(), .arg = (void *)20 };
	struct resch_event events[64];
	int count, i;

	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	count = must(resch_event_read(dev, events, 64));
	check(count == 19 || count == 20, "%d events of 20 overruns", count);
	for (i = 0; i < count; i++) {
		check_is(events[i].type, RESCH_EVENT_OVERRUN);
		check_is(events[i].task, task.id);
		check_is(events[i].job, i + 1);
		if (i)
			check(events[i].time >= events[i - 1].time,
			      "event %d is older than the one before", i);
	}
	check_is(resch_event_wait(dev, 0), 0);
}

TEST(sizes, "a buffer for half an event is EINVAL, one for two and a half gets two")
{
	struct task task = { .reg = overruns(), .arg = (void *)5 };
	struct resch_event events[3];

	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	check(read(dev, events, sizeof(events[0]) - 1) < 0 && errno == EINVAL,
	      "half an event can be read");
	check(read(dev, events, 0) <= 0, "nothing can be read");
	check_is(read(dev, events, sizeof(events) - 1), 2 * sizeof(events[0]));
	check_is(events[1].job, 2);
	check(read(dev, events, sizeof(events)) >= (ssize_t)(2 * sizeof(events[0])),
	      "the others are not there");
	check_is(events[0].job, 3);
	check_is(resch_event_wait(dev, 0), 0);
}

TEST(fault, "what could not be handed over is not lost")
{
	struct task task = { .reg = overruns(), .arg = (void *)5 };
	struct resch_event events[8];
	char *pages =
		mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t got;

	must_libc(munmap(pages + 4096, 4096));
	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	check(read(dev, pages + 4096, sizeof(events)) < 0 && errno == EFAULT,
	      "what has no place is handed over");
	/* Room for one and a half. */
	check_is(read(dev, pages + 4096 - sizeof(events[0]) * 3 / 2, sizeof(events)),
		 sizeof(events[0]));
	got = read(dev, events, sizeof(events));
	check(got >= (ssize_t)(2 * sizeof(events[0])), "the others are not there");
	check_is(events[0].job, 2);
	check_is(events[1].job, 3);
	check_is(resch_event_wait(dev, 0), 0);
}

/* A thread that reads one event after the other; with nowhere to put it, it tries for ever. */
struct reader {
	pthread_t thread;
	void *nowhere;
	atomic_int events;
	atomic_int error; /* what has ended it */
};

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	struct resch_event event;
	ssize_t got;

	for (;;) {
		got = read(dev, reader->nowhere ?: &event, sizeof(event));
		if (got == sizeof(event))
			atomic_fetch_add(&reader->events, 1);
		else if (got >= 0 || errno != EFAULT || !reader->nowhere)
			break;
	}
	atomic_store(&reader->error, got < 0 ? errno : -1);
	return NULL;
}

/* Of all readers together; fails the case if one has ended. */
static int events_read(struct reader *readers, int count)
{
	int sum = 0;

	while (count--) {
		check(!atomic_load(&readers[count].error), "a reader has ended: %s",
		      strerror(atomic_load(&readers[count].error)));
		sum += atomic_load(&readers[count].events);
	}
	return sum;
}

/* Tasks overrun @jobs times each. What is told of one has been read before the next begins. */
static void readers_run(struct reader *readers, int count, int tasks, long jobs)
{
	cpu_set_t all;
	int i, seen = 0;

	use("edf");
	memset(&all, -1, sizeof(all));
	must_libc(sched_setaffinity(0, sizeof(all), &all));
	for (i = 0; i < count; i++)
		check(!pthread_create(&readers[i].thread, NULL, reader_main, &readers[i]),
		      "no thread");
	while (tasks--) {
		struct task task = { .reg = overruns(), .arg = (void *)jobs };

		task_start(&task, body_overruns);
		task_join(&task);
		await(events_read(readers, count) >= seen + jobs - 1);
		sleep_ms(1);
		seen = events_read(readers, count);
	}
	for (i = 0; i < count; i++) {
		pthread_cancel(readers[i].thread);
		pthread_join(readers[i].thread, NULL);
	}
}

TEST(readers, "readers of one descriptor wait until there is an event for them")
{
	struct reader readers[8] = {};

	readers_run(readers, 8, 1, 300);
}

TEST(reader_fault, "what one can't be handed goes to another one that waits")
{
	struct reader readers[2] = { { .nowhere = (void *)8 } };

	readers_run(readers, 2, 150, 2);
}

TEST(own, "a descriptor has the events of its own tasks only")
{
	struct task task = { .reg = overruns(), .arg = (void *)5 };
	int other = resch_open();

	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	check_is(resch_event_wait(other, 0), 0);
	check_is(resch_event_wait(dev, 0), 1);
}

TEST(lost, "what nobody reads is lost, and counted; the oldest stay")
{
	struct task task = { .reg = overruns(), .arg = (void *)400 };
	static struct resch_event events[512];
	uint64_t lost = info().events_lost;
	int count;

	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	count = must(resch_event_read(dev, events, 512));
	check(count >= 128 && count < 400, "%d events", count);
	lost = info().events_lost - lost + count;
	check(lost == 399 || lost == 400, "%llu events of 400 overruns", (unsigned long long)lost);
	check_is(events[0].job, 1);
	check_is(events[count - 1].job, count);
}

TEST(nonblocking, "without events a read is EAGAIN where that was asked for")
{
	struct resch_event event;

	fcntl(dev, F_SETFL, O_NONBLOCK);
	refused(resch_event_read(dev, &event, 1), EAGAIN);
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST(interrupted, "a read that sleeps is ended by a signal")
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct resch_event event;

	sigaction(SIGALRM, &action, NULL);
	ualarm(50000, 0);
	refused(resch_event_read(dev, &event, 1), EINTR);
	ualarm(50000, 0);
	refused(resch_event_wait(dev, -1), EINTR);
}

TEST(bad_pointer, "a read to nowhere is EFAULT")
{
	struct task task = { .reg = overruns(), .arg = (void *)3 };

	use("edf");
	task_start(&task, body_overruns);
	task_join(&task);
	check(syscall(SYS_read, dev, 8L, 64) < 0 && errno == EFAULT,
	      "it can be read to nowhere: %s", strerror(errno));
}
