/* SPDX-License-Identifier: GPL-2.0 */
/* chains.h - requests for chains that are more than a call with resch_lock */
#ifndef _RESCH_DEVICE_CHAINS_H
#define _RESCH_DEVICE_CHAINS_H

#include <linux/resch.h>

struct resch_file;

/* RESCH_IOC_CHAIN_SET, RESCH_IOC_CHAIN_OPEN, RESCH_IOC_CHAIN_STAT. Process context, no locks. */
int resch_chains_set(struct resch_file *file, struct resch_chain_set *want);
int resch_chains_open(struct resch_file *file, struct resch_chain_open *open);
int resch_chains_stat(struct resch_chain_stat *stat);

#endif /* _RESCH_DEVICE_CHAINS_H */
