/* SPDX-License-Identifier: GPL-2.0 */
/* mapped.h - a page of ours in the memory of programs */
#ifndef _RESCH_MAPPED_H
#define _RESCH_MAPPED_H

struct vm_area_struct;

/*
 * mmap() of a file that is open for reading only, and whose @page is there as long as the file: all
 * of it, shared, never to be written to. Process context; the mm's lock. -EINVAL, -EACCES
 */
int resch_mapped(struct vm_area_struct *vma, void *page);

#endif /* _RESCH_MAPPED_H */
