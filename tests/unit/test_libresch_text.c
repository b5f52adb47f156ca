// SPDX-License-Identifier: GPL-2.0
/* test_libresch_text.c - what the library reads from texts and writes into them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>
#include <resch.h>

/* ---- texts ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < RESCH_KINDS; i++)
		assert_int_equal(resch_kind_parse(resch_kind_name((uint32_t)i)), i);
	for (i = 0; i < RESCH_REACTIONS; i++)
		assert_int_equal(resch_react_parse(resch_react_name((uint32_t)i)), i);
	for (i = 0; i < RESCH_SERVER_KINDS; i++)
		assert_int_equal(resch_server_kind_parse(resch_server_kind_name((uint32_t)i)), i);
	for (i = 0; i < RESCH_SERVER_POLICIES; i++)
		assert_int_equal(resch_server_policy_parse(resch_server_policy_name((uint32_t)i)),
				 i);
	assert_string_equal(resch_server_kind_name(RESCH_SERVER_CBS_HARD), "cbs-hard");
	assert_string_equal(resch_server_policy_name(RESCH_SERVER_POLICIES), "?");
	assert_string_equal(resch_kind_name(RESCH_WAKEUP), "wakeup");
	assert_string_equal(resch_kind_name(3), "?");
	assert_string_equal(resch_react_name(RESCH_THROTTLE), "throttle");
	assert_string_equal(resch_react_name(UINT32_MAX), "?");
	assert_string_equal(resch_state_name(RESCH_STATE_SELECTED), "selected");
	assert_string_equal(resch_state_name(RESCH_STATE_GONE), "gone");
	assert_string_equal(resch_state_name(RESCH_STATE_GONE + 1), "?");
	assert_string_equal(resch_event_name(RESCH_EVENT_MISS), "miss");
	assert_string_equal(resch_event_name(0), "?");
	assert_string_equal(resch_gone_name(RESCH_GONE_SYSRQ), "sysrq");
	assert_string_equal(resch_gone_name(RESCH_GONE_WITHDRAWN), "withdrawn");
	assert_string_equal(resch_gone_name(1ULL << 32), "?");
	assert_int_equal(resch_kind_parse("?"), -EINVAL);
	assert_int_equal(resch_react_parse(""), -EINVAL);
}

/* Each list whole, its words there and back; what is cut, and what is no list. */
static void test_lists(void **state)
{
	static const char *const whats[] = {
		"kinds",	  "reactions",	     "states",		"events",
		"ends",		  "server-kinds",    "server-policies", "balance-policies",
		"assign-methods", "chain-protocols", "chain-policies",	"chain-methods",
		"chain-rules",	  "stage-kinds",
	};
	char text[256], *rest, *word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		int length = resch_names(whats[i], text, sizeof(text)), last = -1;

		assert_true(length > 0 && length == (int)strlen(text));
		for (rest = text; (word = strsep(&rest, ","));) {
			int number = resch_name_parse(whats[i], word + (*word == ' '));

			assert_true(number > last);
			assert_string_equal(resch_name_of(whats[i], (uint64_t)number),
					    word + (*word == ' '));
			last = number;
		}
		assert_int_equal(resch_name_parse(whats[i], "?"), -EINVAL);
		assert_string_equal(resch_name_about(whats[i], "?"), "");
	}
	resch_names("kinds", text, sizeof(text));
	assert_string_equal(text, "periodic, sporadic, wakeup");
	assert_int_equal(resch_names("events", text, 12), 59);
	assert_string_equal(text, "overrun, mi");
	assert_int_equal(resch_names("events", NULL, 0), 59);
	assert_int_equal(resch_names("nonsense", text, sizeof(text)), -EINVAL);
	assert_string_equal(text, "");
	assert_int_equal(resch_name_parse("nonsense", "skip"), -EINVAL);
	assert_int_equal(resch_name_parse("reactions", "skip"), RESCH_SKIP);
	assert_int_equal(resch_name_parse("balance-policies", "estimate"), 2);
	assert_string_equal(resch_name_about("nonsense", "skip"), "");
	assert_string_equal(resch_name_of("nonsense", 0), "?");
	assert_string_equal(resch_name_of("reactions", 1ULL << 32), "?");
	assert_string_equal(resch_name_of("events", 0), "?");
	assert_string_equal(resch_name_about("states", "ready"), "");
	assert_true(*resch_name_about("reactions", "demote"));
}

