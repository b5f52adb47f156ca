/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - what keeps a machine busy while something else is measured
 *
 * The five loads of É. Piel and others: ARTiS, INRIA RR-5781, 2005, section 5.1.3. Each counts what
 * it gets done, so that it can be said what a measure against latency costs the others. Two more
 * are of the memory management, which theirs leave alone.
 */
#ifndef _LOAD_LOAD_H
#define _LOAD_LOAD_H

#include <stdint.h>
#include <sys/types.h>

struct load {
	const char *name;
	/* What one operation is. */
	const char *unit;
	/*
	 * Runs for ever, or ends the process. @disk is a file or block device of its own for "disk"
	 * and "lock".
	 */
	void (*run)(volatile uint64_t *done, const char *disk, unsigned int worker);
};

extern const struct load loads[];
/* NULL if there is none of this name. */
const struct load *load_named(const char *name);

void load_compute(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_cache(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_disk(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_net(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_lock(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_fork(volatile uint64_t *done, const char *disk, unsigned int worker);
void load_unmap(volatile uint64_t *done, const char *disk, unsigned int worker);

/* In one page that all processes share, and that a file keeps for readers. */
#define LOAD_WORKERS 64
struct load_board {
	struct load_worker {
		char name[16];
		pid_t pid;
		volatile uint64_t done;
	} worker[LOAD_WORKERS];
};

/* Prints one JSON object about the board in @path. Returns an exit status. */
int board_print(const char *path);

#endif /* _LOAD_LOAD_H */
