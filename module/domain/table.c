// SPDX-License-Identifier: GPL-2.0
/* table.c - domains by id */
#include <linux/xarray.h>

#include "table.h"

DEFINE_XARRAY_ALLOC1(resch_domains);

struct resch_domain *resch_domain_find(u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&resch_domains, id);
}

struct resch_domain *resch_domain_after(u32 id)
{
	unsigned long index = id;

	lockdep_assert_held(&resch_lock);
	return xa_find_after(&resch_domains, &index, INT_MAX, XA_PRESENT);
}

u32 resch_domain_count(void)
{
	struct resch_domain *domain;
	unsigned long index;
	u32 count = 0;

	/* Under RCU; nobody is looked at. */
	xa_for_each(&resch_domains, index, domain)
		count++;
	return count;
}

struct resch_domain *resch_domain_with_cpu(u32 id, s32 cpu)
{
	struct resch_domain *domain = resch_domain_find(id);

	lockdep_assert_held(&resch_lock);
	if (!domain ||
	    (cpu >= 0 && (cpu >= (s32)nr_cpu_ids || !cpumask_test_cpu(cpu, &domain->cpus))))
		return ERR_PTR(-ENODEV);
	return cpu < -1 ? ERR_PTR(-EINVAL) : domain;
}
