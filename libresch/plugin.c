// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* plugin.c - algorithms that are loaded, or could be */
#include "request.h"

int resch_plugin_load(int fd, const char *name)
{
	struct resch_plugin_load load;
	int result = resch_name_copy(load.name, sizeof(load.name), name);

	return result ? result : resch_request(fd, RESCH_IOC_PLUGIN_LOAD, &load);
}

int resch_plugin_stat(int fd, uint32_t index, struct resch_plugin_stat *stat)
{
	*stat = (struct resch_plugin_stat){ .index = index };
	return resch_request(fd, RESCH_IOC_PLUGIN_STAT, stat);
}
