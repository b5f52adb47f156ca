/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-fifo.h - what an RT0 task and others hand each other without a system call
 *
 * One thread puts, one gets; neither ever waits for the other, takes a lock or enters the kernel:
 * the lock-free FIFO between RT0 and RT1+ tasks of ARTiS (Piel, Marquet, Soula, Osuna, Dekeyser,
 * INRIA RR-5781, 2005, section 2.4). On a guarded CPU a system call sends an RT1+ task away, and a
 * lock that it holds keeps RT0 waiting.
 *
 * It is memory that processes may share: by fork(2), or through its descriptor. Each side may write
 * all of it, so who is at the other end is trusted with the items, and with nothing else.
 */
#ifndef _RESCH_FIFO_H
#define _RESCH_FIFO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct resch_fifo;

/**
 * resch_fifo_new - an empty one
 * @slots: items that it holds; a power of 2, 1 to 2^24
 * @size:  bytes of an item, 1 to 2^20; of all slots, 2^30 at most
 * @fifo:  becomes it; to be given back by resch_fifo_free()
 *
 * Its memory is there at once, and stays in memory where RLIMIT_MEMLOCK allows that. Return: 0;
 * -EINVAL: @slots or @size; -ENOMEM; or errno of memfd_create(2).
 */
int resch_fifo_new(uint32_t slots, uint32_t size, struct resch_fifo **fifo);

/**
 * resch_fifo_open - one that another process has made
 * @fd: resch_fifo_fd() of it, as it was passed here; may be closed afterwards
 *
 * Return: 0; -EINVAL: it is none, or its size could still be changed; or -errno.
 */
int resch_fifo_open(int fd, struct resch_fifo **fifo);

/** resch_fifo_free - this process's end of it; what others have is not touched. @fifo: or NULL */
void resch_fifo_free(struct resch_fifo *fifo);

/** resch_fifo_fd - its descriptor, to be passed on; it is closed by exec, and with @fifo */
int resch_fifo_fd(const struct resch_fifo *fifo);

/** resch_fifo_size - bytes of an item */
uint32_t resch_fifo_size(const struct resch_fifo *fifo);

/**
 * resch_fifo_put - by the one thread that puts. Wait-free; no system call
 * @item: resch_fifo_size() bytes, which are copied
 *
 * Return: 0; -EAGAIN: it is full; -EBADMSG: the other side has written nonsense into it.
 */
int resch_fifo_put(struct resch_fifo *fifo, const void *item);

/**
 * resch_fifo_get - the oldest item, by the one thread that gets. Wait-free; no system call
 * @item: becomes a copy of it
 *
 * Return: 0; -EAGAIN: it is empty; -EBADMSG: as above.
 */
int resch_fifo_get(struct resch_fifo *fifo, void *item);

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_FIFO_H */