static void test_balance(void **state)
{
	char text[64];
	uint32_t i, policies;
	int length;

	(void)state;
	for (i = 0; i <= RESCH_BALANCE_ALL; i++) {
		length = resch_balance_format(i, text, sizeof(text));
		assert_int_equal(length, strlen(text));
		policies = ~i;
		assert_int_equal(resch_balance_parse(text, &policies), 0);
		assert_int_equal(policies, i);
	}
	assert_string_equal(text, "weight,push,estimate,associate");
	assert_int_equal(resch_balance_format(RESCH_BALANCE_ALL, text, 9), 30);
	assert_string_equal(text, "weight,p");
	assert_int_equal(resch_balance_format(0, NULL, 0), 4);
	assert_int_equal(resch_balance_parse("all", &policies), 0);
	assert_int_equal(policies, RESCH_BALANCE_ALL);
	assert_int_equal(resch_balance_parse("associate,push", &policies), 0);
	assert_int_equal(policies, RESCH_BALANCE_ASSOCIATE | RESCH_BALANCE_PUSH);
	assert_int_equal(resch_balance_parse("", &policies), -EINVAL);
	assert_int_equal(resch_balance_parse("push,", &policies), -EINVAL);
	assert_int_equal(resch_balance_parse("weigh", &policies), -EINVAL);
	assert_int_equal(resch_balance_parse("none,push", &policies), -EINVAL);
}

static void test_time_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t ns;
	} cases[] = {
		{ "0", 0, 0 },
		{ "0.00", 0, 0 },
		{ "0ms", 0, 0 },
		{ "1ns", 0, 1 },
		{ "2ms", 0, 2000000 },
		{ "1.5ms", 0, 1500000 },
		{ ".5us", 0, 500 },
		{ "2.us", 0, 2000 },
		{ "10us", 0, 10000 },
		{ "10µs", 0, 10000 },
		{ "0.1s", 0, 100000000 },
		{ "0.000000001s", 0, 1 },
		{ "0.0000000010000000000000000000000s", 0, 1 },
		{ "1min", 0, 60000000000 },
		{ "0.05min", 0, 3000000000 },
		{ "1h", 0, 3600000000000 },
		{ "0.0000000000025h", 0, 9 },
		{ "18446744073709551614ns", 0, UINT64_MAX - 1 },
		{ "18446744073.709551614s", 0, UINT64_MAX - 1 },
		{ "18446744073709551615ns", -ERANGE, 0 },
		{ "18446744073709551616ns", -ERANGE, 0 },
		{ "99999999999999999999999999s", -ERANGE, 0 },
		{ "18446744074s", -ERANGE, 0 },
		{ "5124096h", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ ".ms", -EINVAL, 0 },
		{ "ms", -EINVAL, 0 },
		{ "5", -EINVAL, 0 },
		{ "5 ms", -EINVAL, 0 },
		{ " 5ms", -EINVAL, 0 },
		{ "-5ms", -EINVAL, 0 },
		{ "+5ms", -EINVAL, 0 },
		{ "5MS", -EINVAL, 0 },
		{ "5msx", -EINVAL, 0 },
		{ "1e3ns", -EINVAL, 0 },
		{ "1.2.3s", -EINVAL, 0 },
		{ "0.5ns", -EINVAL, 0 },
		{ "0.0000000001s", -EINVAL, 0 },
		{ "0.00000000000000000001h", -EINVAL, 0 },
	};
	uint64_t ns;
	int result;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* A text that is refused leaves it alone. */
		ns = cases[i].ns + 1;
		result = resch_time_parse(cases[i].text, &ns);
		if (result != cases[i].result || (ns == cases[i].ns) != !result)
			fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)ns);
	}
}

/*
 * What is written can be read again, and is the same; random times of all sizes, also round ones.
 */
static void test_time_format(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1, "1ns" },
		{ 999, "999ns" },
		{ 1500, "1.5us" },
		{ 1000001, "1.000001ms" },
		{ 2000000, "2ms" },
		{ 1050000000, "1.05s" },
		{ 60000000000, "1min" },
		{ 61000000000, "61s" },
		{ 7200000000000, "2h" },
		{ RESCH_NEVER, "never" },
	};
	char text[RESCH_TIME_TEXT], small[4];
	uint64_t ns, back;
	unsigned int seed = 1;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		n = resch_time_format(cases[i].ns, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		assert_int_equal(n, strlen(text));
	}
	for (i = 0; i < 200000; i++) {
		ns = ((uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed) << 11 ^
		      (uint64_t)rand_r(&seed)) >>
		     (rand_r(&seed) % 64);
		if (i % 2)
			ns -= ns % 1000;
		n = resch_time_format(ns, text, sizeof(text));
		assert_true(n > 0 && n < (int)sizeof(text));
		assert_int_equal(resch_time_parse(text, &back), 0);
		assert_true(back == ns);
	}
	assert_int_equal(resch_time_format(1500000, small, sizeof(small)), 5);
	assert_string_equal(small, "1.5");
}

