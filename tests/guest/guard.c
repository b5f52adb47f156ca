// SPDX-License-Identifier: GPL-2.0
/*
 * guard.c - on a guarded CPU, who is not RT0 makes its system calls elsewhere
 *
 * CPU 1 is the RT CPU, CPU 0 the NRT one. Where a thread is in user mode the vDSO says, in a call
 * the system call getcpu.
 */
#include "lib.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>

#include "thread-attr.h"

#define ROUNDS 300

static struct resch_guard_stat stat_guard(uint32_t domain, uint64_t *calls)
{
	struct resch_guard_stat stat = {
		.domain = domain,
		.cpu = -1,
		.calls = (uint64_t)(uintptr_t)calls,
	};

	must(call(dev, RESCH_IOC_GUARD_STAT, &stat));
	return stat;
}

/*
 * On the RT CPU, in user mode. A page that is not there yet sends us home, and so does a signal:
 * once more then. On a slow machine a shower of signals leaves little time in between.
 */
static void visit(void)
{
	struct resch_guard_lend lend = { .cpu = CPU };
	int i;

	for (i = 0; i < 1000; i++) {
		must(call(dev, RESCH_IOC_GUARD_LEND, &lend));
		if (sched_getcpu() == CPU)
			return;
	}
	fail("not lent");
}

/* Where a system call's body runs. */
static int call_cpu(void)
{
	unsigned int cpu = 99;

	must_libc(syscall(SYS_getcpu, &cpu, NULL, NULL));
	return (int)cpu;
}

TEST(calls, "every call that is not exempt runs on the NRT CPU, and is counted")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	uint64_t calls[RESCH_CALLS_MAX];
	struct resch_guard_stat stat;
	int i, user;

	check_is(cpus_of(0), 1);
	for (i = 0; i < ROUNDS; i++) {
		visit();
		user = sched_getcpu();
		check_is(call_cpu(), 0);
		check(user == CPU || i < 5, "round %d: in user mode on CPU %d", i, user);
	}
	stat = stat_guard(domain, calls);
	check(stat.lent >= ROUNDS, "lent %llu times", (unsigned long long)stat.lent);
	check(calls[SYS_getcpu] > ROUNDS - 10 && calls[SYS_getcpu] <= ROUNDS,
	      "%llu calls counted, not %d", (unsigned long long)calls[SYS_getcpu], ROUNDS);
	check_is(stat.failed, 0);
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

TEST(exempt, "calls of the default list stay, and are counted")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	int i, user;

	visit();
	call_cpu(); /* its pages are there from here on */
	visit();
	for (i = 0; i < ROUNDS; i++)
		check_is(call_cpu(), CPU);
	user = sched_getcpu();
	check_is(user, CPU);
	check(stat_guard(domain, NULL).exempted >= ROUNDS, "not counted");
	sched_yield();
	check_is(sched_getcpu(), 0);
}

/* Does getcpu go home, with this list? Its pages are there before. */
static bool leaves_under(uint32_t domain, const struct resch_calls *exempt)
{
	struct resch_guard_set want = {
		.domain = domain,
		.flags = RESCH_GUARD_ON | RESCH_GUARD_MANUAL | RESCH_GUARD_EXEMPT,
		.exempt = *exempt,
	};

	must(call(dev, RESCH_IOC_GUARD_SET, &want));
	call_cpu();
	visit();
	return call_cpu() != CPU;
}

TEST(changed, "a guard whose list is changed goes by the new one at once")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	struct resch_calls getcpu_only = { 0 };
	int i;

	getcpu_only.bits[SYS_getcpu / 64] = 1ULL << (SYS_getcpu % 64);
	for (i = 0; i < 3; i++) {
		check(leaves_under(domain, &calls_none), "stays, and is not exempt");
		check(!leaves_under(domain, &getcpu_only), "leaves, and is exempt");
	}
}

/* Whether reading @clock, or asking for its resolution, sends who is lent home. */
static bool sends_home(long nr, clockid_t clock)
{
	struct timespec time;

	visit();
	syscall(nr, clock, &time);
	return sched_getcpu() != CPU;
}

