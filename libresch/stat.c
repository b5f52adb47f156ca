// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* stat.c - what is known of tasks */
#include "request.h"

int resch_task_stat(int fd, uint32_t id, struct resch_task_stat *stat)
{
	*stat = (struct resch_task_stat){ .id = id };
	return resch_request(fd, RESCH_IOC_TASK_STAT, stat);
}

int resch_task_next(int fd, struct resch_task_stat *stat)
{
	int result;

	*stat = (struct resch_task_stat){ .id = stat->id, .next = 1 };
	result = resch_request(fd, RESCH_IOC_TASK_STAT, stat);
	if (result == -ENOENT)
		return 0;
	return result < 0 ? result : 1;
}