static void test_now(void **state)
{
	uint64_t before = resch_now();

	(void)state;
	assert_true(before > 0);
	assert_true(resch_now() >= before);
}

static const char *verdict_text(struct resch_verdict verdict)
{
	static char text[RESCH_VERDICT_TEXT];
	int n = resch_verdict_text(&verdict, text, sizeof(text));

	assert_true(n > 0 && n < (int)sizeof(text));
	assert_int_equal(n, strlen(text));
	return text;
}

static void test_verdict(void **state)
{
	struct resch_verdict worst;
	char small[16];
	uint32_t bound;
	int n;

	(void)state;
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_UTILIZATION,
						     .cpu = 1,
						     .value = 1020000,
						     .limit = 950000,
						     .suggest_wcet = 1300000 }),
		"the utilization on CPU 1 would be 102 %, and at most 95 % may be given away; it would pass with "
		"a runtime of 1.3ms");
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_DEMAND,
						     .cpu = -1,
						     .value = 12000000,
						     .limit = 10000000 }),
		"the jobs that must both start and end within some 10ms could need 12ms");
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_RESPONSE,
						     .cpu = 0,
						     .task = 7,
						     .value = 12000000,
						     .limit = 10000000,
						     .suggest_wcet = 1,
						     .suggest_period = 20000000 }),
		"task 7 on CPU 0 could take 12ms from release to completion, past its deadline of 10ms; it would "
		"pass with a runtime of 1ns, or with a period of 20ms");
	assert_non_null(strstr(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_RESPONSE, .cpu = -1 }),
		"the new task could"));
	assert_non_null(strstr(
		verdict_text((struct resch_verdict){
			.bound = RESCH_BOUND_LIU_LAYLAND, .value = 833333, .limit = 779763 }),
		"83.3333 %, above the Liu and Layland bound of 77.9763 %"));
	assert_non_null(strstr(verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_HYPERBOLIC,
								    .value = 2050000,
								    .limit = 2000000 }),
			       "2.050000, above the hyperbolic bound of 2.000000"));
	assert_non_null(strstr(verdict_text((struct resch_verdict){
				       .bound = RESCH_BOUND_PLUGIN, .value = 5, .limit = 4 }),
			       "5, and at most 4"));

	/*
	 * The largest numbers fit, also for tests of later modules; a small buffer is not overrun.
	 */
	memset(&worst, 0xff, sizeof(worst));
	worst.cpu = INT32_MAX;
	worst.suggest_wcet = UINT64_MAX - 1;
	worst.suggest_period = UINT64_MAX - 1;
	for (bound = 0; bound < 10; bound++) {
		worst.bound = bound;
		verdict_text(worst);
		n = resch_verdict_text(&worst, small, sizeof(small));
		assert_int_equal(strlen(small), sizeof(small) - 1);
		assert_int_equal(n, strlen(verdict_text(worst)));
		assert_int_equal(resch_verdict_text(&worst, NULL, 0), n);
	}
}

/* ---- threads and CPUs ------------------------------------------------------------------------ */

#define STAT_REST " S 1 2 3 4 -1 6 7 8 9 10 11 12 13 14 15 16 17 18 "

static void test_start_time_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{ "1 (a)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a)" STAT_REST "18446744073709551615 22\n", 0, UINT64_MAX },
		{ "1 (a b c)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a) S 1 2 3)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (()))" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a\nb)" STAT_REST "4711\n", 0, 4711 },
		{ "1 ()" STAT_REST "0 22\n", 0, 0 },
		{ "", -EINVAL, 0 },
		{ "1", -EINVAL, 0 },
		{ "1 (a", -EINVAL, 0 },
		{ "1 (a)", -EINVAL, 0 },
		{ "1 (a)\n", -EINVAL, 0 },
		{ "1 (a) S 1 2 3\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST, -EINVAL, 0 },
		{ "1 (a)" STAT_REST "\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "47", -EINVAL, 0 }, /* cut */
		{ "1 (a)" STAT_REST "-1 22\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "x 22\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "18446744073709551616 22\n", -EINVAL, 0 },
	};
	uint64_t value;
	int result;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = cases[i].value + 1;
		result = resch_start_time_parse(cases[i].text, &value);
		if (result != cases[i].result || (value == cases[i].value) != !result)
			fail_msg("'%s'", cases[i].text);
	}
}

