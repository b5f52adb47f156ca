// SPDX-License-Identifier: GPL-2.0-or-later
/* status.c - what stands, what could not be moved, what still ran on the RT CPUs */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "watch.h"

static const char help[] =
	"usage: reschctl shield status [--watch[=TIME] [--cpus=LIST] [--interval=TIME]] [--json]\n"
	"\n"
	"The shields that stand; interrupts and threads that could not be moved off their CPUs, with the reason; what has\n"
	"run there since the last shield was put up; and on guarded CPUs (plugin artis) who was lent to them, and what sent\n"
	"them away.\n"
	"\n"
	"--watch shows live what disturbs RT0 tasks, with culprit and length: interrupts, timers' functions, calls from\n"
	"other CPUs, work items, kernel threads, tasks. Times are in ns, of each alone, since the watch began; column RT0\n"
	"counts the times that an RT0 task had to wait. q or ^C ends it; elsewhere than on a terminal one table is\n"
	"printed, at the end.\n"
	"\n"
	"  -w, --watch[=TIME]      watch for so long (default: until it is stopped); 100ms to 24h\n"
	"      --cpus=LIST         watch these CPUs (default: those of all shields), shielded or not\n"
	"  -i, --interval=TIME     between two tables; 100ms to 1h (default: 1s)\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -j, --json              print JSON; with --watch an object a line at each interval, the last one whole\n"
	"  -h, --help              this text\n";

/** struct look - the report as it grows */
struct look {
	struct state *state;
	struct sweep sweep;
	struct json_object *fixed, *changed, *ran, *guards, *gaps;
	struct table guard_table;
	int fd; /* the device; -1: there is none */
	struct baseline *threads;
	size_t nr_threads;
};

/** struct baseline - how often a thread had run when the last shield was complete */
struct baseline {
	int tid;
	unsigned long long start, switches;
};

/* ---- what had run before --------------------------------------------------------------------- */

static void baseline_thread(void *arg, const struct thread *thread)
{
	fprintf(arg, "%d %llu %llu\n", thread->tid, (unsigned long long)thread->start,
		(unsigned long long)thread->switches);
}

/* Not needed to put anything back: an error leaves the counts without a beginning. */
void baseline_write(const struct state *state)
{
	int fd = state_file(state, "threads", O_WRONLY | O_CREAT | O_TRUNC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file) {
		each_thread(state->root, baseline_thread, file);
		fclose(file);
	}
	counters_write(state);
}

static void baseline_read(struct look *look)
{
	int fd = state_file(look->state, "threads", O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct baseline line;
	size_t room = 0;
	void *more;

	while (file && fscanf(file, "%d %llu %llu", &line.tid, &line.start, &line.switches) == 3) {
		if (look->nr_threads == room) {
			room = room ? 2 * room : 256;
			more = reallocarray(look->threads, room, sizeof(line));
			if (!more)
				break;
			look->threads = more;
		}
		look->threads[look->nr_threads++] = line;
	}
	if (file)
		fclose(file);
}

static uint64_t switches_since(const struct look *look, const struct thread *thread)
{
	size_t i;

	for (i = 0; i < look->nr_threads; i++) {
		if (look->threads[i].tid == thread->tid && look->threads[i].start == thread->start)
			return thread->switches - look->threads[i].switches;
	}
	return thread->switches;
}

/* ---- the lists ------------------------------------------------------------------------------- */

struct json_object *status_entry(struct json_object *list, const char *kind, uint64_t id,
				 const char *name, const struct resch_cpus *cpus)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "kind", kind);
	json_add(object, "id", json_object_new_int64((int64_t)id));
	json_add_text(object, "name", name);
	if (cpus)
		json_add_text(object, "cpus", cpus_text(cpus));
	json_object_array_add(list, object);
	return object;
}

static const char *refusal(const struct object *object)
{
	/* Up to 6.1 EIO, later EPERM. */
	if (object->kind == OBJECT_INTERRUPT && (object->stuck == EIO || object->stuck == EPERM))
		return "the kernel manages it (isolcpus=managed_irq at boot), or it belongs to one CPU";
	if (object->kind == OBJECT_THREAD && object->stuck == EINVAL)
		return "its cpuset has no other CPUs";
	if (object->kind == OBJECT_THREAD && object->stuck == EBUSY)
		return "it is under SCHED_DEADLINE, which allows no affinity";
	return strerror(object->stuck);
}

static bool moved(const struct object *object)
{
	return !cpus_equal(&object->orig, &object->set);
}

