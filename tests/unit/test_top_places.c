// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_top_places.c - reschtop's programs give an id one place, whatever other CPUs do meanwhile
 *
 * The programs' own code, with the kernel's functions played: in each of them another CPU may do
 * something.
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

/* What <bpf/bpf_helpers.h> has. */
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) value *name
#undef __always_inline
#define __always_inline inline __attribute__((always_inline, unused))
#define __noinline __attribute__((noinline, unused))

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
static long bpf_loop(__u32 count, void *each, void *context, __u64 flags);

#pragma GCC diagnostic ignored "-Wattributes"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "places.bpf.h"

static struct top_task all_tasks[1], fresh_task[1];
static struct top_server all_servers[TOP_SERVERS], fresh_server[1];
static struct top_chain all_chains[TOP_CHAINS], fresh_chain[1];

/* ---- the kernel's functions ------------------------------------------------------------------ */

/* What another CPU does, and before which call: 0: it has done it, or does nothing. */
static void (*meanwhile)(void);
static __thread unsigned int calls_left;

static void others(void)
{
	if (calls_left && !--calls_left)
		meanwhile();
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 place = *(const __u32 *)key;

	others();
	if (map == &chains)
		return &all_chains[place];
	if (map == &servers)
		return &all_servers[place];
	if (map == &tasks)
		return &all_tasks[place];
	return map == &no_chain ? (void *)fresh_chain :
	       map == &no_task	? (void *)fresh_task :
				  (void *)fresh_server;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	size_t size = map == &chains ? sizeof(fresh_chain) : sizeof(fresh_server);
	void *to = bpf_map_lookup_elem(map, key);

	memcpy(to, value, size);
	others();
	return 0;
}

static long bpf_loop(__u32 count, void *each, void *context, __u64 flags)
{
	int (*once)(__u32 number, void *of) = (int (*)(__u32, void *))each;
	__u32 i = 0;

	while (i < count) {
		others();
		if (once(i++, context))
			break;
	}
	return i;
}

/* ---- two CPUs -------------------------------------------------------------------------------- */

#define ID 5U

static struct top_chain *other_got;

static void takes(void)
{
	other_got = chain_take(ID);
}

/* As user space does with who has gone. */
static void goes_and_takes(void)
{
	if (all_chains[ID].gone)
		memset(&all_chains[ID], 0, sizeof(all_chains[ID]));
	takes();
}

static unsigned int places_of(__u32 id)
{
	unsigned int count = 0;

	for (size_t i = 0; i < TOP_CHAINS; i++)
		count += all_chains[i].id == id;
	return count;
}

/* All places where an id is looked for are others', of whom @gone have gone. */
static void occupied(unsigned int gone)
{
	for (__u32 i = 0; i < TOP_PROBES; i++)
		all_chains[ID + i] =
			(struct top_chain){ .id = 1000 + i, .gone = i < gone, .completed = 77 };
}

static void empty(void)
{
	memset(all_chains, 0, sizeof(all_chains));
	chains_left_out = 0;
	other_got = NULL;
}

/* Before each of the calls that one CPU makes the other one acts. Return: how many there are. */
static unsigned int meets(void (*does)(void), void (*before)(unsigned int), unsigned int number)
{
	struct top_chain *got;
	unsigned int at;

	meanwhile = does;
	for (at = 1;; at++) {
		empty();
		if (before)
			before(number);
		calls_left = at;
		got = chain_take(ID);
		if (calls_left)
			break;
		/* one that became free behind its back is there for the next event */
		if (!got && chains_left_out-- && does == goes_and_takes)
			got = chain_take(ID);
		assert_int_equal(places_of(ID), 1);
		assert_ptr_not_equal(got, NULL);
		assert_int_equal(got->id, ID);
		assert_int_equal(got->completed, 0);
		/* who found it in the making has waited in vain: here nothing goes on meanwhile */
		assert_true(other_got == got || (!other_got && chains_left_out == 1));
		assert_int_equal(places_taken, 0);
	}
	calls_left = 0;
	return at;
}

static void one_place(void **state)
{
	assert_true(meets(takes, NULL, 0) > 2 * TOP_PROBES);
}

static void one_place_of_gone(void **state)
{
	for (unsigned int gone = 1; gone <= TOP_PROBES; gone++) {
		assert_true(meets(takes, occupied, gone) > 3 * TOP_PROBES);
		assert_true(meets(goes_and_takes, occupied, gone) > 2 * TOP_PROBES);
	}
}

static void no_place(void **state)
{
	empty();
	occupied(0);
	assert_null(chain_take(ID));
	assert_null(chain_take(ID));
	assert_int_equal(chains_left_out, 2);
	assert_int_equal(places_taken, 0);
}

static void of_a_server(void **state)
{
	__u64 id = 3ULL << 32 | 9;
	struct top_server *server = server_take(id);

	assert_ptr_not_equal(server, NULL);
	assert_int_equal(server->id, id);
	assert_ptr_equal(server, server_take(id));
	assert_ptr_not_equal(server, server_take(id + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_place),
		cmocka_unit_test(one_place_of_gone),
		cmocka_unit_test(no_place),
		cmocka_unit_test(of_a_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