TEST(clocks, "of the clocks, which are exempt, those that take locks send threads home")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	uint64_t calls[RESCH_CALLS_MAX];

	sends_home(SYS_clock_gettime, CLOCK_MONOTONIC); /* its pages are there from here on */
	stat_guard(domain, calls);
	check_is(calls[SYS_clock_gettime], 0);
	check(!sends_home(SYS_clock_gettime, CLOCK_MONOTONIC), "CLOCK_MONOTONIC");
	check(!sends_home(SYS_clock_gettime, CLOCK_TAI), "CLOCK_TAI");
	check(!sends_home(SYS_clock_getres, CLOCK_REALTIME), "CLOCK_REALTIME");
	check(sends_home(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID), "CLOCK_THREAD_CPUTIME_ID");
	check(sends_home(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID), "CLOCK_PROCESS_CPUTIME_ID");
	check(sends_home(SYS_clock_gettime, CLOCK_REALTIME_ALARM), "CLOCK_REALTIME_ALARM");
	check(sends_home(SYS_clock_getres, ~getpid() << 3 | 2), "the CPU clock of a process");
	stat_guard(domain, calls);
	check_is(calls[SYS_clock_gettime], 3);
	check_is(calls[SYS_clock_getres], 1);
}

TEST(makers, "calls that make threads or programs cannot be exempt")
{
	struct resch_guard_set want = {
		.domain = use("fifo"),
		.flags = RESCH_GUARD_ON | RESCH_GUARD_EXEMPT,
	};

	want.exempt.bits[SYS_clone / 64] = 1ULL << (SYS_clone % 64);
	refused(call(dev, RESCH_IOC_GUARD_SET, &want), EINVAL);
}

/* ---- RT0 ------------------------------------------------------------------------------------- */

static void is_rt0(uint32_t domain)
{
	uint64_t moved = stat_guard(domain, NULL).moved;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		check_is(call_cpu(), CPU);
		check_is(sched_getcpu(), CPU);
	}
	check_is(stat_guard(domain, NULL).moved, moved);
}

TEST(rt0_priority_first, "SCHED_FIFO 99, then bound to an RT CPU: RT0")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);

	must(attributes_set(0, SCHED_FIFO, 99, 0, 0));
	check_is(call_cpu(), 0);
	pin(0, "1");
	is_rt0(domain);
}

TEST(rt0_affinity_first, "bound to an RT CPU, then SCHED_FIFO 99: RT0, too")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);

	/* It named no NRT CPU: any of them is its home. */
	pin(0, "1");
	check(call_cpu() != CPU, "at home on the RT CPU");
	must(attributes_set(0, SCHED_FIFO, 99, 0, 0));
	is_rt0(domain);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
	check(call_cpu() != CPU, "at home on the RT CPU, again");
	guard_off(domain);
	check_is(cpus_of(0), 2);
}

TEST(rt0_registered, "a registered task is RT0")
{
	uint32_t domain = guard_on("edf", RESCH_GUARD_MANUAL, &calls_none);
	struct resch_register reg = periodic(20 * MS, 10 * MS);

	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	is_rt0(domain);
	must(resch_unregister(dev, reg.id));
	check_is(call_cpu(), 0);
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

/* ---- nothing else changes for those who are moved -------------------------------------------- */

static atomic_int alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void alarms_every(unsigned int us)
{
	struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	must_libc(sigaction(SIGALRM, &action, NULL));
	must_libc(setitimer(ITIMER_REAL, &every, NULL));
}

TEST(signals, "thousands of calls under a shower of signals have the right results")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	int pipes[2], i, got;
	char text[8];

	must_libc(pipe(pipes));
	alarms_every(2000);
	for (i = 0; i < 1500 || alarms <= 10; i++) {
		if (i % 5 == 0)
			visit();
		check_is(getppid() > 0, true);
		check_is(write(pipes[1], &i, sizeof(i)), sizeof(i));
		check_is(read(pipes[0], &got, sizeof(got)), sizeof(got));
		check_is(got, i);
		check_is(close(1000), -1);
		check_is(errno, EBADF);
		check_is(readlink("/nowhere", text, sizeof(text)), -1);
		check_is(errno, ENOENT);
		check_is(call_cpu(), 0);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	guard_off(domain);
}

static int body_says(void *arg)
{
	(void)arg;
	sleep_ms(1);
	return call_cpu();
}

static void *thread_says(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)call_cpu();
}

