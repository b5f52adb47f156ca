// SPDX-License-Identifier: GPL-2.0
/* test_layout - layouts of time slots from JSON; interrupts and lateness; the heap of events */
#include "sim_rig.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- reading --------------------------------------------------------------------------------- */

/* Three of .6 on two CPUs; keys that nobody asked for are passed over. */
#define TASK1 \
	"{\"name\": \"a\", \"wcet\": 12000, \"deadline\": 20000, \"period\": 20000, \"group\": 1, \"split\": false}"
#define TASK2 \
	"{\"name\": \"b\", \"wcet\": 12000, \"period\": 20000, \"group\": 2, \"min_exec\": 100, \"max_exec\": 13000, \"max_period\": 30000, \"offset\": 5, \"max_offset\": 7, \"overrun\": \"throttle\", \"miss\": \"skip\"}"
#define TASK3 "{\"wcet\": 12000, \"deadline\": 19000, \"period\": 20000, \"group\": 3}"
#define TASKS TASK1 ", " TASK2 ", " TASK3
#define RESERVE1 "{\"cpu\": 0, \"group\": 1, \"begin\": 0, \"end\": 1300}"
#define RESERVES                                                                 \
	RESERVE1 ", {\"cpu\": 0, \"group\": 2, \"begin\": 1300, \"end\": 2000}," \
		 "{\"cpu\": 1, \"group\": 2, \"begin\": 0, \"end\": 700}, "      \
		 "{\"cpu\": 1, \"group\": 3, \"begin\": 700, \"end\": 2000}"
#define HEAD \
	"{\"method\": \"cnpsf\", \"exact\": false, \"delta\": 10, \"slot\": 2000, \"cpus\": \"0-1\", "
#define LAYOUT(tasks, reserves) \
	HEAD "\"tasks\": [" tasks "], \"groups\": [], \"reserves\": [" reserves "]}"

static int read_text(const char *text, struct sim_layout *layout, char *error, size_t size)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	int err;

	assert_non_null(file);
	err = sim_layout_read(file, layout, error, size);
	fclose(file);
	return err;
}

static void good(void **state)
{
	struct sim_layout layout;
	const struct taskset_task *spec;
	char error[200];

	assert_int_equal(read_text(LAYOUT(TASKS, RESERVES), &layout, error, sizeof(error)), 0);
	assert_string_equal(layout.plugin, "npsf");
	assert_int_equal(layout.plan.slot, 2000);
	assert_int_equal(layout.plan.from, 0);
	assert_int_equal(layout.plan.count, 4);
	assert_int_equal(layout.plan.reserves[2].cpu, 1);
	assert_int_equal(layout.plan.reserves[2].group, 2);
	assert_int_equal(layout.plan.reserves[2].begin, 0);
	assert_int_equal(layout.plan.reserves[2].end, 700);
	assert_int_equal(layout.set.count, 3);
	spec = &layout.set.tasks[0];
	assert_string_equal(spec->params.name, "a");
	assert_int_equal(spec->params.kind, RESCH_PERIODIC);
	assert_int_equal(spec->params.group, 1);
	assert_int_equal(spec->params.cpu, -1);
	assert_int_equal(spec->exec_min, 12000);
	assert_int_equal(spec->exec_max, 12000);
	assert_int_equal(spec->gap_max, 20000);
	assert_int_equal(spec->offset_max, 0);
	assert_int_equal(spec->params.overrun, RESCH_COUNT);
	spec = &layout.set.tasks[1];
	assert_int_equal(spec->params.deadline, 20000);
	assert_int_equal(spec->params.kind, RESCH_SPORADIC);
	assert_int_equal(spec->exec_min, 100);
	assert_int_equal(spec->exec_max, 13000);
	assert_int_equal(spec->gap_max, 30000);
	assert_int_equal(spec->params.offset, 5);
	assert_int_equal(spec->offset_max, 7);
	assert_int_equal(spec->params.overrun, RESCH_THROTTLE);
	assert_int_equal(spec->params.miss, RESCH_SKIP);
	assert_int_equal(layout.set.tasks[2].params.deadline, 19000);
	sim_layout_free(&layout);
}