static void test_start_time(void **state)
{
	uint64_t mine, again;

	(void)state;
	assert_int_equal(resch_start_time(getpid(), &mine), 0);
	assert_int_equal(resch_start_time((pid_t)syscall(SYS_gettid), &again), 0);
	assert_true(mine == again);
	assert_int_equal(resch_start_time(INT32_MAX, &mine), -ESRCH);
	assert_int_equal(resch_start_time(-1, &mine), -ESRCH);
}

static void test_cpus_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t first;
	} cases[] = {
		{ "", 0, 0 },
		{ "\n", 0, 0 },
		{ "0", 1, 1 },
		{ "0\n", 1, 1 },
		{ "2-3,5", 3, 0x2c },
		{ "5,2-3", 3, 0x2c },
		{ "0-63", 64, UINT64_MAX },
		{ "1,1,1-1", 1, 2 },
		{ "007", 1, 0x80 },
		{ "0,1023", 2, 1 },
		{ "0-1023", 1024, UINT64_MAX },
		{ "1024", -ERANGE, 0 },
		{ "0-1024", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ ",", -EINVAL, 0 },
		{ "1,", -EINVAL, 0 },
		{ ",1", -EINVAL, 0 },
		{ "1,,2", -EINVAL, 0 },
		{ "3-2", -EINVAL, 0 },
		{ "1-", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1-2-3", -EINVAL, 0 },
		{ "1 2", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "a", -EINVAL, 0 },
		{ "1\n2", -EINVAL, 0 },
		{ "1,\n", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 },
	};
	struct resch_cpus cpus;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&cpus, 0x55, sizeof(cpus));
		if (resch_cpus_parse(cases[i].text, &cpus) != cases[i].result)
			fail_msg("'%s'", cases[i].text);
		if (cases[i].result >= 0) {
			assert_true(cpus.bits[0] == cases[i].first);
			assert_int_equal(resch_cpus_count(&cpus), cases[i].result);
		} else {
			assert_true(cpus.bits[0] == 0x5555555555555555);
		}
	}
}

