/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - what makes the steps from the present state to the wanted one; see state.h */
#ifndef _RESCHCTL_STATE_PLAN_H
#define _RESCHCTL_STATE_PLAN_H

#include "state.h"

/** struct planning - what plan_make() is about */
struct planning {
	const struct items *wanted;
	const char *file;
	struct items *present;
	struct plan *plan;
};

/** planning_differs - does @have lack something of the part that @want says? */
bool planning_differs(const struct item *want, const struct item *have, enum part part);
/**
 * planning_forget - what is not of the part: a guard comes later, and a holder; and whether a
 * plugin brings a guard is not known before
 */
void planning_forget(struct item *item, enum part part);

/* Each: Return: 0, or an exit status after a message. */

/**
 * planning_step - takes what @before and @after point to only where it succeeds
 * @want: whose line it is for messages
 */
int planning_step(struct planning *planning, enum part part, enum deed deed,
		  const struct item *before, const struct item *after, const struct item *want);
/** planning_change - a step that makes @have what @want says, and @have, too */
int planning_change(struct planning *planning, enum part part, struct item *have,
		    const struct item *want);
/** planning_make - a step that makes what @want says; the present has it from then on */
int planning_make(struct planning *planning, enum part part, const struct item *want);
/** planning_server - plan-server.c: all about a server that is wanted */
int planning_server(struct planning *planning, const struct item *want);

#endif /* _RESCHCTL_STATE_PLAN_H */
