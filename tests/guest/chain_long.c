// SPDX-License-Identifier: GPL-2.0
/*
 * chain_long.c - many instances by each protocol, and many stages killed, while plugins are swapped
 * and CPUs go offline
 *
 * A few of each here; `make campaign-chains` has ten thousand and a thousand.
 *
 * resch-test: timeout=300
 */
#include "members.h"

static unsigned int seed = 20261125;

/* How many are asked for, or as many as are enough for each day. */
static unsigned int asked(const char *variable, unsigned int usual)
{
	const char *text = getenv(variable);

	return text && *text ? (unsigned int)strtoul(text, NULL, 0) : usual;
}

static __attribute__((constructor)) void no_limit(void)
{
	test_limit = asked("RESCH_INSTANCES", 0) ? 4 * 3600 : 240;
}

/* ---- instances ------------------------------------------------------------------------------- */

static void protocol(uint32_t protocol, const char *name)
{
	const uint64_t phases[STAGES] = { 0, 2 * MS, 2 * MS };
	struct resch_chain_set want = chain_of(protocol, MS, SEC);
	unsigned int count = asked("RESCH_INSTANCES", 200);
	struct resch_chain_stat stat;
	uint32_t tasks[STAGES];
	int i;

	domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	for (i = 0; i < STAGES; i++)
		tasks[i] = stages.tasks[i].id;
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(dev, &want, tasks, protocol == RESCH_CHAIN_MPM ? phases : NULL));
	stages.chain = want.id;
	/* In order, each stage once, after the one before: they fail if not. */
	stages_feed(count, NULL);
	await(chain_stat(want.id).completed == count);
	stat = chain_stat(want.id);
	check_is(stat.instances, count);
	check_is(stat.lost, 0);
	check_is(stat.skipped, 0);
	stages_end();
	printf("# %s: %u instances, none lost\n", name, count);
}

TEST(ds, "direct synchronisation loses no instance, and has each in order")
{
	protocol(RESCH_CHAIN_DS, "ds");
}

TEST(rg1, "nor does the release guard with one rule")
{
	protocol(RESCH_CHAIN_RG1, "rg1");
}

TEST(rg, "nor the one with both")
{
	protocol(RESCH_CHAIN_RG, "rg");
}

TEST(mpm, "nor modified phase modification")
{
	protocol(RESCH_CHAIN_MPM, "mpm");
}

/* ---- deaths ---------------------------------------------------------------------------------- */

static void cpu_is(int cpu, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	check(file_write(path, state), "CPU %d does not go %sline", cpu,
	      *state == '0' ? "off" : "on");
}

TEST(killed, "stages are killed at random, the domain's plugin is swapped, their CPUs go offline")
{
	static const char *const plugins[] = { "fp", "fifo", "edf" };
	unsigned int kills = asked("RESCH_KILLS", 12), i, swaps = 0, offline = 0;
	uint32_t domain;

	must(module_load("resch-fp", ""));
	domain = domain_on("1-3", "edf", "");
	for (i = 1; i <= kills; i++) {
		uint32_t chain = members_chain();
		int who = (int)(rand_r(&seed) % STAGES);

		if (i % 3 == 0) {
			must(domain_swap(domain, plugins[swaps % 3], ""));
			swaps++;
		}
		usleep((unsigned int)rand_r(&seed) % 10000);
		if (i % 12 == 0) {
			cpu_is(1 + who, "0");
			members_end(chain, who, STAGES - 1);
			cpu_is(1 + who, "1");
			offline++;
			continue;
		}
		kill(member_pids[who], SIGKILL);
		members_end(chain, who, STAGES - 1);
	}
	printf("# %u deaths, %u of them of a CPU; %u swaps; seed %u at the end\n", kills, offline,
	       swaps, seed);
}
