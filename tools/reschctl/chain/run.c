// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - reschctl chain run: the chains of a file, done by threads that compute
 *
 * Each stage is a thread of this process, which registers itself and computes for its stage's wcet,
 * or a share of it, in each job. The module hands over from one to the next.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "chain/chain.h"
#include "common/owner.h"

#define STAGES (RESCH_CHAINS_MAX * RESCH_CHAIN_STAGES_MAX)

/** struct runner - a thread that is a stage */
struct runner {
	pthread_t thread;
	int fd;
	struct resch_register reg;
	uint64_t work; /* CPU time of a job, ns */
	sem_t ready; /* it has tried to register */
	int result; /* of that */
	bool started;
};

/** struct show - one call */
struct show {
	struct chain_question *question;
	struct place place;
	struct runner *runners; /* of all chains, in the order of the file */
	uint32_t count;
	uint32_t ids[RESCH_CHAINS_MAX];
	uint32_t made; /* chains */
	int fd;
	struct chain_record record;
};

/* ---- stages ---------------------------------------------------------------------------------- */

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *runner_main(void *arg)
{
	struct runner *runner = arg;
	uint64_t begin;
	int result;

	runner->result = resch_register_self(runner->fd, &runner->reg);
	sem_post(&runner->ready);
	if (runner->result)
		return NULL;
	/* Until we are unregistered: -ECANCELED. */
	for (;;) {
		do
			result = resch_wait(runner->fd, NULL);
		while (result == -EINTR);
		if (result)
			return NULL;
		begin = cpu_time();
		while (cpu_time() - begin < runner->work)
			;
	}
}

/* Return: -1: it goes on; else an exit status after a message. */
static int runner_start(struct show *show, struct runner *runner)
{
	int err;

	runner->fd = show->fd;
	runner->reg.domain = show->place.domain;
	sem_init(&runner->ready, 0, 0);
	err = pthread_create(&runner->thread, NULL, runner_main, runner);
	if (err)
		return fail("a thread cannot be made: %s", strerror(err));
	runner->started = true;
	while (sem_wait(&runner->ready) && errno == EINTR)
		;
	if (!runner->result)
		return -1;
	return fail("stage %.15s is refused: %s", runner->reg.params.name,
		    refusal_text(runner->result, &runner->reg));
}

