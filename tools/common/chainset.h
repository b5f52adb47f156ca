/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chainset.h - chains of stages from CSV or JSON files, for reschctl chain and resch-sim
 *
 * A header names the columns, and a line is a stage; lines of one chain follow each other, and what
 * the chain as a whole has is in the first of them:
 *
 *   chain,period,deadline,protocol,stage,wcet,bcet,node,cpu,priority,local,kind
 *   T0,104ms,88ms,rg,a,7ms,7ms,,0,3,,cpu
 *   T0,,,,b,8ms,8ms,,1,3,,cpu
 *
 * Columns may be in any order, and left out: jitter of the chain, and blocking, clock and offset of
 * a stage are more of them, and from, "a+b" or "a|b": the earlier stages that release it, by name,
 * when all of them, or one, have completed; without it that is the stage before it. Needed are
 * chain, period, deadline, wcet, and cpu but for kind delay. Times have units. Lines that begin
 * with # and empty ones are passed over.
 *
 * JSON has the same words: {"chains": [{"name": "T0", "period": "104ms", "deadline": "88ms",
 * "protocol": "rg", "stages": [{"name": "a", "wcet": "7ms", "cpu": 0}]}]}; there, times without a
 * unit are whole ns.
 */
#ifndef _RESCH_CHAINSET_H
#define _RESCH_CHAINSET_H

#include <resch-chain.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * struct chainset - what a file held; chainset_free()
 * @model:       its chains; policy, overhead and hand-overs are the caller's to fill in
 * @prioritised: each stage on a CPU or a link has a priority; else none has
 * @assigned:    likewise each a local deadline
 */
struct chainset {
	struct resch_chain_model model;
	bool prioritised;
	bool assigned;
};

/* Enough for any sentence of chainset_read(), with a word of the file in it. */
#define CHAINSET_ERROR 256

/**
 * chainset_read - all of @file
 *
 * Return: 0; -EINVAL, -EIO or -ENOMEM with a sentence in @error, and nothing to free.
 */
int chainset_read(FILE *file, struct chainset *set, char *error, size_t size);
void chainset_free(struct chainset *set);

#endif /* _RESCH_CHAINSET_H */