/* It was moved, and is not where it was moved to: somebody else has changed it since. */
static bool changed(const struct look *look, const struct object *object,
		    const struct resch_cpus *now)
{
	return object && moved(object) && !sweep_at(&look->sweep, now, &object->set);
}

static const char soon[] = "not seen yet: the keeper looks once a second";
static const char put_there[] = "was put there under the shield";

static void look_setting(void *arg, const struct setting *setting)
{
	struct look *look = arg;
	const struct object *object = state_find(look->state, OBJECT_SETTING, setting->id, 0);
	struct resch_cpus now;

	if (setting_get(look->state->root, setting, &now) <= 0)
		return;
	if (cpus_overlap(&now, &look->sweep.rt))
		json_add_text(status_entry(look->fixed, "setting", setting->id, setting->path,
					   &now),
			      "why", object && object->stuck ? refusal(object) : soon);
	else if (changed(look, object, &now))
		status_entry(look->changed, "setting", setting->id, setting->path, &now);
}

/* Values that were set, and are others now; or that were refused. */
static void look_knobs(struct look *look)
{
	size_t i;

	for (i = 0; i < look->state->nr_knobs; i++) {
		const struct knob *knob = &look->state->knobs[i];
		char now[KNOB_VALUE];

		if (knob->stuck)
			json_add_text(status_entry(look->fixed, "value", i, knob->path, NULL),
				      "why", strerror(knob->stuck));
		else if (strcmp(knob->set, knob->orig) &&
			 read_text(machine_path(look->state->root, "%s", knob->path), now,
				   sizeof(now)) > 0 &&
			 strcmp(now, knob->set))
			status_entry(look->changed, "value", i, knob->path, NULL);
	}
}

static void look_interrupt(void *arg, uint64_t irq)
{
	struct look *look = arg;
	const char *root = look->state->root, *why = soon;
	const struct object *object = state_find(look->state, OBJECT_INTERRUPT, irq, 0);
	struct resch_cpus now, set, effective, to;

	if (interrupt_get(root, irq, &set) <= 0)
		return;
	now = set;
	/* It may come to any of its CPUs, but goes to this one. */
	if (interrupt_effective(root, irq, &effective) > 0)
		now = effective;
	if (!cpus_overlap(&now, &look->sweep.rt)) {
		if (changed(look, object, &set))
			status_entry(look->changed, "interrupt", irq, interrupt_name(root, irq),
				     &set);
		return;
	}
	if (stay_steered(&look->sweep, irq, &to) && cpus_equal(&set, &to))
		why = "sent there, as asked";
	else if (stay_interrupt(&look->sweep, irq))
		why = "kept, as asked";
	else if (object && object->stuck)
		why = refusal(object);
	else if (changed(look, object, &set))
		why = put_there;
	else if (object && moved(object))
		why = "moved; the next one will go elsewhere";
	json_add_text(status_entry(look->fixed, "interrupt", irq, interrupt_name(root, irq), &now),
		      "why", why);
}

static const char lent_words[] = "lent by the guard, to compute there";

static const char *reason(const struct look *look, const struct thread *thread,
			  const struct object *object)
{
	switch (stay_thread(&look->sweep, thread, object && moved(object))) {
	case STAY_FIXED:
		return "the kernel binds it";
	case STAY_KEPT:
		return "kept, as asked";
	case STAY_REGISTERED:
		return "resch task";
	case STAY_BOUND:
		return sweep_lent(&look->sweep, thread) ? lent_words :
							  "real-time thread bound to RT CPUs";
	case STAY_CHOSEN:
		return sweep_lent(&look->sweep, thread) ? lent_words : put_there;
	default:
		break;
	}
	if (sweep_lent(&look->sweep, thread))
		return lent_words;
	if (object && object->stuck)
		return refusal(object);
	if (!object || !cpus_within(&thread->allowed, &look->sweep.rt))
		return soon;
	return put_there;
}

static void look_thread(void *arg, const struct thread *thread)
{
	struct look *look = arg;
	const struct object *object =
		state_find(look->state, OBJECT_THREAD, (uint64_t)thread->tid, thread->start);
	struct json_object *line;
	struct resch_cpus last = {};
	uint64_t switches;

	if (thread->run == 'Z' || thread->run == 'X')
		return;
	if (cpus_overlap(&thread->allowed, &look->sweep.rt)) {
		line = status_entry(look->fixed, "thread", (uint64_t)thread->tid, thread->comm,
				    &thread->allowed);
		json_add_text(line, "why", reason(look, thread, object));
	} else if (changed(look, object, &thread->allowed) &&
		   !sweep_guards(&look->sweep, thread, &object->set)) {
		status_entry(look->changed, "thread", (uint64_t)thread->tid, thread->comm,
			     &thread->allowed);
	}
	resch_cpus_add(&last, (unsigned int)thread->cpu);
	switches = switches_since(look, thread);
	if (cpus_overlap(&last, &look->sweep.rt) && switches) {
		line = status_entry(look->ran, "thread", (uint64_t)thread->tid, thread->comm,
				    &last);
		json_add_number(line, "count", switches);
	}
}

