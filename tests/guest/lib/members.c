// SPDX-License-Identifier: GPL-2.0
/* members.c - a chain whose stages are processes, see members.h */
#include "members.h"

struct member *members;
pid_t member_pids[STAGES];

/* A process with a descriptor of its own, until it is told to leave, or loses its registration. */
static int member_main(void *arg)
{
	struct member *member = arg;
	struct resch_register reg = sporadic(MS, MS / 10);
	int fd = resch_open(), err;

	if (!member->number)
		reg.params.kind = RESCH_PERIODIC;
	reg.params.period = 5 * MS;
	reg.params.cpu = 1 + member->number;
	must(resch_register_self(fd, &reg));
	must(resch_chain_offer(fd, 0, stage_key(reg.id)));
	atomic_store(&member->id, reg.id);
	do {
		err = resch_wait(fd, NULL);
		switch (atomic_load(&member->leave)) {
		case MEMBER_UNREGISTERS:
			must(resch_unregister(fd, 0));
			return 0;
		case MEMBER_CLOSES:
			close(fd);
			return 0;
		case MEMBER_EXECUTES:
			execl("/bin/true", "true", NULL);
			return 1;
		}
	} while (!err || err == -EINTR);
	return err == -ECANCELED ? 0 : 1;
}

uint32_t members_chain(void)
{
	struct resch_chain_set want = chain_of(RESCH_CHAIN_RG1, 5 * MS, SEC);
	uint32_t tasks[STAGES];
	int i;

	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	if (!members)
		members = shared(STAGES * sizeof(*members));
	memset(members, 0, STAGES * sizeof(*members));
	for (i = 0; i < STAGES; i++) {
		members[i].number = i;
		member_pids[i] = child(member_main, &members[i]);
	}
	for (i = 0; i < STAGES; i++) {
		await((tasks[i] = atomic_load(&members[i].id)));
		await(state_of(tasks[i]) != RESCH_STATE_NEW);
	}
	must(chain_make(dev, &want, tasks, NULL));
	await(chain_stat(want.id).completed >= 10);
	return want.id;
}

void members_end(uint32_t chain, int who, int left)
{
	struct resch_event event = event_await(RESCH_EVENT_CHAIN_GONE, chain);
	struct resch_chain_stat stat;
	int i;

	check_is(event.value, who);
	stat = chain_stat(chain);
	check_is(stat.stopped, who + 1);
	await(tasks_registered() == (unsigned int)left);
	stat = chain_stat(chain);
	check(stat.completed >= 10 && stat.lost == stat.instances - stat.completed,
	      "%llu instances, %llu complete, %llu lost", (unsigned long long)stat.instances,
	      (unsigned long long)stat.completed, (unsigned long long)stat.lost);
	/* It goes no further. */
	sleep_ms(20);
	check_is(chain_stat(chain).completed, stat.completed);
	must(resch_chain_del(dev, chain));
	for (i = 0; i < STAGES; i++) {
		if (i != who)
			kill(member_pids[i], SIGKILL);
		child_wait(member_pids[i]);
	}
	await(!tasks_registered());
}