TEST(children, "fork, vfork, threads and exec from an RT CPU: at home, and back afterwards")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	atomic_int *there = shared(sizeof(*there));
	int wire[2], status;
	pthread_t thread;
	void *result;
	pid_t pid;

	must_libc(pipe(wire));
	visit();
	child_ok(child(body_says, NULL));
	visit();
	pid = vfork();
	if (!pid)
		_exit(7);
	must_libc(waitpid(pid, &status, 0));
	check_is(WEXITSTATUS(status), 7);
	visit();
	check_is(pthread_create(&thread, NULL, thread_says, NULL), 0);
	check_is(pthread_join(thread, &result), 0);
	check_is((intptr_t)result, 0);
	visit();
	pid = fork();
	if (!pid) {
		*there = 0;
		close(0);
		dup2(wire[0], 0);
		visit();
		*there = 1;
		execl("/bin/sh", "sh", "-c", "read x; [ \"$x\" = x ]", NULL);
		_exit(99);
	}
	await(*there);
	guard_off(domain);
	/* Born while its parent had NRT CPUs only, it has what its parent's user wanted. */
	check_is(cpus_of(pid), 3);
	check_is(write(wire[1], "x\n", 2), 2);
	must_libc(waitpid(pid, &status, 0));
	check_is(status, 0);
}

TEST(int80, "32-bit calls move, too")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	long result;

	visit();
	check_is(sched_getcpu(), CPU);
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(20L)
			 : "memory", "r8", "r9", "r10", "r11");
	check_is(sched_getcpu(), 0);
	check_is(result, getpid());
	check_is(stat_guard(domain, NULL).moved_other, 1);
}

static int traced(void *arg)
{
	int i;

	(void)arg;
	must_libc(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
	for (i = 0; i < 20; i++) {
		visit();
		syscall(SYS_getpgid, 0);
	}
	return 0;
}

TEST(traced, "a tracer sees each call once, with its result")
{
	int status, entries = 0, in = 0;
	pid_t pid;

	guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	pid = child(traced, NULL);
	must_libc(waitpid(pid, &status, 0));
	for (;;) {
		must_libc(ptrace(PTRACE_SYSCALL, pid, NULL, NULL));
		must_libc(waitpid(pid, &status, 0));
		if (WIFEXITED(status))
			break;
		in = !in;
		if (ptrace(PTRACE_PEEKUSER, pid, 8L * 15, NULL) != SYS_getpgid)
			continue;
		entries += in;
		if (!in)
			check(ptrace(PTRACE_PEEKUSER, pid, 8L * 10, NULL) > 0, "wrong result");
	}
	check_is(WEXITSTATUS(status), 0);
	check_is(entries, 20);
}

TEST(seccomp, "a filter judges each call once: what it refuses is refused")
{
	struct sock_filter filter[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getpgid },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 77 },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog program = { 4, filter };
	int i;

	/* Debug kernels may have been made without. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EINVAL)
		skip("this kernel has no seccomp filters");
	guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	must_libc(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must_libc(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	for (i = 0; i < 20; i++) {
		visit();
		check_is(syscall(SYS_getpgid, 0), -1);
		check_is(errno, 77);
		visit();
		check_is(call_cpu(), 0);
	}
}

static int reads(void *arg)
{
	int *wire = arg;
	char byte = 0;

	visit();
	if (read(wire[0], &byte, 1) != 1)
		return 1;
	return byte == 'b' && sched_getcpu() == 0 ? 0 : 2;
}

TEST(blocking, "a call that blocks wakes up on the NRT CPU")
{
	int wire[2];
	pid_t pid;

	guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	must_libc(pipe(wire));
	pid = child(reads, wire);
	await(proc_state(pid) == 'S');
	check_is(write(wire[1], "b", 1), 1);
	child_ok(pid);
}

/* ---- other doors ----------------------------------------------------------------------------- */

TEST(faults, "a page fault sends the thread away")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	visit();
	check_is(sched_getcpu(), CPU);
	*(volatile char *)page = 1;
	check_is(sched_getcpu(), 0);
	check(stat_guard(domain, NULL).faults >= 1, "not counted");
}

static int visits_forever(void *arg)
{
	atomic_int *there = arg;

	*there = 0; /* its page is there from here on: a fault would send it home */
	visit();
	*there = 1;
	for (;;) {
		if (sched_getcpu() != CPU)
			visit();
	}
	return 0;
}

TEST(killed, "who is killed on an RT CPU goes home to die")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, &calls_none);
	atomic_int *there = shared(sizeof(*there));
	int i;

	/* One may just have gone home for something else. */
	for (i = 0; i < 20 && !stat_guard(domain, NULL).signals; i++) {
		pid_t pid;

		*there = 0;
		pid = child(visits_forever, there);
		await(*there);
		must_libc(kill(pid, SIGKILL));
		check_is(child_wait(pid), SIGKILL);
	}
	check(stat_guard(domain, NULL).signals >= 1, "not counted");
	guard_off(domain);
}

