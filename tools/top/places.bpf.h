/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places.bpf.h - the maps, and who has which place in them
 *
 * Who has gone keeps its place, to be reported, until that is needed for another one.
 */
#ifndef _TOP_PLACES_BPF_H
#define _TOP_PLACES_BPF_H

/* Of the kernel's own structures only what is read here; where it lies, the kernel's BTF tells. */
struct task_struct {
	int pid;
	char comm[16];
} __attribute__((preserve_access_index));

/* Set before the programs are loaded: places for tasks less one. */
const volatile __u32 task_mask;

/* Tasks, servers and chains for which there was no place. */
__u64 tasks_left_out;
__u64 servers_left_out;
__u64 chains_left_out;

/*
 * Somebody gives a place. An id that is new may turn up on several CPUs at once, and is to have one
 * place: so one of them looks, and gives it one, while the others wait.
 */
__u32 places_taken;
/* So often is tried. It takes 1 us; a virtual machine's CPU may stand still in the middle of it. */
#define TOP_PATIENCE 2000

/* Return: 1: enough */
static int places_try(__u32 i, __u32 *mine)
{
	*mine = __sync_val_compare_and_swap(&places_taken, 0, 1) == 0;
	return (int)*mine;
}

static __always_inline bool places_lock(void)
{
	__u32 mine = 0;

	bpf_loop(TOP_PATIENCE, places_try, &mine, 0);
	return mine;
}

static __always_inline void places_unlock(void)
{
	__sync_lock_test_and_set(&places_taken, 0);
}

/* clang-format off */

#define PLACES_MAP(name, of, count) \
	struct { \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, count); \
		__type(key, __u32); \
		__type(value, struct of); \
	} name SEC(".maps")

PLACES_MAP(tasks, top_task, 1);
PLACES_MAP(servers, top_server, TOP_SERVERS);
PLACES_MAP(chains, top_chain, TOP_CHAINS);
PLACES_MAP(cpus, top_cpu, 1);
/* What a place is like that nobody has had. */
PLACES_MAP(no_task, top_task, 1);
PLACES_MAP(no_server, top_server, 1);
PLACES_MAP(no_chain, top_chain, 1);

/*
 * WHAT_find(): the place of an id, or NULL. WHAT_make(): see to it that it has one; not inlined, as
 * it happens once in a life. WHAT_take(): its place, or NULL: there is none.
 */
#define PLACES(what, map, id_type, mask) \
	static __always_inline struct top_##what *what##_find_at(id_type id, __u32 *at) \
	{ \
		struct top_##what *found; \
		__u32 i, place; \
		\
		_Pragma("unroll") \
		for (i = 0; i < TOP_PROBES; i++) { \
			place = (top_first(id) + i) & (mask); \
			found = bpf_map_lookup_elem(&map, &place); \
			if (found && found->id == id) { \
				*at = place; \
				return found; \
			} \
		} \
		return NULL; \
	} \
	\
	static __always_inline struct top_##what *what##_find(id_type id) \
	{ \
		__u32 at; \
		\
		return what##_find_at(id, &at); \
	} \
	\
	static __always_inline bool what##_renew(__u32 place, id_type id) \
	{ \
		struct top_##what *had = bpf_map_lookup_elem(&map, &place); \
		__u32 first = 0, gone = had ? had->gone : 0; \
		struct top_##what *fresh = bpf_map_lookup_elem(&no_##what, &first); \
		\
		/* one of those who want it gets it */ \
		if (!fresh || !gone || __sync_val_compare_and_swap(&had->gone, gone, 0) != gone) \
			return false; \
		bpf_map_update_elem(&map, &place, fresh, BPF_ANY); \
		return __sync_val_compare_and_swap(&had->id, 0, id) == 0; \
	} \
	\
	static __always_inline bool what##_give(id_type id) \
	{ \
		struct top_##what *free; \
		__u32 i, place; \
		\
		_Pragma("unroll") \
		for (i = 0; i < TOP_PROBES; i++) { \
			place = (top_first(id) + i) & (mask); \
			free = bpf_map_lookup_elem(&map, &place); \
			if (free && __sync_val_compare_and_swap(&free->id, 0, id) == 0) \
				return true; \
		} \
		_Pragma("unroll") \
		for (i = 0; i < TOP_PROBES; i++) { \
			if (what##_renew((top_first(id) + i) & (mask), id)) \
				return true; \
		} \
		return false; \
	} \
	\
	static __noinline int what##_make(id_type id) \
	{ \
		bool made = false; \
		\
		if (places_lock()) { \
			made = what##_find(id) || what##_give(id); \
			places_unlock(); \
		} \
		if (!made) \
			__sync_fetch_and_add(&map##_left_out, 1); \
		return made; \
	} \
	\
	static __always_inline struct top_##what *what##_take(id_type id) \
	{ \
		struct top_##what *found = what##_find(id); \
		\
		if (!found && what##_make(id)) \
			found = what##_find(id); \
		return found; \
	}

PLACES(task, tasks, __u32, task_mask)
PLACES(server, servers, __u64, TOP_SERVERS - 1)
PLACES(chain, chains, __u32, TOP_CHAINS - 1)

/* clang-format on */

#endif
