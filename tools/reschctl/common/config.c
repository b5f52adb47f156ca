// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - the file of run --config */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "owner.h"

struct spec *specs_add(struct spec **specs, size_t *count)
{
	struct spec *grown = reallocarray(*specs, *count + 1, sizeof(**specs));

	if (!grown) {
		fail("out of memory");
		return NULL;
	}
	*specs = grown;
	grown[*count] = (struct spec)SPEC_INIT;
	return &grown[(*count)++];
}

static int bad(const char *path, const char *what)
{
	fail("%s: %s", path, what);
	return -EINVAL;
}

static int read_thread(const char *path, struct json_object *thread, struct spec *spec)
{
	const char *text;
	int result;

	if (!json_object_is_type(thread, json_type_object))
		return bad(path, "each of \"threads\" is an object");
	json_object_object_foreach(thread, key, value)
	{
		text = json_object_get_string(value);
		if (!text)
			return bad(path, "null is no value");
		if (!strcmp(key, "match")) {
			if (strlen(text) >= sizeof(spec->match))
				return bad(path, "\"match\" is too long");
			snprintf(spec->match, sizeof(spec->match), "%s", text);
			continue;
		}
		result = spec_set(spec, key, text);
		if (result)
			return bad(path, "see above");
	}
	return 0;
}

/* The texts live as long as the tree does. */
static int read_place(const char *path, struct place *place, const char *key,
		      struct json_object *value)
{
	const struct {
		const char *key;
		const char **to;
	} keys[] = {
		{ "policy", &place->policy },	  { "domain", &place->domain_text },
		{ "cpus", &place->cpus_text },	  { "capacity", &place->capacity },
		{ "overhead", &place->overhead },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(key, keys[i].key) && json_object_get_string(value)) {
			*keys[i].to = json_object_get_string(value);
			return 0;
		}
	}
	fail("%s: '%s' is no key here: there are policy, domain, cpus, capacity, overhead, threads",
	     path, key);
	return -EINVAL;
}

int config_read(const char *path, struct place *place, struct spec **specs, size_t *count)
{
	struct json_object *root = json_object_from_file(path);
	struct spec *spec;
	size_t i;

	if (!root) {
		fail("%s", json_util_get_last_err() ? json_util_get_last_err() : path);
		return -EINVAL;
	}
	if (place->config) {
		json_object_put(root);
		fail("one --config is all there can be");
		return -EINVAL;
	}
	place->config = root;
	if (!json_object_is_type(root, json_type_object))
		return bad(path, "the outermost value is an object");
	json_object_object_foreach(root, key, value)
	{
		if (strcmp(key, "threads")) {
			if (read_place(path, place, key, value))
				return -EINVAL;
			continue;
		}
		if (!json_object_is_type(value, json_type_array))
			return bad(path, "\"threads\" is an array");
		for (i = 0; i < json_object_array_length(value); i++) {
			spec = specs_add(specs, count);
			if (!spec || read_thread(path, json_object_array_get_idx(value, i), spec))
				return -EINVAL;
		}
	}
	return 0;
}
