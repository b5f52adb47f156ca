// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keeper.c - who watches a standing shield, and who watches the watchman
 *
 * The keeper looks around once a second: it catches new tasks and interrupts, ends a shield whose
 * module is gone, and takes down what a killed tool has left half done. The guardian, its child,
 * sleeps at a wire that only the keeper holds. When the wire closes without a word, the keeper was
 * killed: the guardian becomes a keeper whose task is to take everything down. A keeper whose
 * guardian is killed starts another. When both are killed the kernel starts the release agent
 * (agent.c); where there is none the journal waits for the next reschctl shield or unshield.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "watch.h"

#define LOOK_S 1
/* Of 10 ms, until a role is free. */
#define ROLE_TRIES 500
/* Lines of the journal beyond two for each object: it is written anew. */
#define LINES_SPARE 4096

static volatile sig_atomic_t ending;

static void on_signal(int signal)
{
	if (signal != SIGUSR1)
		ending = 1;
}

/* The signals are let in only while the keeper waits: each makes it look at once. */
static void signals_take(sigset_t *waiting)
{
	struct sigaction action = { .sa_handler = on_signal };
	static const int signals[] = { SIGTERM, SIGINT, SIGUSR1 };
	sigset_t held;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&held, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &held, waiting);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigdelset(waiting, signals[i]);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN); /* nobody waits for a guardian */
}

static void log_line(const char *root, int priority, const char *text)
{
	if (!*root)
		syslog(priority, "%s", text);
}

/* ---- a look around --------------------------------------------------------------------------- */

static int drop_all(struct state *state)
{
	struct sweep sweep;

	return shield_drop(state, NULL, &sweep);
}

static int drop_orphans(struct state *state)
{
	struct sweep sweep;
	size_t i;
	int result = 0;

	if (!access(machine_path(state->root, "/sys/module/resch"), F_OK))
		return 0;
	for (i = state->nr_shields; !result && i-- > 0;) {
		struct resch_cpus cpus = state->shields[i].cpus;

		if (!state->shields[i].module)
			continue;
		log_line(state->root, LOG_NOTICE, "the module is gone: its shield is taken down");
		result = shield_drop(state, &cpus, &sweep);
		/* They may have become fewer than one less. */
		if (i > state->nr_shields)
			i = state->nr_shields;
	}
	return result;
}

/* @drop: take down what stands; done, it is false: who waits then is waited for, and no more. */
static int look_around(struct state *state, bool *drop)
{
	struct sweep sweep;
	int result;

	trace_sweep(state->root);
	result = shield_recover(state);
	if (result < 0 || !state_exists(state))
		return result;
	if (*drop && state->nr_shields) {
		result = drop_all(state);
		*drop = result != 0;
		return result;
	}
	*drop = false;
	result = drop_orphans(state);
	if (result || !state_exists(state))
		return result;
	result = sweep_run(&sweep, state, NULL, false);
	if (!result && !state->nr_shields && !sweep.pending)
		state_remove(state);
	else if (!result && state->lines > 2 * state->nr_objects + LINES_SPARE)
		result = state_compact(state);
	return result;
}

/*
 * Return: is there still something to keep? If not, the role is given up while the lock is held:
 * whoever comes next finds no keeper and starts one.
 */
static bool keep(const char *root, int role, bool *drop)
{
	struct state *state = malloc(sizeof(*state));
	static int last;
	bool more = true;
	int result;

	if (!state)
		return true;
	result = state_open(state, root, true);
	if (!result && state_exists(state))
		result = look_around(state, drop);
	if (result && result != last)
		log_line(root, LOG_ERR, strerror(-result));
	last = result;
	if (!result && !state_exists(state)) {
		/*
		 * A journal without a whole line tells of nothing, and should not lie about either.
		 */
		state_remove(state);
		more = false;
		close(role);
	}
	state_close(state);
	free(state);
	return more;
}

/* ---- the two processes ----------------------------------------------------------------------- */

static void keeper(const char *root, bool drop, int ready);

/* Not to be killed for memory: nobody else knows the way back. */
static void settle_down(const char *name)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "-1000\n", 6) < 0)
			note("oom_score_adj: %s", strerror(errno));
		close(fd);
	}
	prctl(PR_SET_NAME, name);
}

