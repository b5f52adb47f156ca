// SPDX-License-Identifier: GPL-2.0
/*
 * layout.c - layouts of time slots, as reschctl assign --json prints them: a task set and its plan
 *
 *   {"method": "npsf", "slot": 2000000,
 *    "tasks": [{"name": "t1", "wcet": 600000, "period": 1000000, "group": 1, ...}, ...],
 *    "reserves": [{"cpu": 0, "group": 1, "begin": 0, "end": 1300000}, ...], ...}
 *
 * Times are in ns. Of a task also deadline, offset, max_offset, max_period, min_exec and max_exec
 * are read, and mean what the columns of task sets mean (tools/common/taskset.h); overrun and miss
 * are words. All else is passed over.
 */
#include <json-c/json.h>
#include <resch.h>

#include "method.h"
#include "sim.h"

/* As in task sets. */
#define TIME_MAX 3600000000000ULL
#define TASKS_MAX 16384

/* Where in the file, for messages: "reserves[3]". */
struct place {
	char name[32];
	char *error;
	size_t size;
};

static int fail(const struct place *at, const char *field, const char *what)
{
	snprintf(at->error, at->size, "%s%s%s: %s", at->name, *at->name && *field ? "." : "", field,
		 what);
	return -EINVAL;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A whole number from @least to @most; left as it is where it is not there and @needed is false. */
static int get_number(const struct place *at, struct json_object *from, const char *field,
		      bool needed, u64 least, u64 most, __u64 *to)
{
	struct json_object *value;
	char text[96];

	if (!json_object_object_get_ex(from, field, &value))
		return needed ? fail(at, field, "is missing") : 0;
	if (!json_object_is_type(value, json_type_int))
		return fail(at, field, "is not a whole number");
	if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) < least ||
	    json_object_get_uint64(value) > most) {
		snprintf(text, sizeof(text), "%s is not from %llu to %llu",
			 json_object_get_string(value), (unsigned long long)least,
			 (unsigned long long)most);
		return fail(at, field, text);
	}
	*to = json_object_get_uint64(value);
	return 0;
}

static int get_time(const struct place *at, struct json_object *from, const char *field, __u64 *to)
{
	return get_number(at, from, field, false, 0, TIME_MAX, to);
}

/* What @parse makes of a word: a number, or -EINVAL. Left as it is where it is not there. */
static int get_word(const struct place *at, struct json_object *from, const char *field,
		    int (*parse)(const char *text), __u32 *to)
{
	struct json_object *value;
	char text[96];
	int number = -EINVAL;

	if (!json_object_object_get_ex(from, field, &value))
		return 0;
	if (json_object_is_type(value, json_type_string))
		number = parse(json_object_get_string(value));
	if (number < 0) {
		snprintf(text, sizeof(text), "unknown word %.60s",
			 json_object_to_json_string(value));
		return fail(at, field, text);
	}
	*to = (__u32)number;
	return 0;
}

static int get_array(const struct place *at, struct json_object *from, const char *field,
		     size_t most, struct json_object **to)
{
	size_t count;

	if (!json_object_object_get_ex(from, field, to) ||
	    !json_object_is_type(*to, json_type_array))
		return fail(at, field, "is missing, or no list");
	count = json_object_array_length(*to);
	if (!count || count > most)
		return fail(at, field, count ? "is too long" : "is empty");
	return 0;
}

/* The @index-th of the list, which is to be an object. */
static int get_object(struct place *at, const char *list, struct json_object *from, size_t index,
		      struct json_object **to)
{
	snprintf(at->name, sizeof(at->name), "%s[%zu]", list, index);
	*to = json_object_array_get_idx(from, index);
	return json_object_is_type(*to, json_type_object) ? 0 : fail(at, "", "is not an object");
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static int read_times(const struct place *at, struct json_object *from, struct taskset_task *task)
{
	struct resch_task_params *params = &task->params;
	int err;

	err = get_number(at, from, "period", true, 1, TIME_MAX, &params->period);
	params->deadline = task->gap_max = params->period;
	err = err ? err : get_time(at, from, "deadline", &params->deadline);
	if (!err)
		err = get_number(at, from, "wcet", true, 1, min(params->period, params->deadline),
				 &params->wcet);
	task->exec_max = params->wcet;
	err = err ? err : get_time(at, from, "max_exec", &task->exec_max);
	task->exec_min = task->exec_max;
	err = err ? err : get_time(at, from, "min_exec", &task->exec_min);
	err = err ? err : get_time(at, from, "max_period", &task->gap_max);
	err = err ? err : get_time(at, from, "offset", &params->offset);
	task->offset_max = params->offset;
	return err ? err : get_time(at, from, "max_offset", &task->offset_max);
}

static int read_task(const struct place *at, struct json_object *from, struct taskset_task *task)
{
	struct resch_task_params *params = &task->params;
	struct json_object *name;
	__u64 group = 0;
	int err;

	*task = (struct taskset_task){ .params = { .cpu = -1 } };
	if (json_object_object_get_ex(from, "name", &name))
		snprintf(params->name, sizeof(params->name), "%.15s", json_object_get_string(name));
	err = read_times(at, from, task);
	err = err ? err : get_number(at, from, "group", true, 1, RESCH_GROUPS_MAX, &group);
	err = err ? err : get_word(at, from, "overrun", resch_react_parse, &params->overrun);
	err = err ? err : get_word(at, from, "miss", resch_react_parse, &params->miss);
	if (err)
		return err;
	params->group = (u32)group;
	if (!task->exec_max || !task->exec_min || task->exec_min > task->exec_max)
		return fail(at, "min_exec", "is not from 1 to max_exec");
	if (task->gap_max < params->period)
		return fail(at, "max_period", "is less than the period");
	if (task->offset_max < params->offset)
		return fail(at, "max_offset", "is less than the offset");
	if (task->gap_max > params->period)
		params->kind = RESCH_SPORADIC;
	return 0;
}

static int read_tasks(struct place *at, struct json_object *root, struct taskset *set)
{
	struct json_object *list, *task;
	int err = get_array(at, root, "tasks", TASKS_MAX, &list);
	size_t i, count = err ? 0 : json_object_array_length(list);

	if (!err)
		set->tasks = calloc(count, sizeof(*set->tasks));
	if (!err && !set->tasks)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++) {
		err = get_object(at, "tasks", list, i, &task);
		err = err ? err : read_task(at, task, &set->tasks[i]);
	}
	set->count = (u32)count;
	at->name[0] = '\0';
	return err;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int read_reserve(const struct place *at, struct json_object *from, u64 slot,
			struct resch_reserve *reserve)
{
	__u64 cpu = 0, group = 0, begin = 0, end = 0;
	int err;