/* ---- lending --------------------------------------------------------------------------------- */

static int computes(void *arg)
{
	atomic_int *seen = arg;

	for (;;)
		*seen |= 1 << sched_getcpu();
	return 0;
}

TEST(returns, "who computes gets the RT CPU; who is RT0 gets it first")
{
	uint32_t domain = guard_on("fifo", 0, NULL);
	atomic_int *seen = shared(sizeof(*seen));
	pid_t pid = child(computes, seen);

	await(*seen & 1 << CPU);
	await(cpus_of(pid) == 2); /* now: it may have been sent home, and lent again */
	check(stat_guard(domain, NULL).lent >= 1, "not counted");
	guard_off(domain);
	check_is(cpus_of(pid), 3);
	kill(pid, SIGKILL);
	child_wait(pid);
}

static int takes_turns(void *arg)
{
	struct thread_attr attr = { .policy = SCHED_RR, .priority = 10 };
	atomic_ullong *loops = arg;

	must_libc(thread_attr_set(0, &attr));
	atomic_fetch_add(loops, 1); /* its page is there from now on */
	visit();
	for (;;)
		atomic_fetch_add(loops, 1);
	return 0;
}

/* Until each of the two has had the CPU 15 times, 600 ms: was one taken back? */
static bool taken_back(uint32_t domain, atomic_ullong loops[2])
{
	uint64_t before = stat_guard(domain, NULL).recalled, had[2];
	bool back = false;
	pid_t pids[2];
	int i, turn;

	for (i = 0; i < 2; i++)
		pids[i] = child(takes_turns, &loops[i]);
	await(stat_guard(domain, NULL).recalled > before ||
	      (cpus_of(pids[0]) == 1 << CPU && cpus_of(pids[1]) == 1 << CPU));
	for (turn = 0; turn < 15; turn++) {
		for (i = 0; i < 2; i++)
			had[i] = atomic_load(&loops[i]);
		await(atomic_load(&loops[0]) > had[0] && atomic_load(&loops[1]) > had[1]);
	}
	for (i = 0; i < 2; i++) {
		back |= cpus_of(pids[i]) != 1 << CPU;
		kill(pids[i], SIGKILL);
		child_wait(pids[i]);
	}
	return back || stat_guard(domain, NULL).recalled != before;
}

#define TURN "/proc/sys/kernel/sched_rr_timeslice_ms"

/* As they come, turns of 100 ms are near the guard's 120: on a busy host they are longer. */
TEST(turns, "visitors that take turns are not starved")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	atomic_ullong *loops = shared(2 * sizeof(*loops));
	int tries = 0;

	check(file_write(TURN, "20"), TURN ": %s", strerror(errno));
	while (taken_back(domain, loops))
		check(++tries < 5, "each time one was taken back");
	check(file_write(TURN, "0"), TURN ": %s", strerror(errno)); /* the kernel's own */
}

TEST(refusals, "lending is refused where it makes no sense")
{
	struct resch_guard_lend lend = { .cpu = CPU };
	struct resch_guard_set want = { .domain = 12345, .flags = RESCH_GUARD_ON };

	refused(call(dev, RESCH_IOC_GUARD_LEND, &lend), EINVAL);
	refused(call(dev, RESCH_IOC_GUARD_SET, &want), ENODEV);
	want.domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	lend.cpu = 0;
	refused(call(dev, RESCH_IOC_GUARD_LEND, &lend), EINVAL);
	lend.cpu = CPU;
	lend.pid = 999999;
	refused(call(dev, RESCH_IOC_GUARD_LEND, &lend), ESRCH);
	lend.pid = 2; /* kthreadd */
	refused(call(dev, RESCH_IOC_GUARD_LEND, &lend), EPERM);
	want.flags = 1U << 31;
	refused(call(dev, RESCH_IOC_GUARD_SET, &want), EINVAL);
	want.flags = RESCH_GUARD_ON;
	want.exempt.bits[0] = 1;
	refused(call(dev, RESCH_IOC_GUARD_SET, &want), EINVAL);
	pin(0, "0");
	lend.pid = 0;
	refused(call(dev, RESCH_IOC_GUARD_LEND, &lend), EINVAL);
}
