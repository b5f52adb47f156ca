// SPDX-License-Identifier: GPL-2.0
/* test_levels - priorities for newcomers: in order, of their own while there are any, few moves */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <resch/levels.h>

#include <cmocka.h>

#define TASKS 400

/* A deadline that nobody else has. */
static u64 random_deadline(void)
{
	static u64 state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return 2000 + (state >> 11);
}

struct crowd {
	u32 nr; /* levels */
	u32 count; /* tasks */
	u32 worst; /* moves for one newcomer */
	u64 deadline[TASKS];
	u32 position[TASKS];
};

static void move(struct crowd *crowd, const struct resch_levels_plan *plan)
{
	u32 i, moved = 0;

	for (i = 0; i < crowd->count; i++) {
		if (crowd->position[i] < plan->first || crowd->position[i] > plan->last)
			continue;
		crowd->position[i] += plan->up ? 1 : -1;
		moved++;
	}
	crowd->worst = max(crowd->worst, moved);
}

/* As module/core/levels.c does it. */
static void join(struct crowd *crowd, u64 deadline)
{
	struct resch_levels levels = { .nr = crowd->nr, .above = crowd->nr + 1 };
	struct resch_levels_plan plan = { .first = 1 };
	u32 i;

	for (i = 0; i < crowd->count; i++) {
		levels.count[crowd->position[i]]++;
		if (crowd->deadline[i] == deadline)
			plan.place = crowd->position[i];
		else if (crowd->deadline[i] < deadline)
			levels.above = min(levels.above, crowd->position[i]);
		else
			levels.below = max(levels.below, crowd->position[i]);
	}
	if (!plan.place)
		resch_levels_place(&levels, &plan);
	move(crowd, &plan);
	crowd->deadline[crowd->count] = deadline;
	crowd->position[crowd->count++] = plan.place;
}

static void leave(struct crowd *crowd, u32 number)
{
	crowd->count--;
	crowd->deadline[number] = crowd->deadline[crowd->count];
	crowd->position[number] = crowd->position[crowd->count];
}

/* A shorter deadline never has the lower level; @apart: nor the same one. */
static void check_order(const struct crowd *crowd, bool apart)
{
	u32 i, j;

	for (i = 0; i < crowd->count; i++) {
		assert_in_range(crowd->position[i], 1, crowd->nr);
		for (j = 0; j < crowd->count; j++) {
			if (crowd->deadline[i] >= crowd->deadline[j])
				continue;
			assert_true(crowd->position[i] >= crowd->position[j]);
			if (apart)
				assert_int_not_equal(crowd->position[i], crowd->position[j]);
		}
	}
	assert_true(crowd->worst <= RESCH_LEVELS_MOVES);
}

static void fills(void **state)
{
	static const u32 sizes[] = { 1, 2, 10, 30, 60 };
	u32 size, way, i;

	for (size = 0; size < 5; size++) {
		for (way = 0; way < 20; way++) {
			struct crowd crowd = { .nr = sizes[size] };

			for (i = 0; i < crowd.nr; i++) {
				join(&crowd, way == 0 ? 1000 + i :
					     way == 1 ? 1000 - i :
							random_deadline());
				check_order(&crowd, true);
			}
		}
	}
}

/* While there are as many levels as deadlines, whoever comes and goes. */
static void lives(void **state)
{
	struct crowd crowd = { .nr = 30 };
	u32 i;

	for (i = 0; i < 20000; i++) {
		if (crowd.count == 30 || (crowd.count && random_deadline() % 3 == 0))
			leave(&crowd, (u32)(random_deadline() % crowd.count));
		else
			join(&crowd, random_deadline());
		if (i % 10 == 0)
			check_order(&crowd, true);
	}
}

static void overflows(void **state)
{
	u32 way, i;

	for (way = 0; way < 6; way++) {
		struct crowd crowd = { .nr = 30 };

		for (i = 0; i < TASKS; i++)
			join(&crowd, way == 0 ? 1000 + i : way == 1 ? 1000 - i : random_deadline());
		check_order(&crowd, false);
		/* Who comes last with the shortest deadline preempts all others, and cheaply. */
		crowd.count--;
		join(&crowd, 0);
		for (i = 0; i < crowd.count - 1; i++)
			assert_true(crowd.position[i] < crowd.position[crowd.count - 1]);
	}
}

/* Hundreds with one deadline don't move for one newcomer: it shares. */
static void does_not_move_a_crowd(void **state)
{
	struct crowd crowd = { .nr = 2 };
	u32 i;

	for (i = 0; i < 100; i++)
		join(&crowd, 10);
	for (i = 0; i < 100; i++)
		join(&crowd, 20);
	join(&crowd, 15);
	check_order(&crowd, false);
	assert_int_equal(crowd.worst, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills),
		cmocka_unit_test(lives),
		cmocka_unit_test(overflows),
		cmocka_unit_test(does_not_move_a_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
