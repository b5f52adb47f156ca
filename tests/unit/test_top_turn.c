// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_top_turn.c - turns of a CPU that reschtop's programs tell, with interrupts in between
 *
 * The programs' own code, with the kernel's clock and the atomic instructions played: before each
 * of them interrupts may come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/bpf.h>

#include "shared.h"

/* What <bpf/bpf_helpers.h> and <bpf/bpf_tracing.h> have. */
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) value *name
#define __ksym
#define BPF_PROG(name, ...) name(int context, ##__VA_ARGS__)
#undef __always_inline
#define __always_inline inline __attribute__((always_inline, unused))
#undef __weak
#define __weak __attribute__((weak))
#define __noinline __attribute__((noinline, unused))

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
static long bpf_loop(__u32 count, void *each, void *context, __u64 flags);
static long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from);
static long bpf_get_stack(void *context, void *to, __u32 size, __u64 flags);
static __u32 bpf_get_smp_processor_id(void);
static __u64 bpf_ktime_get_ns(void);
static void others(void);

/* clang-format off */
#define __sync_val_compare_and_swap(at, old, new) \
	(others(), (__sync_val_compare_and_swap)(at, old, new))
#define __sync_fetch_and_add(at, more) (others(), (__sync_fetch_and_add)(at, more))
/* clang-format on */

#pragma GCC diagnostic ignored "-Wattributes"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "events.h"
#include "places.bpf.h"
#include "turns.bpf.h"

/* ---- a CPU ----------------------------------------------------------------------------------- */

static struct top_cpu cpu;
static struct top_task task;
static __u64 now;

/* So many interrupts come before that step; 0: it is over, or there is none. */
static unsigned int steps_left, interrupts;

static __u64 bpf_ktime_get_ns(void)
{
	others();
	return now += 10;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	return map == &cpus ? (void *)&cpu : (void *)&task;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	return 0;
}

static long bpf_loop(__u32 count, void *each, void *context, __u64 flags)
{
	int (*once)(__u32 number, void *of) = (int (*)(__u32, void *))each;
	__u32 i = 0;

	while (i < count && !once(i, context))
		i++;
	return i;
}

static long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	return size;
}

static long bpf_get_stack(void *context, void *to, __u32 size, __u64 flags)
{
	return 0;
}

#define IRQ 9
#define BUSY_NS 1000

/* One that is in the way, and tells it. */
static void interrupt(void)
{
	struct irqaction action = { .name = "a device, of which" };

	on_irq(0, IRQ, &action);
	now += BUSY_NS;
	on_irq_end(0);
}

static void others(void)
{
	if (!steps_left || --steps_left)
		return;
	for (unsigned int i = 0; i < interrupts; i++)
		interrupt();
	/* and so on, each time that it tries */
	if (interrupts > 1)
		steps_left = 1;
}

#define PID 42

#define ID 7

/* A job of a thread is released, and has the CPU from then on. */
static void begin(unsigned int step, unsigned int how_many)
{
	struct task_struct thread = { .pid = PID, .comm = "thread" };

	memset(&cpu, 0, sizeof(cpu));
	now = 1000000;
	steps_left = 0;
	turn_switch(&cpu, &thread);
	task = (struct top_task){ .id = ID, .pid = PID, .job = 1, .release = now };
	now += 5000;
	steps_left = step;
	interrupts = how_many;
}

/* All that was told is of a time that had an end after its beginning, and was told once. */
static void right(void)
{
	__u64 all = 0, shares = 0;

	for (size_t i = 0; i < cpu.turn; i++) {
		const struct top_turn *turn = &cpu.turns[i];

		assert_true(turn->from < turn->to);
		assert_int_equal(turn->who.id, turn->who.kind == TOP_IRQ ? IRQ : PID);
		all += turn->to - turn->from;
		for (size_t j = 0; j < i; j++)
			assert_true(turn->to <= cpu.turns[j].from || turn->from >= cpu.turns[j].to);
	}
	for (size_t i = 0; i < TOP_SHARES; i++)
		shares += cpu.shares[i];
	assert_int_equal(all, cpu.since - task.release);
	assert_int_equal(shares, all);
}

/* The job is complete: all of its time is somebody's. Return: how much of it the interrupts' */
static __u64 blamed(void)
{
	struct event_job event = {
		.id = ID, .job = 1, .release = task.release, .deadline = now, .now = now + 100
	};
	__u64 all = 0, theirs = 0;

	blame_take(TOP_LATE, &event);
	for (int i = 0; i < TOP_BLAMED; i++) {
		all += task.blames[TOP_LATE].ns[i];
		if (task.blames[TOP_LATE].who[i].kind == TOP_IRQ)
			theirs += task.blames[TOP_LATE].ns[i];
	}
	assert_int_equal(all, event.now - event.release);
	return theirs;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void alone(void **state)
{
	begin(0, 0);
	on_softirq(0, 1);
	assert_int_equal(cpu.turn, 1);
	assert_int_equal(cpu.shares[TOP_SHARE_THREADS], 5010);
	right();
	assert_int_equal(blamed(), 0);
}

/* Before each step that there is. */
static void interrupted(void **state)
{
	unsigned int step;

	for (step = 1;; step++) {
		begin(step, 1);
		turn_end(&cpu);
		if (steps_left)
			break;
		/* until the interrupt, the interrupt, and from then on */
		assert_int_equal(cpu.turn, 3);
		assert_int_equal(cpu.shares[TOP_SHARE_IRQS], BUSY_NS + 10);
		right();
		assert_int_equal(blamed(), BUSY_NS + 10);
	}
	/* the clock, the exchange, a place, a share */
	assert_int_equal(step, 5);
}

/* All the time: what is not told now the next turn has. */
static void never_alone(void **state)
{
	begin(1, 2);
	turn_end(&cpu);
	steps_left = 0;
	right();
	now += 100;
	turn_end(&cpu);
	assert_int_equal(cpu.since, now);
	right();
	assert_int_equal(blamed(), cpu.shares[TOP_SHARE_IRQS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(never_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
