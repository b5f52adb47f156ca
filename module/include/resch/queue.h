/* SPDX-License-Identifier: GPL-2.0 */
/*
 * queue.h - an ordered queue of 64-bit keys, for ready jobs and for timers
 *
 * A leftist heap with parent links: insert, erase of any node and pop are O(log n) in the worst
 * case, the first node is at hand, and nothing is allocated. Nodes with equal keys leave in the
 * order in which they came. The caller serialises.
 *
 * What goes at the top, as most does where jobs are short, is done on the spot; what has to look
 * further is out of the line, where it takes no registers and stack from its callers.
 *
 * Leftist heap: C. A. Crane, Linear lists and priority queues as balanced binary trees, 1972;
 * Knuth, TAOCP 3, 5.2.3.
 */
#ifndef _RESCH_QUEUE_H
#define _RESCH_QUEUE_H

#include "types.h"

/**
 * struct resch_node - a member of at most one queue
 * @key:  smallest first; meaningful while queued
 * @seq:  breaks ties: order of arrival in this queue, or what resch_queue_insert_tie() was given
 * @rank: length of the right spine below, plus one; 0: not queued
 */
struct resch_node {
	u64 key;
	u64 seq;
	struct resch_node *up;
	struct resch_node *left;
	struct resch_node *right;
	u32 rank;
};

/** struct resch_queue - all zero is an empty queue */
struct resch_queue {
	struct resch_node *first;
	u64 seq;
	u32 count;
};

static inline bool resch_node_queued(const struct resch_node *node)
{
	return node->rank != 0;
}

static inline struct resch_node *resch_queue_first(const struct resch_queue *queue)
{
	return queue->first;
}

static inline bool resch_node_before(const struct resch_node *a, const struct resch_node *b)
{
	return a->key < b->key || (a->key == b->key && a->seq < b->seq);
}

static inline u32 resch_node_rank(const struct resch_node *node)
{
	return node ? node->rank : 0;
}

/*
 * Puts the child with the longer right spine on the left. Returns whether the rank of @node
 * changed.
 */
static inline bool resch_node_settle(struct resch_node *node)
{
	u32 left = resch_node_rank(node->left);
	u32 right = resch_node_rank(node->right);
	u32 old = node->rank;

	if (left < right) {
		struct resch_node *child = node->left;

		node->left = node->right;
		node->right = child;
		right = left;
	}
	node->rank = right + 1;
	return node->rank != old;
}

/*
 * Merges two heaps, iteratively, down their right spines of at most log2(n + 1) nodes each; returns
 * the top.
 */
static inline struct resch_node *resch_node_merge(struct resch_node *a, struct resch_node *b)
{
	struct resch_node *top = NULL, *up = NULL;
	struct resch_node **link = &top;

	while (a && b) {
		if (resch_node_before(b, a)) {
			struct resch_node *other = a;

			a = b;
			b = other;
		}
		*link = a;
		a->up = up;
		up = a;
		link = &a->right;
		a = a->right;
	}
	*link = a ? a : b;
	if (*link)
		(*link)->up = up;
	for (; up; up = up->up)
		resch_node_settle(up);
	return top;
}

static inline void resch_node_init(struct resch_node *node, u64 key, u64 tie)
{
	node->key = key;
	node->seq = tie;
	node->up = NULL;
	node->left = NULL;
	node->right = NULL;
	node->rank = 1;
}

/**
 * resch_queue_push - add @node, which is in no queue, with @key, which is smaller than any there
 * @tie: as below
 */
static inline void resch_queue_push(struct resch_queue *queue, struct resch_node *node, u64 key,
				    u64 tie)
{
	resch_node_init(node, key, tie);
	/* It just takes the others below it. */
	node->left = queue->first;
	if (node->left)
		node->left->up = node;
	queue->first = node;
	queue->count++;
}

