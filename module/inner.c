// SPDX-License-Identifier: GPL-2.0
/*
 * inner.c - plugins inside servers: found, kept loaded, given back, and what is said when one errs
 *
 * The server holds the plugin's module from its making to its end, whatever plugin the domain is under:
 * it stands when another one takes over. What tells the plugin inside anything is the one that has the
 * servers, under cpu->lock, while the server has tasks; so one without tasks can be freed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "domain.h"
#include "inner.h"
#include "server-set.h"

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

int resch_inner_make(struct server *server, const char *plugin, const char *options)
{
	struct resch_algorithm *algorithm;
	struct inside *inside;
	int err;

	lockdep_assert_held(&resch_lock);
	if (!inner_words_valid(plugin, options))
		return -EINVAL;
	if (server->server.params.policy != RESCH_SERVER_PLUGIN)
		return inner_named(plugin, options) ? -EINVAL : 0;
	algorithm = resch_registry_get(plugin);
	if (IS_ERR(algorithm))
		return PTR_ERR(algorithm);
	inside = kzalloc(sizeof(*inside), GFP_KERNEL_ACCOUNT);
	err = inside ? 0 : -ENOMEM;
	if (!err && !resch_plugin_fits_inside(algorithm->plugin))
		err = -EINVAL;
	if (!err)
		err = resch_domain_options(algorithm->plugin, options, inside->inner.domain);
	if (err) {
		kfree(inside);
		resch_registry_put(algorithm);
		return err;
	}
	algorithm->servers++;
	inside->algorithm = algorithm;
	inside->inner.plugin = algorithm->plugin;
	strscpy(inside->options, options, sizeof(inside->options));
	server->inside = inside;
	server->server.inner = &inside->inner;
	return 0;
}

void resch_inner_free(struct server *server)
{
	struct inside *inside = server->inside;

	lockdep_assert_held(&resch_lock);
	if (!inside)
		return;
	if (server->rc) {
		resch_cpu_lock_irq(server->rc);
		server->server.inner = NULL;
		resch_cpu_unlock_irq(server->rc);
	}
	server->inside = NULL;
	inside->algorithm->servers--;
	resch_registry_put(inside->algorithm);
	kfree(inside);
}

bool resch_inner_is(const struct server *server, const char *plugin, const char *options)
{
	const struct inside *inside = server->inside;

	if (!inner_words_valid(plugin, options))
		return false;
	if (!inner_named(plugin, options))
		return true;
	return inside && !strcmp(plugin, inside->inner.plugin->name) &&
	       !strcmp(options, inside->options);
}

void resch_inner_renew(struct server *server)
{
	resch_cpu_assert_locked(server->rc);
	if (!server->inside)
		return;
	resch_inner_reset(&server->inside->inner, &server->rc->rq);
	server->inside->told = false;
}

/* ---- faults -------------------------------------------------------------------------------------- */

static void inner_tell(const struct resch_domain *domain, const struct server *server)
{
	struct inside *inside = server->inside;
	const char *fault = inside ? READ_ONCE(inside->inner.fault) : NULL;

	if (!fault || inside->told)
		return;
	inside->told = true;
	pr_warn("server %u:%u: plugin %s inside it %s: edf takes its place\n", domain->id,
		server->server.id, inside->inner.plugin->name, fault);
}

/* The words of a fault are those of the domain's plugin, which stays as long as we have the lock. */
static void inner_report(struct work_struct *work)
{
	struct resch_domain *domain;
	struct server *server;
	unsigned long id;

	mutex_lock(&resch_lock);
	for (domain = resch_domain_after(0); domain; domain = resch_domain_after(domain->id)) {
		xa_for_each(&domain->servers.ids, id, server)
			inner_tell(domain, server);
	}
	mutex_unlock(&resch_lock);
}

static DECLARE_WORK(inner_work, inner_report);

void resch_inner_faulted(void)
{
	queue_work(resch_workqueue, &inner_work);
}

void resch_inner_fill(struct resch_server_stat *stat, const struct server *server)
{
	const struct inside *inside = server->inside;
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
