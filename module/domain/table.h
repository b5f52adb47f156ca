/* SPDX-License-Identifier: GPL-2.0 */
/* table.h - domains by id */
#ifndef _RESCH_DOMAIN_TABLE_H
#define _RESCH_DOMAIN_TABLE_H

#include <linux/xarray.h>

#include "domain.h"

struct resch_domain *resch_domain_find(u32 id);
struct resch_domain *resch_domain_after(u32 id);
u32 resch_domain_count(void);

/*
 * The domain that a question about guards names, and its CPU, or -1: all of them. ERR_PTR: -ENODEV:
 * there is none such; -EINVAL. resch_lock.
 */
struct resch_domain *resch_domain_with_cpu(u32 id, s32 cpu);

/* All of them, by id; domain.c puts them in and takes them out. resch_lock. */
extern struct xarray resch_domains;

#endif /* _RESCH_DOMAIN_TABLE_H */
