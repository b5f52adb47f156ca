// SPDX-License-Identifier: GPL-2.0
/* registry.c - the plugins that are loaded */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/kmod.h>
#include <linux/slab.h>

#include "registry.h"
#include "core/params.h"

static LIST_HEAD(registry); /* resch_lock */
static u32 registry_count; /* written under resch_lock, read anywhere */

static bool registry_name_valid(const char *name)
{
	size_t len = strnlen(name, RESCH_NAME_LEN);
	size_t i;

	for (i = 0; i < len; i++) {
		if (!islower(name[i]) && !isdigit(name[i]) && name[i] != '-')
			return false;
	}
	return len && len < RESCH_NAME_LEN;
}

static struct resch_algorithm *registry_find(const char *name)
{
	struct resch_algorithm *algorithm;

	lockdep_assert_held(&resch_lock);
	list_for_each_entry(algorithm, &registry, list) {
		if (!strncmp(algorithm->plugin->name, name, RESCH_NAME_LEN))
			return algorithm;
	}
	return NULL;
}

int resch_plugin_register(const struct resch_plugin *plugin, struct module *owner)
{
	struct resch_algorithm *algorithm;
	int err = 0;

	if (!registry_name_valid(plugin->name) || !plugin->admit || !plugin->enqueue ||
	    !plugin->dequeue || !plugin->pick) {
		pr_err("a plugin lacks a name or one of admit, enqueue, dequeue and pick\n");
		return -EINVAL;
	}
	if (plugin->flags & RESCH_PLUGIN_SERVERS &&
	    (!plugin->server_valid || !plugin->admit_server ||
	     plugin->flags & (RESCH_PLUGIN_WHOLE | RESCH_PLUGIN_PLAN))) {
		pr_err("plugin %s has servers, but no server_valid or admit_server, or is for plans or whole domains\n",
		       plugin->name);
		return -EINVAL;
	}
	if (plugin->flags & (RESCH_PLUGIN_INNER | RESCH_PLUGIN_ORDERED) &&
	    (plugin->stopped ||
	     plugin->flags & ~(RESCH_PLUGIN_INNER | RESCH_PLUGIN_ORDERED | RESCH_PLUGIN_FIXED))) {
		pr_err("plugin %s is for servers or has a queue that the core reads, but has stopped(), or is for more than a CPU\n",
		       plugin->name);
		return -EINVAL;
	}
	if (plugin->flags & RESCH_PLUGIN_FIXED && !(plugin->flags & RESCH_PLUGIN_ORDERED)) {
		pr_err("plugin %s has an order that never changes, but no queue that the core reads\n",
		       plugin->name);
		return -EINVAL;
	}
	if (plugin->flags & RESCH_PLUGIN_ORDERED && !plugin->order) {
		pr_err("plugin %s has a queue that the core reads, but does not say by what it is ordered\n",
		       plugin->name);
		return -EINVAL;
	}
	if (plugin->abi != RESCH_PLUGIN_ABI) {
		pr_err("plugin %s is for plugin interface %u, this is %u: rebuild it\n",
		       plugin->name, plugin->abi, RESCH_PLUGIN_ABI);
		return -EINVAL;
	}
	algorithm = kzalloc(sizeof(*algorithm), GFP_KERNEL);
	if (!algorithm)
		return -ENOMEM;
	algorithm->plugin = plugin;
	algorithm->owner = owner;
	mutex_lock(&resch_lock);
	if (registry_find(plugin->name)) {
		err = -EEXIST;
	} else {
		list_add_tail(&algorithm->list, &registry);
		registry_count++;
	}
	mutex_unlock(&resch_lock);
	if (err)
		kfree(algorithm);
	return err;
}
EXPORT_SYMBOL_GPL(resch_plugin_register);

void resch_plugin_unregister(const struct resch_plugin *plugin)
{
	struct resch_algorithm *algorithm;

	mutex_lock(&resch_lock);
	algorithm = registry_find(plugin->name);
	/* Domains and servers hold the module, so there are no users left. */
	if (!WARN_ON(!algorithm || algorithm->plugin != plugin || algorithm->users)) {
		list_del(&algorithm->list);
		registry_count--;
	} else {
		algorithm = NULL;
	}
	mutex_unlock(&resch_lock);
	kfree(algorithm);
}
EXPORT_SYMBOL_GPL(resch_plugin_unregister);

void resch_registry_request(const char *name)
{
	struct resch_algorithm *algorithm;

	if (!registry_name_valid(name))
		return;
	mutex_lock(&resch_lock);
	algorithm = registry_find(name);
	mutex_unlock(&resch_lock);
	if (!algorithm)
		request_module("resch-%s", name);
}

struct resch_algorithm *resch_registry_get(const char *name)
{
	struct resch_algorithm *algorithm = registry_find(name);

	/* THIS_MODULE must not hold itself, or it could never be unloaded. */
	if (!algorithm || (algorithm->owner != THIS_MODULE && !try_module_get(algorithm->owner)))
		return ERR_PTR(-ENOENT);
	algorithm->users++;
	return algorithm;
}

void resch_registry_put(struct resch_algorithm *algorithm)
{
	lockdep_assert_held(&resch_lock);
	algorithm->users--;
	if (algorithm->owner != THIS_MODULE)
		module_put(algorithm->owner);
}

struct resch_algorithm *resch_registry_nth(u32 index)
{
	struct resch_algorithm *algorithm;

	lockdep_assert_held(&resch_lock);
	list_for_each_entry(algorithm, &registry, list) {
		if (!index--)
			return algorithm;
	}
	return NULL;
}

u32 resch_registry_count(void)
{
	return READ_ONCE(registry_count);
}

int __init resch_registry_init(void)
{
	return resch_plugin_register(&resch_plugin_fallback, THIS_MODULE);
}

void resch_registry_exit(void)
{
	resch_plugin_unregister(&resch_plugin_fallback);
}

int resch_registry_options(const struct resch_plugin *plugin, const char *options, u64 *private)
{
	char copy[RESCH_OPTIONS_LEN], *rest = copy, *key, *value;
	int err;

	memset(private, 0, RESCH_DOMAIN_PRIVATE * sizeof(*private));
	strscpy(copy, options, sizeof(copy));
	while ((key = strsep(&rest, ","))) {
		if (!*key)
			continue;
		value = strchr(key, '=');
		if (!value || !plugin->option)
			return -EINVAL;
		*value++ = '\0';
		err = plugin->option(private, key, value);
		if (err)
			return err;
	}
	return 0;
}
