// SPDX-License-Identifier: GPL-2.0
/* test_queue - the leftist heap against a sorted array */
#include "rig.h"

#define NODES 600

/* Every invariant of the heap, without recursion: nodes are in @nodes, those of rank 0 are out. */
static void check_shape(const struct resch_queue *queue, const struct resch_node *nodes, u32 count)
{
	u32 i, queued = 0;

	for (i = 0; i < count; i++) {
		const struct resch_node *node = &nodes[i];
		u32 left, right;

		if (!resch_node_queued(node))
			continue;
		queued++;
		left = resch_node_rank(node->left);
		right = resch_node_rank(node->right);
		assert_true(left >= right);
		assert_int_equal(node->rank, right + 1);
		if (node->left)
			assert_ptr_equal(node->left->up, node);
		if (node->right)
			assert_ptr_equal(node->right->up, node);
		if (node->up)
			assert_true(resch_node_before(node->up, node));
		else
			assert_ptr_equal(queue->first, node);
	}
	assert_int_equal(queue->count, queued);
	/* A rank of r needs 2^r - 1 nodes: so spines, and with them all work, are logarithmic. */
	if (queue->first)
		assert_true((1ULL << queue->first->rank) - 1 <= queued);
}

/* The oracle: an array of the queued ones, sorted by key, then by arrival. */
struct oracle {
	struct resch_node *sorted[NODES];
	u32 count;
};

static void oracle_insert(struct oracle *oracle, struct resch_node *node, u64 key)
{
	u32 at = oracle->count++;

	while (at > 0 && oracle->sorted[at - 1]->key > key) {
		oracle->sorted[at] = oracle->sorted[at - 1];
		at--;
	}
	oracle->sorted[at] = node;
}

static void oracle_erase(struct oracle *oracle, u32 at)
{
	memmove(&oracle->sorted[at], &oracle->sorted[at + 1],
		(--oracle->count - at) * sizeof(oracle->sorted[0]));
}

/* The first one above all: it is what timers do. */
static void run_move(struct resch_queue *queue, struct oracle *oracle, struct resch_node *node,
		     u64 key)
{
	u32 at = 0;

	while (oracle->sorted[at] != node)
		at++;
	oracle_erase(oracle, at);
	oracle_insert(oracle, node, key);
	resch_queue_move(queue, node, key);
	assert_true(resch_node_queued(node));
}

/* Random inserts, moves, erasures anywhere and pops; @keys: how many different keys there are. */
static void run_random(u64 seed, u32 keys, u32 rounds)
{
	static struct resch_node nodes[NODES];
	static struct oracle oracle;
	struct resch_queue queue = { 0 };
	struct resch_node *node;
	u64 random = seed, key;
	u32 at;

	memset(nodes, 0, sizeof(nodes));
	oracle.count = 0;
	while (rounds--) {
		/* phases of growth and of decay */
		bool grow = rig_random(&random) % 100 < (rounds / 1000 % 2 ? 60 : 40);

		node = &nodes[rig_random(&random) % NODES];
		if (grow && !resch_node_queued(node)) {
			key = rig_random(&random) % keys;
			oracle_insert(&oracle, node, key);
			resch_queue_insert(&queue, node, key);
		} else if (grow && oracle.sorted[0] != node && rig_random(&random) % 2) {
			run_move(&queue, &oracle, node, rig_random(&random) % keys);
		} else if (grow) {
			run_move(&queue, &oracle, oracle.sorted[0], rig_random(&random) % keys);
		} else if (oracle.count && rig_random(&random) % 2) {
			at = rig_random(&random) % oracle.count;
			node = oracle.sorted[at];
			oracle_erase(&oracle, at);
			resch_queue_erase(&queue, node);
			assert_false(resch_node_queued(node));
		} else if (oracle.count) {
			assert_ptr_equal(resch_queue_pop(&queue), oracle.sorted[0]);
			oracle_erase(&oracle, 0);
		}
		assert_int_equal(queue.count, oracle.count);
		assert_ptr_equal(resch_queue_first(&queue), oracle.count ? oracle.sorted[0] : NULL);
		if (oracle.count)
			assert_ptr_equal(resch_queue_second(&queue),
					 oracle.count > 1 ? oracle.sorted[1] : NULL);
		if (rounds % 64 == 0)
			check_shape(&queue, nodes, NODES);
	}
	while ((node = resch_queue_pop(&queue))) {
		assert_ptr_equal(node, oracle.sorted[0]);
		oracle_erase(&oracle, 0);
	}
	assert_int_equal(oracle.count, 0);
}

