// SPDX-License-Identifier: GPL-2.0-or-later
/* who.c - somebody who has a CPU, in words */
#include "softirq.h"
#include "top.h"
#include "who.h"

static const char *own_irq_name(int32_t id)
{
	switch (id) {
#define NAME(event, word)     \
	case TOP_OWN_##event: \
		return word;
		TOP_OWN_IRQS(NAME)
	default:
		return "?";
	}
}

const char *who_name(const struct top_who *who)
{
	if (who->kind == TOP_SOFTIRQ)
		return softirq_name((uint64_t)who->id);
	return who->kind == TOP_OWN_IRQ ? own_irq_name(who->id) : who->name;
}

void who_print(const struct top_who *who, FILE *to)
{
	char name[TOP_NAME];

	snprintf(name, sizeof(name), "%s", who_name(who));
	text_clean(name);
	if (who->kind == TOP_SOFTIRQ)
		fprintf(to, "softirq %s", name);
	else if (who->kind == TOP_OWN_IRQ)
		fprintf(to, "own irq %s", name);
	else if (who->kind == TOP_IRQ)
		fprintf(to, "irq %d %s", who->id, name);
	else if (who->kind != TOP_THREAD)
		fputs("?", to);
	else if (!who->id)
		fputs("idle", to);
	else
		fprintf(to, "%s(%d)", name, who->id);
}