	err = get_number(at, from, "cpu", true, 0, RESCH_CPUS_MAX - 1, &cpu);
	err = err ? err : get_number(at, from, "group", true, 1, RESCH_GROUPS_MAX, &group);
	err = err ? err : get_number(at, from, "begin", true, 0, slot - 1, &begin);
	err = err ? err : get_number(at, from, "end", true, begin + 1, slot, &end);
	*reserve = (struct resch_reserve){
		.begin = begin, .end = end, .group = (u32)group, .cpu = (u32)cpu
	};
	return err;
}

static int read_plan(struct place *at, struct json_object *root, struct sim_plan_file *plan)
{
	struct json_object *list, *reserve;
	__u64 slot = 0;
	int err = get_number(at, root, "slot", true, 1, TIME_MAX, &slot);
	size_t i, count;

	plan->slot = slot;
	err = err ? err : get_array(at, root, "reserves", RESCH_RESERVES_MAX, &list);
	count = err ? 0 : json_object_array_length(list);
	if (!err)
		plan->reserves = calloc(count, sizeof(*plan->reserves));
	if (!err && !plan->reserves)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++) {
		err = get_object(at, "reserves", list, i, &reserve);
		err = err ? err : read_reserve(at, reserve, plan->slot, &plan->reserves[i]);
	}
	plan->count = (u32)count;
	at->name[0] = '\0';
	return err;
}

/* Each task's group has a reserve. */
static int check_groups(struct place *at, const struct sim_layout *layout)
{
	bool has[RESCH_GROUPS_MAX + 1] = { false };
	u32 i;

	for (i = 0; i < layout->plan.count; i++)
		has[layout->plan.reserves[i].group] = true;
	for (i = 0; i < layout->set.count; i++) {
		if (has[layout->set.tasks[i].params.group])
			continue;
		snprintf(at->name, sizeof(at->name), "tasks[%u]", i);
		return fail(at, "group", "has no reserves");
	}
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int read_method(const struct place *at, struct json_object *root, const char **plugin)
{
	__u32 method = UINT32_MAX;
	int err = get_word(at, root, "method", resch_assign_parse, &method);

	if (!err && method == UINT32_MAX)
		return fail(at, "method", "is missing");
	if (!err)
		*plugin = method_plugin(method);
	return err;
}

/* The object that the file holds; NULL with @error */
static struct json_object *parse(FILE *file, char *error, size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error why = json_tokener_continue;
	struct json_object *root = NULL;
	char block[8192];
	size_t length;

	while (tokener && why == json_tokener_continue &&
	       (length = fread(block, 1, sizeof(block), file))) {
		root = json_tokener_parse_ex(tokener, block, (int)length);
		why = json_tokener_get_error(tokener);
	}
	if (!tokener)
		snprintf(error, size, "no memory");
	else if (ferror(file))
		snprintf(error, size, "can't be read");
	else if (why == json_tokener_continue)
		snprintf(error, size, "no JSON: it ends too early");
	else if (why != json_tokener_success)
		snprintf(error, size, "no JSON: %s", json_tokener_error_desc(why));
	else if (!json_object_is_type(root, json_type_object))
		snprintf(error, size, "it is not an object");
	if (tokener)
		json_tokener_free(tokener);
	if (*error) {
		json_object_put(root);
		root = NULL;
	}
	return root;
}

bool sim_is_json(FILE *file)
{
	int c;

	do {
		c = getc(file);
	} while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	ungetc(c, file);
	return c == '{';
}

int sim_layout_read(FILE *file, struct sim_layout *layout, char *error, size_t size)
{
	struct place at = { .error = error, .size = size };
	struct json_object *root;
	int err;

	memset(layout, 0, sizeof(*layout));
	*error = '\0';
	root = parse(file, error, size);
	if (!root)
		return -EINVAL;
	err = read_method(&at, root, &layout->plugin);
	err = err ? err : read_plan(&at, root, &layout->plan);
	err = err ? err : read_tasks(&at, root, &layout->set);
	err = err ? err : check_groups(&at, layout);
	json_object_put(root);
	if (err == -ENOMEM)
		snprintf(error, size, "no memory");
	if (err)
		sim_layout_free(layout);
	return err;
}

void sim_layout_free(struct sim_layout *layout)
{
	taskset_free(&layout->set);
	free(layout->plan.reserves);
	memset(layout, 0, sizeof(*layout));
}