static void bad(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "{", "no JSON: it ends too early" },
		{ "{\"method\": sekg}", "no JSON: unexpected character" },
		{ "{}", "method: is missing" },
		{ "{\"method\": \"edf\"}", "method: unknown word \"edf\"" },
		{ "{\"method\": 7}", "method: unknown word 7" },
		{ "{\"method\": \"sekg\"}", "slot: is missing" },
		{ "{\"method\": \"sekg\", \"slot\": 0}", "slot: 0 is not from 1 to 3600000000000" },
		{ "{\"method\": \"sekg\", \"slot\": 2.5}", "slot: is not a whole number" },
		{ "{\"method\": \"sekg\", \"slot\": \"2ms\"}", "slot: is not a whole number" },
		{ "{\"method\": \"sekg\", \"slot\": 99999999999999999999}",
		  "slot: 18446744073709551615 is not from 1 to 3600000000000" },
		{ "{\"method\": \"sekg\", \"slot\": 9}", "reserves: is missing, or no list" },
		{ LAYOUT(TASKS, ""), "reserves: is empty" },
		{ LAYOUT("", RESERVES), "tasks: is empty" },
		{ LAYOUT(TASKS, RESERVE1), "tasks[1].group: has no reserves" },
		{ LAYOUT(TASK1 ", 5", RESERVES), "tasks[1]: is not an object" },
		{ LAYOUT("{}", RESERVES), "tasks[0].period: is missing" },
		{ LAYOUT("{\"period\": 5}", RESERVES), "tasks[0].wcet: is missing" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 6}", RESERVES),
		  "tasks[0].wcet: 6 is not from 1 to 5" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"deadline\": 3}", RESERVES),
		  "tasks[0].wcet: 4 is not from 1 to 3" },
		{ LAYOUT("{\"period\": -5, \"wcet\": 4}", RESERVES),
		  "tasks[0].period: -5 is not from 1 to 3600000000000" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4}", RESERVES), "tasks[0].group: is missing" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"group\": 4097}", RESERVES),
		  "tasks[0].group: 4097 is not from 1 to 4096" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"group\": 1, \"min_exec\": 5}", RESERVES),
		  "tasks[0].min_exec: is not from 1 to max_exec" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"group\": 1, \"max_period\": 4}", RESERVES),
		  "tasks[0].max_period: is less than the period" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"group\": 1, \"offset\": 4, \"max_offset\": 3}",
			 RESERVES),
		  "tasks[0].max_offset: is less than the offset" },
		{ LAYOUT("{\"period\": 5, \"wcet\": 4, \"group\": 1, \"miss\": \"cry\"}", RESERVES),
		  "tasks[0].miss: unknown word \"cry\"" },
		{ LAYOUT(TASK1, "{\"cpu\": 1024, \"group\": 1, \"begin\": 0, \"end\": 1}"),
		  "reserves[0].cpu: 1024 is not from 0 to 1023" },
		{ LAYOUT(TASK1, "{\"cpu\": 0, \"group\": 0, \"begin\": 0, \"end\": 1}"),
		  "reserves[0].group: 0 is not from 1 to 4096" },
		{ LAYOUT(TASK1, "{\"cpu\": 0, \"group\": 1, \"begin\": 2000, \"end\": 2001}"),
		  "reserves[0].begin: 2000 is not from 0 to 1999" },
		{ LAYOUT(TASK1, RESERVE1 ", {\"cpu\": 0, \"group\": 1, \"begin\": 7, \"end\": 7}"),
		  "reserves[1].end: 7 is not from 8 to 2000" },
		{ LAYOUT(TASK1, "{\"cpu\": 0, \"group\": 1, \"begin\": 0, \"end\": 2001}"),
		  "reserves[0].end: 2001 is not from 1 to 2000" },
	};
	struct sim_layout layout;
	char error[200];
	u32 i;

	for (i = 0; i < COUNT(cases); i++) {
		assert_int_equal(read_text(cases[i].text, &layout, error, sizeof(error)), -EINVAL);
		assert_string_equal(error, cases[i].error);
		assert_null(layout.set.tasks);
		assert_null(layout.plan.reserves);
	}
}

static void told_apart(void **state)
{
	static const struct {
		const char *text;
		bool json;
	} cases[] = {
		{ "{}", true }, { " \r\n\t{", true }, { "1,2,3", false }, { "name,wcet\n", false }
	};
	u32 i;

	for (i = 0; i < COUNT(cases); i++) {
		FILE *file = fmemopen((char *)cases[i].text, strlen(cases[i].text), "r");

		assert_int_equal(sim_is_json(file), cases[i].json);
		/* what follows is all there */
		assert_int_equal(getc(file), cases[i].json ? '{' : cases[i].text[0]);
		fclose(file);
	}
}

