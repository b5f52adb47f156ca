// SPDX-License-Identifier: GPL-2.0-only
/*
 * reschtop.bpf.c - the kernel's side: count what the trace events tell
 *
 * The events of a task's jobs come one after another, with interrupts off: its counts have one
 * writer at a time. Everything is in arrays: no locks, no allocation, nothing that PREEMPT_RT would
 * have to sleep for.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "events.h"
#include "shared.h"

char LICENSE[] SEC("license") = "GPL";

/* Of the kernel's own structures only what is read here; where it lies, the kernel's BTF tells. */
struct task_struct {
	int pid;
	char comm[16];
} __attribute__((preserve_access_index));

/* Set before the programs are loaded: places for tasks less one, and CPUs. */
const volatile __u32 task_mask;
const volatile __u32 cpu_count;

/* Tasks for which there was no place. */
__u64 tasks_left_out;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct top_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct top_cpu);
} cpus SEC(".maps");

/* ---- tasks ----------------------------------------------------------------------------------- */

static __always_inline struct top_task *task_find_at(__u32 id, __u32 *at)
{
	struct top_task *task;
	__u32 i, place;

#pragma unroll
	for (i = 0; i < TOP_PROBES; i++) {
		place = (id + i) & task_mask;
		task = bpf_map_lookup_elem(&tasks, &place);
		if (task && task->id == id) {
			*at = place;
			return task;
		}
	}
	return NULL;
}

static __always_inline struct top_task *task_find(__u32 id)
{
	__u32 at;

	return task_find_at(id, &at);
}

/* Not inlined: once in the life of a task. */
static __noinline int task_make(__u32 id)
{
	struct top_task *task;
	__u32 i, place;

#pragma unroll
	for (i = 0; i < TOP_PROBES; i++) {
		place = (id + i) & task_mask;
		task = bpf_map_lookup_elem(&tasks, &place);
		if (task && __sync_val_compare_and_swap(&task->id, 0, id) == 0)
			return 1;
	}
	__sync_fetch_and_add(&tasks_left_out, 1);
	return 0;
}

static __always_inline struct top_task *task_get(__u32 id, __s32 pid, __u32 cpu)
{
	struct top_task *task = task_find(id);

	if (!task && task_make(id))
		task = task_find(id);
	if (task) {
		task->pid = pid;
		task->cpu = cpu;
	}
	return task;
}

#include "turns.bpf.h"

/* The job has its CPU for the first time. */
static __always_inline void task_begin(struct top_task *task, __u64 now)
{
	if (task->begun)
		return;
	task->begun = 1;
	task->ran = now;
	/* Of a job that was there before us nobody has told when it was released. */
	if (task->release)
		histogram_add(&task->measures[TOP_START],
			      now > task->release ? now - task->release : 0);
}

SEC("tp/resch/resch_attach")
int on_attach(struct event_attach *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);
	__u32 i;

	if (!task)
		return 0;
	task->kind = event->kind;
	task->group = event->group;
	task->period = event->period;
	task->deadline = event->deadline;
	task->wcet = event->wcet;
#pragma unroll
	for (i = 0; i < TOP_NAME; i++) {
		task->name[i] = event->name[i];
		task->plugin[i] = event->plugin[i];
	}
	task->attached = 1;
	return 0;
}

SEC("tp/resch/resch_detach")
int on_detach(struct event_detach *event)
{
	struct top_task *task = task_find(event->id);

	if (task)
		task->gone = 1 + event->gone;
	return 0;
}

SEC("tp/resch/resch_release")
int on_release(struct event_job *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);

	if (!task)
		return 0;
	if (task->job && event->job > task->job + 1)
		task->unseen += event->job - task->job - 1;
	task->job = event->job;
	task->release = event->release;
	task->begun = 0;
	task->skipped += event->value;
	return 0;
}

SEC("tp/resch/resch_complete")
int on_complete(struct event_job *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);
	__u64 now = event->now, response;

	if (!task)
		return 0;
	task->job = event->job;
	response = now > event->release ? now - event->release : 0;
	if (response > task->measures[TOP_RESPONSE].most)
		blame_take(TOP_SLOWEST, event);
	if (now > event->deadline)
		blame_take(TOP_LATE, event);
	/* Chosen and complete, and never seen on the CPU: then it had it all the time. */
	task->begun = 2;
	task->jobs++;
	histogram_add(&task->measures[TOP_RESPONSE], response);
	histogram_add(&task->measures[TOP_EXEC], event->value);
	if (now > event->deadline)
		histogram_add(&task->measures[TOP_TARDINESS], now - event->deadline);
	return 0;
}

SEC("tp/resch/resch_miss")
int on_miss(struct event_job *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);

	if (task)
		task->misses++;
	return 0;
}

SEC("tp/resch/resch_overrun")
int on_overrun(struct event_job *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);

	if (task)
		task->overruns++;
	return 0;
}

/* ---- who has the CPU ------------------------------------------------------------------------- */

SEC("tp/resch/resch_select")
int on_select(struct event_job *event)
{
	struct top_task *task = task_get(event->id, event->pid, event->cpu);
	__u32 number = event->cpu;
	struct top_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);

	if (!task || !cpu)
		return 0;
	cpu->task = event->id;
	cpu->chosen = event->pid;
	/* It is there: no switch will tell. */
	if (cpu->running == event->pid && task->job == event->job)
		task_begin(task, event->now);
	return 0;
}

SEC("tp/resch/resch_deselect")
int on_deselect(struct event_deselect *event)
{
	struct top_task *task = task_find(event->id);
	__u32 number = event->cpu;
	struct top_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);

	if (task && event->why == EVENT_PREEMPT)
		task->preemptions++;
	if (cpu && cpu->chosen == event->pid)
		cpu->chosen = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 number = bpf_get_smp_processor_id();
	struct top_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);
	struct top_task *task;
	int pid = next->pid;

	if (!cpu)
		return 0;
	turn_switch(cpu, next);
	cpu->running = pid;
	if (pid && pid == cpu->chosen) {
		task = task_find(cpu->task);
		if (task)
			task_begin(task, bpf_ktime_get_ns());
	}
	return 0;
}
