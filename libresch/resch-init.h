/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-init.h - what to begin structures with, so that what is not said can't hurt anybody
 *
 * Zeros ask for nothing: no reaction, the first CPU, the first protocol. docs/defaults.md has what
 * they mean in each structure. Included by resch.h.
 */
#ifndef _RESCH_INIT_H
#define _RESCH_INIT_H

#include <linux/resch.h>

/*
 * A struct resch_register: on any CPU, and contained, that is, a job that exceeds its wcet is
 * stopped until the next release. Zeros would be CPU 0, and RESCH_COUNT: it is only counted.
 */
#define RESCH_REGISTER_INIT                                       \
	{                                                         \
		.params = {.overrun = RESCH_THROTTLE, .cpu = -1 } \
	}

/*
 * A struct resch_server_set, or a struct resch_servers_set: on the first CPU of the domain that has
 * room, where zeros would be CPU 0; and no more than its budget, as zeros are, too.
 */
#define RESCH_SERVER_INIT              \
	{                              \
		.params = {.cpu = -1 } \
	}

/*
 * A struct resch_chain_set: releases of a stage are a period apart, as it was admitted for. Zeros
 * would be RESCH_CHAIN_DS, by which they may come all at once, to the harm of others on the stage's
 * CPU; and without a test.
 */
#define RESCH_CHAIN_INIT                   \
	{                                  \
		.protocol = RESCH_CHAIN_RG \
	}

#endif /* _RESCH_INIT_H */