static void test_cpus_format(void **state)
{
	char text[RESCH_CPUS_MAX * 5], small[5];
	struct resch_cpus cpus = {}, back;
	unsigned int seed = 1;
	int i, cpu, n;

	(void)state;
	assert_int_equal(resch_cpus_format(&cpus, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	resch_cpus_add(&cpus, 1023);
	resch_cpus_add(&cpus, 1024);
	resch_cpus_add(&cpus, 0);
	resch_cpus_add(&cpus, 63);
	resch_cpus_add(&cpus, 64);
	assert_true(resch_cpus_has(&cpus, 64));
	assert_false(resch_cpus_has(&cpus, 65));
	assert_false(resch_cpus_has(&cpus, 1024));
	n = resch_cpus_format(&cpus, text, sizeof(text));
	assert_string_equal(text, "0,63-64,1023");
	assert_int_equal(n, strlen(text));
	assert_int_equal(resch_cpus_format(&cpus, small, sizeof(small)), n);
	assert_int_equal(resch_cpus_format(&cpus, NULL, 0), n);

	for (i = 0; i < 2000; i++) {
		cpus = (struct resch_cpus){};
		for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
			if (rand_r(&seed) % (1 + i % 7) == 0)
				resch_cpus_add(&cpus, (unsigned int)cpu);
		}
		n = resch_cpus_format(&cpus, text, sizeof(text));
		assert_true(n < (int)sizeof(text));
		assert_int_equal(resch_cpus_parse(text, &back), resch_cpus_count(&cpus));
		assert_memory_equal(&cpus, &back, sizeof(cpus));
	}
}

/*
 * Texts made of what the parsers look at: they must end, touch nothing beyond, and accept nothing
 * half.
 */
static void test_parsers_fuzz(void **state)
{
	static const char letters[] = "0123456789.,-()SRnusmhi \n\xc2\xb5x";
	struct resch_cpus cpus;
	unsigned int seed = 7;
	uint64_t value;
	char *text;
	int i, j, n;

	(void)state;
	for (i = 0; i < 200000; i++) {
		n = rand_r(&seed) % 40;
		/* On the heap, so that the sanitizer sees the first byte too many. */
		text = malloc((size_t)n + 1);
		assert_non_null(text);
		for (j = 0; j < n; j++)
			text[j] = letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
		text[n] = 0;
		resch_time_parse(text, &value);
		resch_cpus_parse(text, &cpus);
		resch_start_time_parse(text, &value);
		resch_kind_parse(text);
		resch_react_parse(text);
		free(text);
	}
}

static void test_verdict_of_a_server(void **state)
{
	struct resch_verdict verdict = { .bound = RESCH_BOUND_NONE,
					 .cpu = -1,
					 .suggest_wcet = 14000000 };
	char text[RESCH_VERDICT_TEXT];

	(void)state;
	resch_verdict_text_for(&verdict, "budget", text, sizeof(text));
	assert_string_equal(text, "no test gave a reason; it would pass with a budget of 14ms");
}

/* Each range of the ABI is left at one end: the sentence, or "" where it passes. */
static void test_params_check(void **state)
{
	static const struct resch_task_params good = {
		.period = 100000000, .wcet = 2000000, .cpu = -1, .name = "fifteen letters"
	};
	static struct {
		struct resch_task_params params;
		const char *says;
	} cases[40];
	char text[RESCH_VERDICT_TEXT], small[8];
	int n = 0, i, result;

#define CASE(sentence, ...)                                     \
	do {                                                    \
		struct resch_task_params *p = &cases[n].params; \
		*p = good;                                      \
		__VA_ARGS__;                                    \
		cases[n++].says = sentence;                     \
	} while (0)
	CASE("", (void)p);
	CASE("the runtime, 199ms, is longer than the period, 100ms", p->wcet = 199000000);
	CASE("the runtime, 2ms, is longer than the deadline, 1ms", p->deadline = 1000000);
	CASE("", p->deadline = 3600000000000);
	CASE("a deadline is at most 1h", p->deadline = 3600000000001);
	CASE("the runtime (wcet) is missing", p->wcet = 0);
	CASE("the period is missing", p->period = 0);
	CASE("a period is 1us to 1h", p->period = 999; p->wcet = 1);
	CASE("a period is 1us to 1h", p->period = 3600000000001);
	CASE("an offset is at most 1h", p->offset = 3600000000001);
	CASE("there is no kind 3", p->kind = RESCH_KINDS);
	CASE("there is no reaction 1006", p->overrun = 1006);
	CASE("there is no reaction 1007", p->miss = 1007);
	CASE("there is no signal 65", p->miss = RESCH_SIGNAL; p->signal = 65);
	CASE("the reaction signal needs signal=...", p->miss = RESCH_SIGNAL);
	CASE("a signal is sent only with overrun=signal or miss=signal", p->signal = 10);
	CASE("", p->miss = RESCH_SIGNAL; p->signal = 64);
	CASE("a priority is 0 to 10000", p->priority = 10001);
	CASE("a CPU is 0 to 1023, or -1 for any", p->cpu = -2);
	CASE("a CPU is 0 to 1023, or -1 for any", p->cpu = RESCH_CPUS_MAX);
	CASE("a group is 0 to 4096", p->group = RESCH_GROUPS_MAX + 1);
	CASE("there are flags that are none: 0x80000000", p->flags = 1U << 31);
	CASE("a name has at most 15 bytes", memset(p->name, 'x', sizeof(p->name)));
	CASE("with RESCH_F_FAMILY there are no times: the server has them",
	     p->flags = RESCH_F_FAMILY);
	CASE("RESCH_F_FAMILY needs a server: group", p->flags = RESCH_F_FAMILY; p->period = 0;
	     p->wcet = 0; p->kind = RESCH_WAKEUP);
	CASE("", p->flags = RESCH_F_FAMILY; p->period = 0; p->wcet = 0; p->kind = RESCH_WAKEUP;
	     p->group = 1);
#undef CASE
	(void)state;
	for (i = 0; i < n; i++) {
		result = resch_params_check(&cases[i].params, text, sizeof(text));
		assert_string_equal(text, cases[i].says);
		assert_int_equal(result, *cases[i].says ? -EINVAL : 0);
		/* Cut, and never without its end. */
		memset(small, 'x', sizeof(small));
		resch_params_check(&cases[i].params, small, sizeof(small));
		assert_int_equal(strnlen(small, sizeof(small)) < sizeof(small), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	     cmocka_unit_test(test_lists),
		cmocka_unit_test(test_balance),	     cmocka_unit_test(test_time_parse),
		cmocka_unit_test(test_time_format),  cmocka_unit_test(test_now),
		cmocka_unit_test(test_verdict),	     cmocka_unit_test(test_verdict_of_a_server),
		cmocka_unit_test(test_params_check), cmocka_unit_test(test_start_time_parse),
		cmocka_unit_test(test_start_time),   cmocka_unit_test(test_cpus_parse),
		cmocka_unit_test(test_cpus_format),  cmocka_unit_test(test_parsers_fuzz),
	};

	return cmocka_run_group_tests_name("libresch_text", tests, NULL, NULL);
}