/* The node, which is set up, goes somewhere below. */
static __maybe_unused noinline void resch_queue_sink(struct resch_queue *queue,
						     struct resch_node *node)
{
	queue->first = resch_node_merge(queue->first, node);
	queue->count++;
}

/**
 * resch_queue_insert_tie - add @node, which is in no queue, with @key; among equal keys the smaller
 * @tie goes first. For queues that are filled with this function alone.
 */
static inline void resch_queue_insert_tie(struct resch_queue *queue, struct resch_node *node,
					  u64 key, u64 tie)
{
	if (!queue->first || key < queue->first->key) {
		resch_queue_push(queue, node, key, tie);
		return;
	}
	resch_node_init(node, key, tie);
	resch_queue_sink(queue, node);
}

/**
 * resch_queue_insert - add @node, which is in no queue, with @key; equal keys leave in the order in
 * which they came
 */
static inline void resch_queue_insert(struct resch_queue *queue, struct resch_node *node, u64 key)
{
	resch_queue_insert_tie(queue, node, key, queue->seq++);
}

/* What is below the node takes its place. */
static __maybe_unused noinline void resch_queue_cut(struct resch_queue *queue,
						    struct resch_node *node)
{
	struct resch_node *up = node->up;
	struct resch_node *rest = resch_node_merge(node->left, node->right);

	if (rest)
		rest->up = up;
	if (!up)
		queue->first = rest;
	else if (up->left == node)
		up->left = rest;
	else
		up->right = rest;
	/*
	 * Each ancestor whose rank changes gets its changed child's rank plus one, so at most
	 * log2(n + 1) of them do; above the first unchanged one nothing changes.
	 */
	while (up && resch_node_settle(up))
		up = up->up;
	node->rank = 0;
	queue->count--;
}

/** resch_queue_shift - take the first node out, which there is */
static inline void resch_queue_shift(struct resch_queue *queue)
{
	struct resch_node *node = queue->first;

	/* Where there is no left child, there is no right one. */
	if (node->right) {
		resch_queue_cut(queue, node);
		return;
	}
	queue->first = node->left;
	if (node->left)
		node->left->up = NULL;
	node->rank = 0;
	queue->count--;
}

/** resch_queue_erase - take @node, which is in @queue, out */
static inline void resch_queue_erase(struct resch_queue *queue, struct resch_node *node)
{
	if (node->up)
		resch_queue_cut(queue, node);
	else
		resch_queue_shift(queue);
}

/** resch_queue_second - who is the first node when the first one, which there is, has gone */
static inline struct resch_node *resch_queue_second(const struct resch_queue *queue)
{
	struct resch_node *left = queue->first->left, *right = queue->first->right;

	return !right || resch_node_before(left, right) ? left : right;
}

/**
 * resch_queue_rekey - the first node gets a later @key, with which it is the first one still
 * @second: resch_queue_second()
 * false: it would not be, and is as it was.
 */
static inline bool resch_queue_rekey(struct resch_queue *queue, const struct resch_node *second,
				     u64 key)
{
	if (second && key >= second->key)
		return false;
	queue->first->key = key;
	queue->first->seq = queue->seq++;
	return true;
}

/**
 * resch_queue_move - @node, which is in @queue, goes where resch_queue_insert() would put it with
 * @key
 */
static inline void resch_queue_move(struct resch_queue *queue, struct resch_node *node, u64 key)
{
	/* The first one often stays so: what is below it is later still. */
	if (!node->up && resch_queue_rekey(queue, resch_queue_second(queue), key))
		return;
	resch_queue_erase(queue, node);
	resch_queue_insert(queue, node, key);
}

/** resch_queue_pop - take the first node out; NULL when empty */
static inline struct resch_node *resch_queue_pop(struct resch_queue *queue)
{
	struct resch_node *node = queue->first;

	if (node)
		resch_queue_shift(queue);
	return node;
}

#endif /* _RESCH_QUEUE_H */
