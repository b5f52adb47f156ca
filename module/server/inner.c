// SPDX-License-Identifier: GPL-2.0
/*
 * inner.c - plugins inside servers: found, kept loaded, given back, and what is said when one errs
 *
 * The server holds the plugin's module from its making to its end, whatever plugin the domain is
 * under: it stands when another one takes over. What tells the plugin inside anything is the one
 * that has the servers, under cpu->lock, while the server has tasks; so one without tasks can be
 * freed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "inner.h"
#include "show.h"
#include "domain/domain.h"
#include "domain/table.h"

static bool inner_named(const char *plugin, const char *options)
{
	return *plugin || *options;
}

/* Both end within their fields. */
static bool inner_words_valid(const char *plugin, const char *options)
{
	return strnlen(plugin, RESCH_NAME_LEN) < RESCH_NAME_LEN &&
	       strnlen(options, RESCH_OPTIONS_LEN) < RESCH_OPTIONS_LEN;
}

int resch_inner_make(struct resch_entry *entry, const char *plugin, const char *options)
{
	struct resch_algorithm *algorithm;
	struct resch_inside *inside;
	int err;

	lockdep_assert_held(&resch_lock);
	if (!inner_words_valid(plugin, options))
		return -EINVAL;
	if (entry->server.params.policy != RESCH_SERVER_PLUGIN)
		return inner_named(plugin, options) ? -EINVAL : 0;
	algorithm = resch_registry_get(plugin);
	if (IS_ERR(algorithm))
		return PTR_ERR(algorithm);
	inside = kzalloc(sizeof(*inside), GFP_KERNEL_ACCOUNT);
	err = inside ? 0 : -ENOMEM;
	if (!err && !resch_plugin_fits_inside(algorithm->plugin))
		err = -EINVAL;
	if (!err)
		err = resch_registry_options(algorithm->plugin, options, inside->inner.domain);
	if (err) {
		kfree(inside);
		resch_registry_put(algorithm);
		return err;
	}
	algorithm->servers++;
	inside->algorithm = algorithm;
	inside->inner.plugin = algorithm->plugin;
	strscpy(inside->options, options, sizeof(inside->options));
	entry->inside = inside;
	entry->server.inner = &inside->inner;
	return 0;
}

void resch_inner_free(struct resch_entry *entry)
{
	struct resch_inside *inside = entry->inside;

	lockdep_assert_held(&resch_lock);
	if (!inside)
		return;
	if (entry->rc) {
		resch_cpu_lock_irq(entry->rc);
		entry->server.inner = NULL;
		resch_cpu_unlock_irq(entry->rc);
	}
	entry->inside = NULL;
	inside->algorithm->servers--;
	resch_registry_put(inside->algorithm);
	kfree(inside);
}

bool resch_inner_is(const struct resch_entry *entry, const char *plugin, const char *options)
{
	const struct resch_inside *inside = entry->inside;

	if (!inner_words_valid(plugin, options))
		return false;
	if (!inner_named(plugin, options))
		return true;
	return inside && !strcmp(plugin, inside->inner.plugin->name) &&
	       !strcmp(options, inside->options);
}

void resch_inner_renew(struct resch_entry *entry)
{
	resch_cpu_assert_locked(entry->rc);
	if (!entry->inside)
		return;
	resch_inner_reset(&entry->inside->inner, &entry->rc->rq);
	entry->inside->told = false;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void inner_tell(const struct resch_domain *domain, const struct resch_entry *entry)
{
	const char *stand_in = domain->algorithm->plugin->stand_in;
	struct resch_inside *inside = entry->inside;
	const char *fault = inside ? READ_ONCE(inside->inner.fault) : NULL;

	if (!fault || inside->told)
		return;
	inside->told = true;
	pr_warn("server %u:%u: plugin %s inside it %s: %s takes its place\n", domain->id,
		entry->server.id, inside->inner.plugin->name, fault,
		stand_in ?: "an order of its own");
}

/*
 * The words of a fault are those of the domain's plugin, which stays as long as we have the lock.
 */
static void inner_report(struct work_struct *work)
{
	struct resch_domain *domain;
	struct resch_entry *entry;
	unsigned long id;

	mutex_lock(&resch_lock);
	for (domain = resch_domain_after(0); domain; domain = resch_domain_after(domain->id)) {
		xa_for_each(&domain->servers.ids, id, entry)
			inner_tell(domain, entry);
	}
	mutex_unlock(&resch_lock);
}

void resch_inner_fill(struct resch_server_stat *stat, const struct resch_entry *entry)
{
	const struct resch_inside *inside = entry->inside;
	const char *fault;

	lockdep_assert_held(&resch_lock);
	if (!inside)
		return;
	fault = READ_ONCE(inside->inner.fault);
	strscpy(stat->plugin, inside->inner.plugin->name, sizeof(stat->plugin));
	strscpy(stat->options, inside->options, sizeof(stat->options));
	if (fault)
		strscpy(stat->fault, fault, sizeof(stat->fault));
}

void __init resch_inner_init(void)
{
	INIT_WORK(&resch_fault_work, inner_report);
}