/* ---- guards ---------------------------------------------------------------------------------- */

static void look_guards(struct look *look)
{
	if (look->fd < 0)
		return;
	table_begin(&look->guard_table, guard_headings);
	guard_collect(look->fd, &look->sweep.rt, &look->guard_table, look->guards);
}

/* ---- printing -------------------------------------------------------------------------------- */

static struct json_object *shields_json(const struct state *state)
{
	static const char *const phases[] = { "rising", "stands", "falling" };
	struct json_object *list = json_object_new_array(), *object;
	size_t i;

	for (i = 0; i < state->nr_shields; i++) {
		const struct shield *shield = &state->shields[i];

		object = json_object_new_object();
		json_add_text(object, "cpus", cpus_text(&shield->cpus));
		json_add_text(object, "state", phases[shield->phase]);
		json_add(object, "domain", json_object_new_int64(shield->domain));
		json_add(object, "module", json_object_new_boolean(shield->module));
		json_add(object, "latency", json_object_new_boolean(shield->latency));
		json_add_text(object, "keep_irq",
			      strcmp(shield->keep_irqs, "-") ? shield->keep_irqs : "");
		json_add_text(object, "irq", strcmp(shield->irqs, "-") ? shield->irqs : "");
		json_add_text(object, "keep_task",
			      strcmp(shield->keep_tasks, "-") ? shield->keep_tasks : "");
		json_object_array_add(list, object);
	}
	return list;
}

static void moved_count(const struct state *state, unsigned int *count)
{
	size_t i;

	for (i = 0; i < state->nr_objects; i++)
		count[state->objects[i].kind] += moved(&state->objects[i]);
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !value)
		return "";
	return json_object_get_string(value);
}

static void print_list(const char *title, struct json_object *list, const char *last)
{
	static const char *const with_why[] = { "KIND", ">ID", "NAME", "CPUS", "WHY", NULL };
	static const char *const with_count[] = { "KIND", ">ID", "NAME", "CPUS", ">TIMES", NULL };
	static const char *const plain[] = { "KIND", ">ID", "NAME", "CPUS", NULL };
	struct table table;
	size_t i;

	if (!json_object_array_length(list))
		return;
	printf("\n%s\n", title);
	table_begin(&table, !last ? plain : strcmp(last, "why") ? with_count : with_why);
	for (i = 0; i < json_object_array_length(list); i++) {
		struct json_object *line = json_object_array_get_idx(list, i);

		table_add(&table, "%s", text_of(line, "kind"));
		table_add(&table, "%s", text_of(line, "id"));
		table_add(&table, "%.40s", text_of(line, "name"));
		table_add(&table, "%s", text_of(line, "cpus"));
		if (last)
			table_add(&table, "%s", text_of(line, last));
	}
	table_print(&table, stdout);
}

static void print_guards(struct look *look)
{
	if (!look->guard_table.count)
		return;
	puts("\nthreads that were lent to the RT CPUs to compute there, and what sent them home:");
	table_print(&look->guard_table, stdout);
	guard_print_calls(look->fd, &look->sweep.rt);
}

static void print_text(struct look *look, pid_t keeper, pid_t guardian)
{
	unsigned int count[NR_OBJECT_KINDS] = {};
	size_t i;

	for (i = 0; i < look->state->nr_shields; i++) {
		const struct shield *shield = &look->state->shields[i];

		printf("shield %s: %s", cpus_text(&shield->cpus),
		       shield->phase == SHIELD_STANDS ? "stands" : "a reschctl was killed over it");
		if (shield->domain)
			printf(", domain %u", shield->domain);
		fputs(shield->latency ? ", with values for latency" : "", stdout);
		puts(shield->module ? ", ends with the module" : "");
	}
	if (keeper)
		printf("kept by process %d, guarded by process %d\n", keeper, guardian);
	else
		puts("its keeper was killed: `reschctl unshield` puts all back");
	moved_count(look->state, count);
	printf("away: %u interrupts, %u threads, %u settings of the kernel\n",
	       count[OBJECT_INTERRUPT], count[OBJECT_THREAD], count[OBJECT_SETTING]);
	for (i = 0; i < json_object_array_length(look->gaps); i++)
		printf("note: %s\n",
		       json_object_get_string(json_object_array_get_idx(look->gaps, i)));
	print_list("still on the RT CPUs, or free to come there:", look->fixed, "why");
	print_list("moved, and changed by somebody else since:", look->changed, NULL);
	print_list("has run on the RT CPUs since the shield stands:", look->ran, "count");
	print_guards(look);
}