static void against_sorted_array(void **state)
{
	static const u32 keys[] = { 1, 2, 10, 1000, 1000000000 };
	u32 i;

	for (i = 0; i < 40; i++)
		run_random(i, keys[i % 5], 6000);
}

static void equal_keys_in_order(void **state)
{
	static struct resch_node nodes[NODES];
	struct resch_queue queue = { 0 };
	u32 i;

	for (i = 0; i < NODES; i++)
		resch_queue_insert(&queue, &nodes[i], 7);
	for (i = 0; i < NODES; i += 3)
		resch_queue_erase(&queue, &nodes[i]);
	for (i = 0; i < NODES; i += 3) /* back, behind the others */
		resch_queue_insert(&queue, &nodes[i], 7);
	for (i = 0; i < NODES; i++)
		if (i % 3)
			assert_ptr_equal(resch_queue_pop(&queue), &nodes[i]);
	for (i = 0; i < NODES; i += 3)
		assert_ptr_equal(resch_queue_pop(&queue), &nodes[i]);
	assert_null(resch_queue_pop(&queue));
}

static void ties_by_choice(void **state)
{
	static struct resch_node nodes[100];
	struct resch_queue queue = { 0 };
	u32 i;

	for (i = 0; i < 100; i++)
		resch_queue_insert_tie(&queue, &nodes[i * 37 % 100], 5, i * 37 % 100);
	for (i = 0; i < 100; i++)
		assert_ptr_equal(resch_queue_pop(&queue), &nodes[i]);
}

static void extreme_keys(void **state)
{
	struct resch_node a = { 0 }, b = { 0 }, c = { 0 };
	struct resch_queue queue = { 0 };

	resch_queue_insert(&queue, &a, U64_MAX);
	resch_queue_insert(&queue, &b, 0);
	resch_queue_insert(&queue, &c, U64_MAX - 1);
	assert_ptr_equal(resch_queue_pop(&queue), &b);
	assert_ptr_equal(resch_queue_pop(&queue), &c);
	assert_ptr_equal(resch_queue_pop(&queue), &a);
	assert_ptr_equal(resch_queue_pop(&queue), NULL);
}

static u32 log2_floor(u64 n)
{
	u32 log = 0;

	while (n >>= 1)
		log++;
	return log;
}

/* Nodes on the right spine below @node, itself included: what a merge may walk down. */
static u32 spine(const struct resch_node *node)
{
	u32 length = 0;

	for (; node; node = node->right)
		length++;
	return length;
}

/*
 * The work of one operation, counted in nodes that it looks at: a merge walks two right spines, and
 * an erasure then settles ancestors until a rank stays as it is. Orders of keys that are hard on
 * heaps: rising, falling, alternating, sawtooth.
 */
static u64 hard_key(u32 order, u32 i)
{
	switch (order) {
	case 0:
		return i;
	case 1:
		return 100000 - i;
	case 2:
		return i % 2 ? i : 100000 - i;
	default:
		return i % 97 * 1000 + i / 97;
	}
}

/* Ancestors of @node whose rank an erasure changes: found by looking before and after. */
static u32 erase_counting(struct resch_queue *queue, struct resch_node *node)
{
	static struct {
		struct resch_node *node;
		u32 rank;
	} path[20000];
	struct resch_node *up;
	u32 length = 0, changed = 0, i;

	for (up = node->up; up; up = up->up) {
		path[length].node = up;
		path[length++].rank = up->rank;
	}
	resch_queue_erase(queue, node);
	for (i = 0; i < length; i++)
		changed += path[i].node->rank != path[i].rank;
	return changed;
}

static void logarithmic(void **state)
{
	enum { MANY = 10000 };
	static struct resch_node nodes[MANY];
	u64 random = 1;
	u32 order, i;

	for (order = 0; order < 4; order++) {
		struct resch_queue queue = { 0 };
		u32 bound = log2_floor(MANY + 1);

		memset(nodes, 0, sizeof(nodes));
		for (i = 0; i < MANY; i++) {
			resch_queue_insert(&queue, &nodes[i], hard_key(order, i));
			assert_true(spine(queue.first) <= log2_floor(queue.count + 1));
		}
		for (i = 0; i < MANY; i++) {
			u32 at = order % 2 ? i : rig_random(&random) % MANY;
			struct resch_node *node = &nodes[at];

			if (!resch_node_queued(node))
				continue;
			assert_true(spine(node->left) <= bound && spine(node->right) <= bound);
			assert_true(erase_counting(&queue, node) <= bound);
		}
		check_shape(&queue, nodes, MANY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_sorted_array), cmocka_unit_test(equal_keys_in_order),
		cmocka_unit_test(ties_by_choice),	cmocka_unit_test(extreme_keys),
		cmocka_unit_test(logarithmic),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
