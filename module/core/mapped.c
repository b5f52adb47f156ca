// SPDX-License-Identifier: GPL-2.0
/* mapped.c - a page of ours in the memory of programs */
#include <linux/mm.h>

#include "mapped.h"

/* The page is there as long as the file is, and that as long as any mapping. */
static vm_fault_t mapped_fault(struct vm_fault *fault)
{
	if (fault->pgoff)
		return VM_FAULT_SIGBUS;
	fault->page = virt_to_page(fault->vma->vm_private_data);
	get_page(fault->page);
	return 0;
}

static const struct vm_operations_struct mapped_ops = {
	.fault = mapped_fault,
};

/* The file is for reading only, so a shared mapping can never be made writable. */
int resch_mapped(struct vm_area_struct *vma, void *page)
{
	if (vma->vm_pgoff || vma_pages(vma) != 1)
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_flags & (VM_WRITE | VM_MAYWRITE))
		return -EACCES;
	vma->vm_private_data = page;
	vma->vm_ops = &mapped_ops;
	return 0;
}
