/* SPDX-License-Identifier: GPL-2.0 */
/* registry.h - the plugins that are loaded */
#ifndef _RESCH_REGISTRY_H
#define _RESCH_REGISTRY_H

#include <linux/list.h>
#include <linux/module.h>

#include <resch/plugin.h>

/** struct resch_algorithm - a registered plugin; resch_lock unless said otherwise */
struct resch_algorithm {
	struct list_head list;
	const struct resch_plugin *plugin; /* constant */
	struct module *owner; /* constant */
	u32 users; /* domains and servers */
	u32 servers; /* of these, the servers that it is inside of */
	u32 ejections;
};

extern const struct resch_plugin resch_plugin_fallback;

/* May tasks under it have a lead? Not where a plan says when they run, or a budget pays for it. */
static inline bool resch_plugin_may_lead(const struct resch_plugin *plugin)
{
	return !(plugin->flags & (RESCH_PLUGIN_WHOLE | RESCH_PLUGIN_PLAN | RESCH_PLUGIN_SERVERS));
}

int __init resch_registry_init(void);
void resch_registry_exit(void);

/* Loads resch-NAME where NAME is missing. Process context, without resch_lock. */
void resch_registry_request(const char *name);

/* With a reference on its module, or ERR_PTR(-ENOENT). resch_lock. */
struct resch_algorithm *resch_registry_get(const char *name);
void resch_registry_put(struct resch_algorithm *algorithm);

struct resch_algorithm *resch_registry_nth(u32 index);

/* How many are loaded. Any context. */
u32 resch_registry_count(void);

/*
 * "key=value,key=value", each for the plugin's option(), into its private area of a domain, which
 * is zeroed before. -EINVAL: one that it does not take.
 */
int resch_registry_options(const struct resch_plugin *plugin, const char *options, u64 *private);

#endif /* _RESCH_REGISTRY_H */