/* The layout, played: three of .6 on two CPUs, and every deadline met. */
static void played(void **state)
{
	struct resch_verdict verdict;
	struct sim_layout layout;
	struct sim *sim = make("npsf", "", 2, 1000000);
	char error[200];
	u32 i;

	assert_int_equal(read_text(LAYOUT(TASKS, RESERVES), &layout, error, sizeof(error)), 0);
	assert_int_equal(sim_plan_add(sim, &layout.plan, &verdict), 0);
	layout.set.tasks[1].exec_max = 12000;
	for (i = 0; i < layout.set.count; i++)
		add(sim, &layout.set.tasks[i]);
	assert_int_equal(sim_run(sim), 0);
	for (i = 0; i < sim->nr_tasks; i++) {
		assert_int_equal(sim->tasks[i]->stats.misses, 0);
		assert_true(sim->tasks[i]->stats.completed > 30);
	}
	assert_true(sim->tasks[1]->stats.migrations > 30);
	sim_free(sim);
	sim_layout_free(&layout);
}

/* ---- what a machine takes -------------------------------------------------------------------- */

/*
 * What interrupts of 10 every 100 take from a job of 300: it responds after 330 or, where it begins
 * in one, 340.
 */
static void interrupts(void **state)
{
	struct taskset_task spec = spec_of(300, 1000, 1000, 0);
	u64 seed, least = RESCH_NEVER, most = 0;

	for (seed = 0; seed < 50; seed++) {
		struct sim_config config = { .plugin = "edf",
					     .cpus = 2,
					     .end = 9999,
					     .seed = seed,
					     .capacity = 1000000,
					     .nr_irqs = 1,
					     .irqs = { { 100, 10, 0 } } };
		char error[200];
		struct sim *sim = sim_new(&config, error, sizeof(error));
		struct sim_task *here, *there;

		spec.params.cpu = 0;
		here = add(sim, &spec);
		spec.params.cpu = 1;
		there = add(sim, &spec);
		assert_int_equal(sim_run(sim), 0);
		assert_int_equal(here->stats.completed, 10);
		least = min(least, here->stats.response_min);
		most = max(most, here->stats.response_max);
		assert_int_equal(here->stats.exec_max, 300);
		assert_int_equal(there->stats.response_max, 300);
		sim_free(sim);
	}
	assert_int_equal(least, 330);
	assert_int_equal(most, 340);
}

/* Releases are late by up to their own jitter, and nothing else is. */
static void late_releases(void **state)
{
	struct sim_config config = { .plugin = "edf",
				     .cpus = 1,
				     .end = 1000000,
				     .seed = 1,
				     .capacity = 1000000,
				     .release_jitter = 50 };
	struct taskset_task spec = spec_of(300, 1000, 1000, 0);
	char error[200];
	struct sim *sim = sim_new(&config, error, sizeof(error));
	struct sim_task *task = add(sim, &spec);

	assert_int_equal(sim_run(sim), 0);
	assert_in_range(task->stats.response_min, 300, 302);
	assert_in_range(task->stats.response_max, 348, 350);
	assert_int_equal(sim->cpus[0].busy, 300 * task->stats.completed);
	sim_free(sim);
}

/* ---- the heap of events ---------------------------------------------------------------------- */

#define EVENTS 200

/* Whatever is done to it, the first one is the least of all: found by looking at each. */
static void heap(void **state)
{
	struct sim_events events = { 0 };
	struct sim_event list[EVENTS] = { 0 };
	u64 random = 1;
	u32 round, i;

	assert_int_equal(sim_events_grow(&events, EVENTS), 0);
	for (round = 0; round < 40000; round++) {
		const struct sim_event *least = NULL;
		u32 at = (u32)sim_random(&random, 0, EVENTS - 1), count = 0;
		bool filling = round / 4000 % 2 == 0;

		if (sim_random(&random, 0, 9) < (filling ? 7 : 2))
			sim_event_set(&events, &list[at], sim_random(&random, 0, 50),
				      sim_tie(SIM_EVENT_CPU, at));
		else if (sim_event_queued(&list[at]))
			sim_event_drop(&events, &list[at]);
		for (i = 0; i < EVENTS; i++) {
			if (!sim_event_queued(&list[i]))
				continue;
			count++;
			if (!least || list[i].key < least->key)
				least = &list[i]; /* ties go by number, as this loop does */
		}
		assert_int_equal(events.count, count);
		assert_ptr_equal(sim_event_first(&events), least);
	}
	free(events.heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	      cmocka_unit_test(bad),
		cmocka_unit_test(told_apart), cmocka_unit_test(played),
		cmocka_unit_test(interrupts), cmocka_unit_test(late_releases),
		cmocka_unit_test(heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
