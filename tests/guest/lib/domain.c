// SPDX-License-Identifier: GPL-2.0
/* domain.c - modules, and domains under their plugins, see lib.h */
#include "lib.h"

#include <limits.h>

/* ---- modules --------------------------------------------------------------------------------- */

/* File names have dashes where the kernel has underscores. */
static const char *module_name(const char *name, char *text, size_t size)
{
	char *dash;

	snprintf(text, size, "%s", name);
	while ((dash = strchr(text, '-')))
		*dash = '_';
	return text;
}

bool module_loaded(const char *name)
{
	char text[64], path[128], state[16];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate",
		 module_name(name, text, sizeof(text)));
	return file_read(path, state, sizeof(state)) && !strcmp(state, "live\n");
}

int module_load(const char *name, const char *params)
{
	const char *modules = getenv("RESCH_MODULES");
	char path[PATH_MAX];
	int fd, err = 0;

	/* The kernel would read all of the file before it says so. */
	if (module_loaded(name))
		return 0;
	snprintf(path, sizeof(path), "%s/%s.ko", modules ? modules : "/resch/modules", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

int module_unload(const char *name)
{
	char text[64];

	return syscall(SYS_delete_module, module_name(name, text, sizeof(text)), O_NONBLOCK) ?
		       -errno :
		       0;
}

/* A reference may be on its way out still: some patience. */
int modules_unload(char *left, size_t size)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	char line[512], name[64];
	int users, count;
	FILE *file;

	for (;;) {
		count = 0;
		file = fopen("/proc/modules", "r");
		while (file && fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%63s %*u %d", name, &users) != 2 ||
			    strncmp(name, "resch", 5))
				continue;
			count++;
			snprintf(left, size, "%s (%d users)", name, users);
			if (!users)
				syscall(SYS_delete_module, name, O_NONBLOCK);
		}
		if (file)
			fclose(file);
		if (!count || resch_now() > end)
			return count;
		sleep_ms(2);
	}
}

/* ---- domains --------------------------------------------------------------------------------- */

uint32_t domain_on(const char *cpus, const char *plugin, const char *options)
{
	struct resch_domain_set want = { .domain = 0 };
	char name[64];

	snprintf(name, sizeof(name), "resch-%s", plugin);
	if (strcmp(plugin, "fifo"))
		must(module_load(name, ""));
	must(resch_cpus_parse(cpus, &want.cpus));
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	snprintf(want.options, sizeof(want.options), "%s", options ? options : "");
	must(resch_domain_set(dev, &want));
	return want.domain;
}

uint32_t use(const char *plugin)
{
	return domain_on("1", plugin, NULL);
}

int domain_swap(uint32_t domain, const char *plugin, const char *options)
{
	struct resch_domain_set want = { .domain = domain };
	char name[64];

	snprintf(name, sizeof(name), "resch-%s", plugin);
	if (strcmp(plugin, "fifo"))
		module_load(name, "");
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	snprintf(want.options, sizeof(want.options), "%s", options ? options : "");
	return resch_domain_set(dev, &want);
}

struct resch_domain_stat domain_stat(uint32_t domain)
{
	struct resch_domain_stat stat;

	memset(&stat, 0, sizeof(stat));
	must(resch_domain_stat(dev, domain, &stat));
	return stat;
}

struct resch_info info(void)
{
	struct resch_info now;

	memset(&now, 0, sizeof(now));
	must(resch_info(dev, &now));
	return now;
}

struct resch_plugin_stat plugin_stat(const char *name)
{
	struct resch_plugin_stat stat = {};
	uint32_t i;

	for (i = 0; must(resch_plugin_stat(dev, i, &stat)) == 0; i++)
		if (!strcmp(stat.name, name))
			return stat;
	return stat;
}