/* Who had the role before may still be on its way out. Return: as state_role() */
static int role_take(const struct state *state, const char *name)
{
	int role, tries;

	for (tries = 0; (role = state_role(state, name)) < 0 && tries < ROLE_TRIES; tries++)
		usleep(10000);
	return role;
}

static void guardian(const char *root, int wire)
{
	struct state state = { .root = root };
	int role = -1;
	char word;
	ssize_t n;

	/* A copy of any other wire's end here would keep its other end waiting. */
	dup2(wire, STDERR_FILENO + 1);
	closefrom(STDERR_FILENO + 2);
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	settle_down("resch-guardian");
	snprintf(state.folder, sizeof(state.folder), "%s/run/resch/shield", root);
	role = role_take(&state, "guardian");
	if (write(STDERR_FILENO + 1, "g", 1) != 1)
		note("guardian: %s", strerror(errno));
	do {
		n = read(STDERR_FILENO + 1, &word, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(0);
	if (role >= 0)
		close(role);
	log_line(root, LOG_WARNING, "the shield's keeper was killed: all affinities go back");
	keeper(root, true, -1);
	_exit(0);
}

/* Return: the end of a wire to it, once it is there; or -1. */
static int guardian_start(const char *root)
{
	int ends[2];
	char word;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	pid = fork();
	if (!pid)
		guardian(root, ends[0]);
	close(ends[0]);
	if (pid < 0 || read(ends[1], &word, 1) != 1) {
		close(ends[1]);
		return -1;
	}
	return ends[1];
}

static void keeper(const char *root, bool drop, int ready)
{
	const struct timespec moment = { .tv_sec = LOOK_S };
	struct state state = { .root = root };
	struct pollfd watch = { .events = 0 };
	sigset_t waiting;
	int role;

	signals_take(&waiting);

	snprintf(state.folder, sizeof(state.folder), "%s/run/resch/shield", root);
	/* A guardian that takes over comes a moment after the keeper's death. */
	role = drop ? role_take(&state, "keeper") : state_role(&state, "keeper");
	if (role < 0)
		_exit(role == -EAGAIN || role == -EACCES ? 0 : 1);
	settle_down("resch-shield");
	watch.fd = guardian_start(root);
	if (ready >= 0) {
		if (write(ready, "k", 1) != 1)
			_exit(1);
		close(ready);
	}
	while (keep(root, role, &drop)) {
		/* The wire's other end closes when the guardian dies. */
		if (ppoll(&watch, 1, &moment, &waiting) == 1 &&
		    watch.revents & (POLLERR | POLLHUP)) {
			close(watch.fd);
			watch.fd = -1;
		}
		if (watch.fd < 0)
			watch.fd = guardian_start(root);
		drop |= ending;
		ending = 0;
	}
	if (watch.fd >= 0 && write(watch.fd, "e", 1) < 0)
		_exit(1);
	_exit(0);
}

/* ---- starting -------------------------------------------------------------------------------- */

static void detach(void)
{
	int fd;

	setsid();
	if (chdir("/"))
		_exit(1);
	fd = open("/dev/null", O_RDWR);
	if (fd < 0)
		_exit(1);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	umask(022);
}

int keeper_start(const struct state *state)
{
	int ready[2];
	char word;
	pid_t pid;
	ssize_t n;

	if (state_holder(state, "keeper"))
		return 0;
	if (pipe2(ready, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(ready[0]);
		close(ready[1]);
		return -errno;
	}
	if (!pid) {
		detach();
		/* Between session and keeper, so that nobody waits for it. */
		pid = fork();
		if (pid)
			_exit(pid < 0);
		dup2(ready[1], STDERR_FILENO + 1);
		closefrom(STDERR_FILENO + 2);
		openlog("reschctl", LOG_PID, LOG_DAEMON);
		agent_join(state->root);
		keeper(state->root, false, STDERR_FILENO + 1);
	}
	close(ready[1]);
	waitpid(pid, NULL, 0);
	do {
		n = read(ready[0], &word, 1);
	} while (n < 0 && errno == EINTR);
	close(ready[0]);
	if (n == 1)
		return 0;
	return state_holder(state, "keeper") ? -EAGAIN : -ECHILD;
}

void keeper_poke(const struct state *state)
{
	pid_t pid = state_holder(state, "keeper");

	if (pid > 0)
		kill(pid, SIGUSR1);
}
