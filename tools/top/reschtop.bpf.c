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
#include <resch/trace-words.h>

#include "events.h"
#include "shared.h"
#include "records.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#include "places.bpf.h"

/* Set when all programs are attached. */
__u32 watching;

static __always_inline struct top_task *task_get(const struct event_job *event)
{
	struct top_task *task = task_take(event->id);

	if (task) {
		task->pid = event->pid;
		task->cpu = event->cpu;
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
int on_attach(void *record)
{
	struct event_attach event;
	struct top_task *task;

	event_attach_read(&event, record);
	task = task_take(event.id);
	if (!task)
		return 0;
	task->pid = event.pid;
	task->cpu = event.cpu;
	task->kind = event.kind;
	task->group = event.group;
	task->period = event.period;
	task->deadline = event.deadline;
	task->wcet = event.wcet;
	__builtin_memcpy(task->name, event.name, TOP_NAME);
	__builtin_memcpy(task->plugin, event.plugin, TOP_NAME);
	task->attached = 1;
	return 0;
}

SEC("tp/resch/resch_detach")
int on_detach(void *record)
{
	struct event_detach event;
	struct top_task *task;

	event_detach_read(&event, record);
	task = task_find(event.id);
	if (task) {
		task->ended = bpf_ktime_get_ns();
		task->gone = 1 + event.gone;
	}
	return 0;
}

SEC("tp/resch/resch_release")
int on_release(void *record)
{
	struct event_job event;
	struct top_task *task;

	event_job_read(&event, record);
	task = task_get(&event);
	if (!task)
		return 0;
	if (task->job && event.job > task->job + 1)
		task->unseen += event.job - task->job - 1;
	task->job = event.job;
	/* Before all programs are there nobody tells all of a job. */
	task->release = watching ? event.release : 0;
	task->begun = 0;
	task->skipped += event.value;
	stack_take(record, task, &event, 0);
	return 0;
}

/* Who had the CPU while the job was there, if it has to be known. */
static __always_inline void complete_blame(struct top_task *task, struct event_job *event,
					   __u64 response)
{
	const struct top_blame *slowest = &task->blames[TOP_SLOWEST];

	/* Of a job that was there before us nobody has told all. */
	if (!task->release || task->job != event->job)
		return;
	if (!slowest->complete || response > slowest->complete - slowest->release)
		blame_take(TOP_SLOWEST, event);
	if (event->now > event->deadline)
		blame_take(TOP_LATE, event);
}

SEC("tp/resch/resch_complete")
int on_complete(void *record)
{
	struct event_job event;
	struct top_task *task;
	__u64 response;

	event_job_read(&event, record);
	task = task_get(&event);
	if (!task)
		return 0;
	response = event.now > event.release ? event.now - event.release : 0;
	complete_blame(task, &event, response);
	task->job = event.job;
	/* Chosen and complete, and never seen on the CPU: then it had it all the time. */
	task->begun = 2;
	task->jobs++;
	histogram_add(&task->measures[TOP_RESPONSE], response);
	histogram_add(&task->measures[TOP_EXEC], event.value);
	if (event.now > event.deadline)
		histogram_add(&task->measures[TOP_TARDINESS], event.now - event.deadline);
	return 0;
}

SEC("tp/resch/resch_miss")
int on_miss(void *record)
{
	struct event_job event;
	struct top_task *task;

	event_job_read(&event, record);
	task = task_get(&event);
	if (!task)
		return 0;
	task->misses++;
	if (task->job == event.job)
		stack_take(record, task, &event, 1);
	return 0;
}

SEC("tp/resch/resch_overrun")
int on_overrun(void *record)
{
	struct event_job event;
	struct top_task *task;

	event_job_read(&event, record);
	task = task_get(&event);
	if (task)
		task->overruns++;
	return 0;
}

/* ---- who has the CPU ------------------------------------------------------------------------- */

SEC("tp/resch/resch_select")
int on_select(void *record)
{
	struct event_job event;
	struct top_task *task;
	struct top_cpu *cpu;

	event_job_read(&event, record);
	task = task_get(&event);
	cpu = bpf_map_lookup_elem(&cpus, &event.cpu);
	if (!task || !cpu)
		return 0;
	cpu->task = event.id;
	cpu->chosen = event.pid;
	if (cpu->running != event.pid)
		return 0;
	/* It is there: no switch will tell. */
	cpu->ours = 1;
	if (task->job == event.job)
		task_begin(task, event.now);
	return 0;
}

SEC("tp/resch/resch_deselect")
int on_deselect(void *record)
{
	struct event_deselect event;
	struct top_task *task;
	struct top_cpu *cpu;

	event_deselect_read(&event, record);
	task = task_find(event.id);
	cpu = bpf_map_lookup_elem(&cpus, &event.cpu);
	if (task && event.why == RESCH_OFF_PREEMPT)
		task->preemptions++;
	if (cpu && cpu->chosen == event.pid)
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

#include "groups.bpf.h"