/* Has it come to its first wait? */
static bool runner_waits(const struct runner *runner)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	struct resch_task_stat stat;
	int tries;

	for (tries = 0; tries < 10000; tries++) {
		if (resch_task_stat(runner->fd, runner->reg.id, &stat))
			return false;
		if (stat.state != RESCH_STATE_NEW)
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* What the kernel has no means for. Return: -1, or an exit status after a message. */
static int check_chain(const struct chain_question *question, const struct resch_chain_spec *chain)
{
	uint32_t i;

	if (chain->jitter)
		return fail("%s: chain %.15s: a release jitter can't be made", question->path,
			    chain->name);
	for (i = 0; i < chain->count; i++) {
		const struct resch_stage_spec *stage = &chain->stages[i];

		if (stage->kind != RESCH_STAGE_CPU || stage->clock || *stage->node)
			return fail(
				"%s: chain %.15s, stage %.15s: only stages on this machine's CPUs, without clocks, "
				"can be run",
				question->path, chain->name, stage->name);
		if (stage->flags & RESCH_STAGE_ORIGIN &&
		    question->set.model.policy == RESCH_CHAIN_EDF)
			return fail(
				"%s: chain %.15s: the module has no deadlines from the origin: another --rule",
				question->path, chain->name);
	}
	return -1;
}

static void fill_runner(const struct chain_question *question, const struct resch_chain_spec *chain,
			uint32_t index, struct runner *runner)
{
	const struct resch_stage_spec *stage = &chain->stages[index];
	struct resch_task_params *params = &runner->reg.params;

	*runner = (struct runner){ .work = stage->wcet / 100 * question->load };
	params->period = chain->period;
	/* What has priorities needs no local deadline; all of the chain's is as good. */
	params->deadline = stage->local ? stage->local : chain->deadline;
	params->wcet = stage->wcet;
	params->kind = index ? RESCH_SPORADIC : RESCH_PERIODIC;
	params->priority = stage->priority;
	params->cpu = stage->cpu;
	params->flags = index ? 0 : RESCH_F_SYNC;
	/* By responses end to end it was admitted, or that was waived. */
	params->flags |= RESCH_F_SKIP_ADMISSION;
	snprintf(params->name, sizeof(params->name), "%.7s.%.7s", chain->name, stage->name);
}

/* Return: -1, or an exit status after a message. */
static int start_chain(struct show *show, const struct resch_chain_spec *chain,
		       const struct resch_stage_bound *bounds, struct runner *runners)
{
	struct resch_chain_stage stages[RESCH_CHAIN_STAGES_MAX] = {};
	struct resch_chain_set want = {
		.count = chain->count,
		.protocol = chain->protocol,
		.flags = RESCH_CHAIN_F_SKIP_ADMISSION |
			 (show->record.file ? RESCH_CHAIN_F_COMPLETE : 0),
		.period = chain->period,
		.deadline = chain->deadline,
	};
	uint32_t i;
	int result;

	if (show->question->skip_late)
		want.flags |= RESCH_CHAIN_F_SKIP_LATE;
	snprintf(want.name, sizeof(want.name), "%.15s", chain->name);
	for (i = 0; i < chain->count; i++) {
		const struct resch_stage_spec *spec = &chain->stages[i];
		uint64_t key = 0;

		if (getrandom(&key, sizeof(key), 0) != sizeof(key))
			return fail("no random numbers: %s", strerror(errno));
		key += !key;
		stages[i].task = runners[i].reg.id;
		stages[i].from_mask = resch_stage_from(spec, i);
		stages[i].flags = spec->flags & RESCH_STAGE_ANY ? RESCH_STAGE_F_ANY : 0;
		stages[i].key = key;
		if (i && chain->protocol == RESCH_CHAIN_PM)
			stages[i].phase = bounds[i].phase;
		if (i && chain->protocol == RESCH_CHAIN_MPM)
			stages[i].phase = bounds[__builtin_ctz(stages[i].from_mask)].alone;
		result = resch_chain_offer(show->fd, runners[i].reg.id, key);
		if (result)
			return fail("chain %.15s: %s", chain->name, error_text(result));
	}
	result = resch_chain_set(show->fd, &want, stages);
	if (result)
		return fail("chain %.15s: %s", chain->name, error_text(result));
	show->ids[show->made++] = want.id;
	return -1;
}

static int find_place(struct show *show)
{
	const struct resch_chain_model *model = &show->question->set.model;
	struct spec *specs = calloc(show->count, sizeof(*specs));
	uint32_t i;
	int result;

	if (!specs)
		return fail("out of memory");
	for (i = 0; i < show->count; i++)
		specs[i].params.cpu = show->runners[i].reg.params.cpu;
	show->place.policy = model->policy == RESCH_CHAIN_EDF ? "edf" : "fp:order=explicit";
	result = place_find(show->fd, &show->place, specs, show->count);
	free(specs);
	return result ? result : -1;
}

/* Return: -1: they run; else an exit status after a message. */
static int start(struct show *show)
{
	const struct chain_question *question = show->question;
	const struct resch_chain_model *model = &question->set.model;
	uint32_t i, k, first = 0;
	int result;

	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			fill_runner(question, &model->chains[i], k, &show->runners[show->count++]);
	result = find_place(show);
	for (i = 0; i < show->count && result < 0; i++)
		result = runner_start(show, &show->runners[i]);
	for (i = 0; i < show->count && result < 0; i++)
		if (!runner_waits(&show->runners[i]))
			result = fail("stage %.15s does not come up",
				      show->runners[i].reg.params.name);
	for (i = 0; i < model->count && result < 0; i++) {
		result = start_chain(show, &model->chains[i], question->result.chains[i].stages,
				     &show->runners[first]);
		first += model->chains[i].count;
	}
	if (result >= 0)
		return result;
	result = resch_start(show->fd, show->place.domain, 0);
	return result < 0 ? fail("start: %s", error_text(result)) : -1;
}

static void stop(struct show *show)
{
	uint32_t i;

	for (i = 0; i < show->made; i++)
		resch_chain_del(show->fd, show->ids[i]);
	for (i = 0; i < show->count; i++) {
		struct runner *runner = &show->runners[i];

		if (!runner->started)
			continue;
		if (!runner->result)
			resch_unregister(show->fd, runner->reg.id);
		pthread_join(runner->thread, NULL);
		sem_destroy(&runner->ready);
	}
	place_leave(show->fd, &show->place);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void report_json(const struct show *show)
{
	const struct chain_question *question = show->question;
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	struct chain_seen seen = {};
	uint32_t i;

	for (i = 0; i < show->made; i++) {
		const struct resch_chain_bound *bound = &question->result.chains[i];
		struct json_object *one;

		if (chain_see(show->fd, show->ids[i], &seen))
			continue;
		one = chain_stat_json(&seen);
		json_add(one, "bound",
			 bound->response == RESCH_CHAIN_NEVER ?
				 NULL :
				 json_object_new_int64((int64_t)bound->response));
		json_object_array_add(list, one);
	}
	json_add_text(out, "method", resch_chain_method_name(question->result.method));
	json_add(out, "chains", list);
	json_show(out, stdout);
}

static void report(const struct show *show)
{
	const struct chain_question *question = show->question;
	struct chain_seen seen = {};
	struct table table;
	uint32_t i;

	if (question->json) {
		report_json(show);
		return;
	}
	chain_stat_table(&table);
	for (i = 0; i < show->made; i++)
		if (!chain_see(show->fd, show->ids[i], &seen))
			chain_stat_add(&table, &seen.stat);
	table_print(&table, stdout);
	for (i = 0; i < show->made; i++)
		printf("%.15s: at most %s by %s\n", question->set.model.chains[i].name,
		       chain_time(question->result.chains[i].response),
		       resch_chain_method_name(question->result.method));
}

/*
 * Off the CPUs that the chains may fill: on PREEMPT_RT the end of an ordinary thread's sleep is
 * told by a thread of its CPU that all tasks are above.
 */
static void step_aside(const struct show *show)
{
	cpu_set_t elsewhere;
	uint32_t i;

	if (sched_getaffinity(0, sizeof(elsewhere), &elsewhere))
		return;
	for (i = 0; i < show->count; i++)
		if (show->runners[i].reg.params.cpu >= 0)
			CPU_CLR((size_t)show->runners[i].reg.params.cpu, &elsewhere);
	if (CPU_COUNT(&elsewhere))
		sched_setaffinity(0, sizeof(elsewhere), &elsewhere);
}

/* Until the time is over, or somebody ends it. */
static void last(struct show *show, const sigset_t *mask, uint64_t duration)
{
	const struct timespec time = { .tv_sec = (time_t)(duration / 1000000000),
				       .tv_nsec = (long)(duration % 1000000000) };

	if (show->record.file) {
		show->record.chains = show->question->set.model.chains;
		show->record.ids = show->ids;
		show->record.count = show->made;
		record_until(&show->record, show->fd, mask, resch_now() + duration);
		return;
	}
	while (sigtimedwait(mask, NULL, &time) < 0 && errno == EINTR)
		;
}

static int run(struct chain_question *question)
{
	struct show show = { .question = question };
	sigset_t mask;
	int result;

	show.runners = calloc(STAGES, sizeof(*show.runners));
	if (!show.runners)
		return fail("out of memory");
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	show.fd = device_open();
	result = show.fd < 0 ? EXIT_FAILED : record_open(&show.record, question->output);
	if (result < 0)
		result = start(&show);
	if (result < 0) {
		step_aside(&show);
		last(&show, &mask, question->duration);
		report(&show);
		result = EXIT_DONE;
	}
	if (show.record.file && record_close(&show.record, question->output) >= 0)
		result = EXIT_FAILED;
	if (show.fd >= 0) {
		stop(&show);
		close(show.fd);
	}
	free(show.runners);
	return result;
}

int chain_run(int argc, char **argv)
{
	struct chain_question question;
	char text[RESCH_CHAIN_TEXT];
	int result = chain_ask(argc, argv, "run", &question);
	uint32_t i;

	if (result >= 0)
		return result;
	result = chain_make(&question, false);
	for (i = 0; i < question.set.model.count && result < 0; i++)
		result = check_chain(&question, &question.set.model.chains[i]);
	if (result < 0)
		result = chain_judge(&question);
	if (result < 0 && question.result.refusal.reason && !question.force) {
		chain_why(&question, question.result.refusal.chain, text);
		result = fail("%s: %s; --force runs it all the same", question.path, text);
	}
	if (result < 0)
		result = run(&question);
	chain_end(&question);
	return result;
}