static void print_json(const struct look *look, pid_t keeper, pid_t guardian)
{
	struct json_object *out = json_object_new_object(), *away = json_object_new_object();
	unsigned int count[NR_OBJECT_KINDS] = {};

	moved_count(look->state, count);
	json_add(away, "interrupts", json_object_new_int64(count[OBJECT_INTERRUPT]));
	json_add(away, "threads", json_object_new_int64(count[OBJECT_THREAD]));
	json_add(away, "settings", json_object_new_int64(count[OBJECT_SETTING]));
	json_add(out, "shields", shields_json(look->state));
	json_add(out, "keeper", json_object_new_int(keeper));
	json_add(out, "guardian", json_object_new_int(guardian));
	json_add(out, "away", away);
	json_add(out, "fixed", json_object_get(look->fixed));
	json_add(out, "changed", json_object_get(look->changed));
	json_add(out, "ran", json_object_get(look->ran));
	json_add(out, "guards", json_object_get(look->guards));
	json_add(out, "gaps", json_object_get(look->gaps));
	json_show(out, stdout);
}

static int status_show(struct state *state, bool json)
{
	struct look look = { .state = state };
	pid_t keeper = state_holder(state, "keeper"), guardian = state_holder(state, "guardian");

	sweep_begin(&look.sweep, state);
	look.fixed = json_object_new_array();
	look.changed = json_object_new_array();
	look.ran = json_object_new_array();
	look.guards = json_object_new_array();
	look.gaps = gaps_find(state);
	/* Other machines' copies have no device. */
	look.fd = *state->root ? -1 : resch_open();
	if (state->nr_shields) {
		look_guards(&look);
		baseline_read(&look);
		each_setting(state->root, look_setting, &look);
		look_knobs(&look);
		each_interrupt(state->root, look_interrupt, &look);
		each_thread(state->root, look_thread, &look);
		counters_look(state, &look.sweep.rt, look.ran);
	}
	if (json)
		print_json(&look, keeper, guardian);
	else if (state_exists(state))
		print_text(&look, keeper, guardian);
	else
		puts("there is no shield");
	json_object_put(look.fixed);
	json_object_put(look.changed);
	json_object_put(look.ran);
	json_object_put(look.guards);
	json_object_put(look.gaps);
	if (look.fd >= 0)
		close(look.fd);
	free(look.threads);
	sweep_end(&look.sweep);
	return EXIT_DONE;
}

static int show_once(const char *root, bool json)
{
	struct state *state = malloc(sizeof(*state));
	int result;

	if (!state)
		return fail("out of memory");
	result = state_open(state, root, false);
	if (result)
		result = fail("%s: %s", state->folder, strerror(-result));
	else
		result = status_show(state, json);
	state_close(state);
	free(state);
	return result;
}

static int take_watch(const struct option_table *table, const struct option_row *row,
		      const char *value)
{
	return value ? option_time(table, row, value) : -1;
}

int shield_status(int argc, char **argv)
{
	struct watch_request request = { .root = "", .interval = 1000000000 };
	bool watch = false, details = false;
	const struct option_row rows[] = {
		{ "root", 0, "directory", option_text, &request.root },
		{ "watch", 'w', "?time", take_watch, &request.length, 100 * MS, 24 * HOUR, &watch },
		{ "cpus", 0, "cpus", option_cpus, &request.cpus, .given = &details },
		{ "interval", 'i', "time", option_time, &request.interval, 100 * MS, HOUR,
		  &details },
		OPTION_JSON(&request.json),
		{},
	};
	const struct option_table table = { "shield", help, .rows = rows };
	int status = options_run(argc, argv, &table);

	if (status >= 0)
		return status;
	if (optind != argc)
		return usage("shield", "shield status takes no arguments");
	if (details && !watch)
		return usage("shield", "--cpus and --interval go with --watch");
	return watch ? shield_watch(&request) : show_once(request.root, request.json);
}
