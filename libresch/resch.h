/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch.h - real-time scheduling by the resch kernel modules, for C programs
 *
 * A thin layer over <linux/resch.h>, which has the structures and says what their fields mean.
 *
 * - Calls return 0, or a number where one is promised, or a negative errno. errno itself is left
 *   alone.
 * - Times are nanoseconds; absolute times are CLOCK_MONOTONIC, as resch_now() reads it.
 * - `fd` is what resch_open() returned. It owns the tasks that were registered through it: when its
 *   last copy closes, they are ordinary threads again. It closes at execve().
 * - There is no hidden state: all calls may be made from any thread at any time, and from signal
 *   handlers where their page does not say otherwise.
 * - Nothing here keeps a program from starting where there is no module: resch_open() fails then,
 *   and resch_open_reason() says what to do.
 */
#ifndef _RESCH_H
#define _RESCH_H

#include <linux/resch.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The least urgent priority of a task. */
#define RESCH_PRIORITY_MAX 10000

/* A buffer of this size takes any text that resch_time_format() makes. */
#define RESCH_TIME_TEXT 32
/* Likewise for resch_verdict_text(). */
#define RESCH_VERDICT_TEXT 320

/* ---- the device ------------------------------------------------------------------------------ */

/**
 * resch_open - open the device and check that its module speaks this ABI
 *
 * Return: a descriptor, to be closed with close(); -ENOENT, -ENODEV, -ENXIO: the module is not
 * loaded; -EACCES, -EPERM: no permission; -EPROTONOSUPPORT: the module is older than this library;
 * others as from open(2).
 */
int resch_open(void);

/**
 * resch_open_reason - what resch_open() has failed for and what to do, as a sentence
 * @error: what it returned; the sign does not matter
 */
const char *resch_open_reason(int error);

/** resch_info - what the module is and does. Return: 0 or -errno. */
int resch_info(int fd, struct resch_info *info);

/** resch_version - the release of this library, "1.2.3" */
const char *resch_version(void);

/* ---- tasks ----------------------------------------------------------------------------------- */

/**
 * resch_register_self - make the calling thread a task
 * @reg: params and domain go in, id, cpu and verdict come out; the rest is filled in here. Start
 *       from RESCH_REGISTER_INIT.
 *
 * Return: 0; -EBUSY: admission refused it, see @reg->verdict and resch_verdict_text(); -EINVAL,
 * -ENODEV, -EEXIST, -EPERM: see struct resch_register.
 */
int resch_register_self(int fd, struct resch_register *reg);

/**
 * resch_register_thread - make another thread a task
 * @tid: its thread id
 * @reg: as for resch_register_self(). A start_time that is not zero says which thread was meant by
 *       @tid, and another one that has got the number since is refused; zero: the one that has the
 *       number now.
 *
 * Return: as resch_register_self(), and -ESRCH: no such thread; -EOPNOTSUPP: not on this kernel.
 */
int resch_register_thread(int fd, pid_t tid, struct resch_register *reg);

/**
 * resch_unregister - make a task an ordinary thread again
 * @id: of a task registered through @fd, or 0: the calling thread
 *
 * Return: 0; -ENOENT: no such task; -EPERM: registered through another descriptor.
 */
int resch_unregister(int fd, uint32_t id);

/**
 * resch_wait - end the current job and sleep until the next one may run
 * @job: out: release, deadline and number of the job that starts; may be NULL, which is cheaper
 *
 * Return: 0; -EINTR: a signal handler ran, call again: the job does not end twice; -ECANCELED: the
 * registration has ended; -ENOENT: the caller never was registered; -EINVAL: it is a RESCH_WAKEUP
 * task.
 */
int resch_wait(int fd, struct resch_wait *job);

/**
 * resch_delay - suspend the current job until an absolute time
 *
 * Return: as resch_wait(); 0 at once where @until is past.
 */
int resch_delay(int fd, uint64_t until);

/**
 * resch_release - release a job of a RESCH_SPORADIC task
 * @id: of a task registered through @fd, or 0: the calling thread
 *
 * Return: 0; -ENOENT, -EPERM: as resch_unregister(); -EINVAL: not a sporadic task.
 */
int resch_release(int fd, uint32_t id);

/**
 * resch_start - give time zero to the RESCH_F_SYNC tasks of a domain
 * @time: absolute; 0: as soon as possible
 *
 * Return: how many tasks were waiting for it; -ETIME: @time is past; -ENODEV: no such domain.
 */
int resch_start(int fd, uint32_t domain, uint64_t time);

/**
 * resch_start_group - give time zero to those tasks of a group only, for example of a server
 * @group: as in their params; 0: all
 *
 * Return: as resch_start(); -E2BIG: the module is older than this call.
 */
int resch_start_group(int fd, uint32_t domain, uint32_t group, uint64_t time);

/** resch_task_stat - parameters, statistics of task @id (0: the caller). Return: 0; -ENOENT. */
int resch_task_stat(int fd, uint32_t id, struct resch_task_stat *stat);

/**
 * resch_task_next - go through all tasks: that after @stat->id (0: the first) comes in @stat.
 * Return: 1; 0: there are no more; -errno.
 */
int resch_task_next(int fd, struct resch_task_stat *stat);

/**
 * resch_lead_set - have task @id (0: the calling thread) woken @lead ns ahead of its releases, to
 * begin with them; 0: not. @verdict: out: with -EBUSY, why; may be NULL. Return: 0 or as struct
 * resch_lead says; -ENOTTY: the module is older than this call.
 */
int resch_lead_set(int fd, uint32_t id, uint64_t lead, struct resch_verdict *verdict);

/**
 * resch_affinity_get, resch_affinity_set - the CPUs that task @id (0: the calling thread) goes back
 * to when its registration ends, and that its children begin with. CAP_SYS_NICE
 *
 * Return: 0; -ENOENT: no such task; -ESRCH: it has them: its registration has ended, or it has not
 * come under its plugin yet; -EPERM; -EINVAL: no CPU of @cpus is online; -ENOTTY: the module is
 * older than this call.
 */
int resch_affinity_get(int fd, uint32_t id, struct resch_cpus *cpus);
int resch_affinity_set(int fd, uint32_t id, const struct resch_cpus *cpus);

/* ---- domains and plugins --------------------------------------------------------------------- */

/**
 * resch_domain_set - make a domain, or change its plugin
 * @want: see struct resch_domain_set; a new domain's id comes back in it
 *
 * Return: 0; -EBUSY: the CPUs are taken, or the plugin refuses the standing tasks
 * (@want->verdict.bound tells which); -ENOENT: no such plugin; -EINVAL, -ENODEV, -EPERM.
 */
int resch_domain_set(int fd, struct resch_domain_set *want);

/**
 * resch_domain_del - remove a domain. Return: 0; -EBUSY: it has tasks; -ENODEV: none such; -EPERM.
 */
int resch_domain_del(int fd, uint32_t domain);

/** resch_domain_stat - what domain @domain is. Return: 0; -ENODEV, -ENOENT: none such. */
int resch_domain_stat(int fd, uint32_t domain, struct resch_domain_stat *stat);

/**
 * resch_domain_next - go through all domains, as resch_task_next() through tasks, by @stat->domain
 */
int resch_domain_next(int fd, struct resch_domain_stat *stat);

/**
 * resch_plan_set - give a domain its plan: who has which CPU when
 * @slot:     length of the time slots, ns, 10 µs to 1 s
 * @from:     in: absolute time at which a slot begins, 0: soon; out: from when the plan holds. May
 *            be NULL: soon
 * @reserves: @count of them, in any order; none: no plan any more
 * @verdict:  out, with -EBUSY: why it was refused; may be NULL
 *
 * A plan that is in force goes on until the new one begins, at a slot boundary of the new one.
 * Return: 0; -EINVAL: the reserves overlap, or are beyond the slot or the domain; -EBUSY: a
 * standing task would lose its guarantee; -EAGAIN: the last change is still to come; -ENODEV;
 * -EPERM.
 */
int resch_plan_set(int fd, uint32_t domain, uint64_t slot, uint64_t *from,
		   const struct resch_reserve *reserves, uint32_t count,
		   struct resch_verdict *verdict);

/**
 * resch_plan_get - the plan that a domain was given last
 * @slot:     out: length of the time slots, ns; may be NULL
 * @from:     out: when it began, or begins; may be NULL
 * @reserves: room for @count of them: gets the first ones, by CPU and begin. RESCH_RESERVES_MAX
 *            always suffice
 *
 * Return: how many reserves the plan has; 0: there is no plan; -ENODEV: no such domain; -ENOTTY:
 * the module is older than this call.
 */
int resch_plan_get(int fd, uint32_t domain, uint64_t *slot, uint64_t *from,
		   struct resch_reserve *reserves, uint32_t count);

/**
 * resch_server_set - make a server, or resize one
 * @want: see struct resch_server_set; a new server's id and CPU come back in it
 *
 * Return: 0; -EBUSY: admission refused it, see @want->verdict and resch_verdict_text(), where a
 * runtime is a budget; -EINVAL, -ENODEV, -ENOENT, -EOPNOTSUPP, -ENOSPC, -EAGAIN, -EPERM.
 */
int resch_server_set(int fd, struct resch_server_set *want);

/**
 * resch_server_del - remove a server. Return: 0; -EBUSY: it has tasks; -ENOENT, -ENODEV: none such;
 * -EPERM.
 */
int resch_server_del(int fd, uint32_t domain, uint32_t id);

/**
 * resch_servers_set - make a band of servers, one on each of several CPUs, or resize it
 * @want: see struct resch_servers_set; a new band's id comes back in it, for threads to name as
 *        their group
 *
 * All or nothing. Return: 0; -EBUSY: admission refused it, see @want->verdict, also for which CPU;
 * others as for resch_server_set(); -ENOTTY: the module is older than this call.
 */
int resch_servers_set(int fd, struct resch_servers_set *want);

/** resch_servers_del - remove a band of servers. Return: as resch_server_del(); -ENOTTY. */
int resch_servers_del(int fd, uint32_t domain, uint32_t id);

/** resch_server_stat - what a server is and has. Return: 0; -ENOENT, -ENODEV: none such. */
int resch_server_stat(int fd, uint32_t domain, uint32_t id, struct resch_server_stat *stat);

/** resch_server_next - go through servers of @stat->domain, by id, as resch_task_next() does. */
int resch_server_next(int fd, struct resch_server_stat *stat);

/** resch_server_delegate - Return: 0, or as struct resch_delegate says; -EPERM; -ENOTTY. */
int resch_server_delegate(int fd, const struct resch_delegate *want);

/* ---- work on the client's budget ------------------------------------------------------------- */

/**
 * resch_call - let a provider work on the calling thread's server
 * @call: server, flags and data go in, see struct resch_call; handle and consumed come out
 *
 * Return: 0; -ENOENT, -EINVAL, -EBUSY, -EOPNOTSUPP, -ECANCELED; with RESCH_CALL_F_WAIT also
 * -EOWNERDEAD: the provider is gone; -EINTR: go on with resch_call_end() and RESCH_CALL_F_WAIT.
 */
int resch_call(int fd, struct resch_call *call);

/**
 * resch_call_end - how the caller's call has ended; one that has not is withdrawn
 * @handle:   of the call; 0: whichever it is
 * @flags:    RESCH_CALL_F_WAIT: wait for the end instead
 * @consumed: out: what it cost, ns; may be NULL
 *
 * Return: 0: the provider has ended it; -ECANCELED: it was withdrawn; -EOWNERDEAD: the provider is
 * gone; -ENOENT: there is none; -EINTR.
 */
int resch_call_end(int fd, uint64_t handle, uint32_t flags, uint64_t *consumed);

/**
 * resch_serve - the calling thread, of a passive server, works for a client from here on
 * @serve: handle, pid and flags go in, see struct resch_serve; who the client is comes out
 *
 * Return: 0; -EAGAIN, -ENOENT: there is no such call; -EINVAL, -EBUSY, -EOPNOTSUPP, -ECANCELED,
 * -EINTR.
 */
int resch_serve(int fd, struct resch_serve *serve);

/**
 * resch_serve_end - ... to here
 * @handle:   of the call; 0: whichever it is
 * @consumed: out: what was executed for it, ns; may be NULL
 *
 * Return: 0; -ECANCELED: the client has withdrawn it, or is gone; -ENOENT: the caller works for
 * nobody.
 */
int resch_serve_end(int fd, uint64_t handle, uint64_t *consumed);

/* Bytes of a request, and of an answer. */
#define RESCH_RPC_MAX 65536

/**
 * struct resch_rpc - a client's connection to a provider; of one thread at a time
 * @fd:       the device, through which the calling threads are registered; -1: they are not, and
 *            the provider may refuse to work for nobody
 * @socket:   -1: closed
 * @server:   the provider's passive server
 * @flags:    0, or RESCH_CALL_F_DISCARD, for the calls to come
 * @consumed: what the last call cost, ns
 * @room:     the library's
 */
struct resch_rpc {
	int fd;
	int socket;
	uint32_t server;
	uint32_t flags;
	uint64_t consumed;
	void *room;
};

/**
 * resch_rpc_open - connect to the provider that listens at @path
 *
 * Return: 0; -EPROTO: that is no provider; others as from connect(2). The connection is the
 * process's: requests of its children are refused.
 */
int resch_rpc_open(struct resch_rpc *rpc, int fd, const char *path);

/** resch_rpc_close - end the connection, if it is open */
void resch_rpc_close(struct resch_rpc *rpc);

/**
 * resch_rpc_call - have the provider do something, on the calling thread's budget, and wait
 * @method:  which; what the numbers mean is between the two
 * @request: @size bytes, at most RESCH_RPC_MAX; @reply: room for @room bytes
 *
 * Return: the length of the reply; or a negative errno: of the provider, of resch_call(),
 * -EMSGSIZE: the reply is longer; -EPIPE, -EPROTO, -EBADMSG: the provider is gone, or mad, and the
 * connection is closed.
 */
ssize_t resch_rpc_call(struct resch_rpc *rpc, uint32_t method, const void *request, size_t size,
		       void *reply, size_t room);

/**
 * struct resch_rpc_peer - the client at the other end, as the kernel knows it
 * @socket: the connection
 * @pid, @uid, @gid: of the process that connected, in the provider's namespaces
 * @own:    the service's, to do with as it likes; NULL at first
 */
struct resch_rpc_peer {
	int socket;
	pid_t pid;
	uid_t uid;
	gid_t gid;
	void *own;
};

/* resch_rpc_service.flags */
#define RESCH_RPC_F_UNPAID (1U << 0) /* requests that come without a call are served, too */

/**
 * struct resch_rpc_service - what a provider offers
 * @fd:     the device, through which the serving threads are registered
 * @server: their passive server; 0: they are in none, and nobody pays
 * @flags:  RESCH_RPC_F_*
 * @data:   the first argument of what follows
 * @accept: may this peer connect? It may set peer->own. NULL: whoever can
 * @serve:  the work: the length of the answer, at most @room, or a negative errno. @request may be
 *          anything; believe nothing in it
 * @closed: an accepted peer is gone; may be NULL
 */
struct resch_rpc_service {
	int fd;
	uint32_t server;
	uint32_t flags;
	void *data;
	int (*accept)(void *data, struct resch_rpc_peer *peer);
	ssize_t (*serve)(void *data, struct resch_rpc_peer *peer, uint32_t method,
			 const void *request, size_t size, void *reply, size_t room);
	void (*closed)(void *data, struct resch_rpc_peer *peer);
};

/**
 * resch_rpc_listen - a socket at @path that those may connect to whom @mode, of the file, allows
 *
 * Return: a descriptor, for accept4(2); -errno.
 */
int resch_rpc_listen(const char *path, mode_t mode);

/**
 * resch_rpc_serve - serve one connection until it ends
 * @socket: of accept4(2); stays open
 *
 * By a thread that is registered, as RESCH_WAKEUP, in the passive server: one for each connection.
 * Each request is done on the budget of the thread that made it, after a look at the credentials of
 * the peer: a call of another process is not taken up.
 *
 * Return: 0: the peer is gone; -EACCES: it may not; -EPROTO, -EBADMSG: it talks nonsense; -errno.
 */
int resch_rpc_serve(const struct resch_rpc_service *service, int socket);

/**
 * resch_balance_set - which threads the guard of a domain has sent to its CPUs
 * @policies: RESCH_BALANCE_*; what all guards of the machine have in common is in force
 *
 * Return: 0; -ENODEV: no such domain; -ENOENT: it is not guarded; -EINVAL: unknown policies;
 * -EPERM.
 */
int resch_balance_set(int fd, uint32_t domain, uint32_t policies);

/**
 * resch_balance_stat - what the balancing sees and has done
 * @cpu: one of the domain's, or -1: all of them
 *
 * Return: 0; -ENODEV: no such domain, or the CPU is not in it; -ENOENT: it is not guarded.
 */
int resch_balance_stat(int fd, uint32_t domain, int cpu, struct resch_balance_stat *stat);

/**
 * resch_balance_parse - resch_names("balance-policies") with commas, some of them, "all", "none".
 * Return: 0; -EINVAL
 */
int resch_balance_parse(const char *text, uint32_t *policies);

/**
 * resch_balance_format - the inverse: names with commas, or "none"
 *
 * Return: the length of the whole, as snprintf(3).
 */
int resch_balance_format(uint32_t policies, char *text, size_t size);

/**
 * resch_server_open - a descriptor of a server, to map and to wait on, close-on-exec
 *
 * poll() for POLLIN: it has used up a budget with work left; read() of a uint64_t: how often since
 * the last read. POLLHUP, and 0: it was removed.
 *
 * Return: the descriptor; -EPERM: neither CAP_SYS_NICE, nor a thread in the server, nor is @fd the
 * descriptor that made it; -ENOENT, -ENODEV: none such; -EMFILE, -ENFILE, -ENOMEM.
 */
int resch_server_open(int fd, uint32_t domain, uint32_t id);

/**
 * resch_server_map - the page of a server, from resch_server_open()'s descriptor, which may be
 * closed then. Return: NULL and errno where it cannot be mapped. munmap() it.
 */
const struct resch_server_page *resch_server_map(int server);

/** resch_server_read - a consistent copy of what the page says. No system call. */
void resch_server_read(const struct resch_server_page *page, struct resch_server_page *copy);

/**
 * resch_server_left - what is left of the budget now, ns; negative: overdrawn. No system call but
 * for the clock, which the vDSO usually reads.
 */
int64_t resch_server_left(const struct resch_server_page *page);

/**
 * resch_plugin_load - load the module of plugin @name. Return: 0; -ENOENT: there is none; -EINVAL:
 * a bad name.
 */
int resch_plugin_load(int fd, const char *name);

/**
 * resch_plugin_stat - the loaded plugin number @index, from 0. Return: 0; -ENOENT: there are no
 * more.
 */
int resch_plugin_stat(int fd, uint32_t index, struct resch_plugin_stat *stat);

/* ---- guards and levels ----------------------------------------------------------------------- */

/**
 * resch_guard_set - guard the CPUs of a domain, or stop it: others than RT0 make no system calls
 * there
 * @flags:  RESCH_GUARD_ON and others of RESCH_GUARD_*; 0: no guard any more
 * @exempt: calls that do not send a thread away; NULL: those that stand, or the default list
 *
 * Return: 0; -ENODEV: no such domain; -EINVAL: no CPU would be left unguarded, or a call that makes
 * threads is exempt; -EPERM; -ENOTTY: the module is older than this call.
 */
int resch_guard_set(int fd, uint32_t domain, uint32_t flags, const struct resch_calls *exempt);

/**
 * resch_guard_stat - what a guard is and has done
 * @cpu:   one of the domain's, or -1: the sum
 * @calls: room for RESCH_CALLS_MAX numbers: how many threads each system call has sent away; or
 *         NULL
 *
 * Return: 0, @stat->flags is 0 where there is no guard; -ENODEV: no such domain, or CPU in it.
 */
int resch_guard_stat(int fd, uint32_t domain, int cpu, struct resch_guard_stat *stat,
		     uint64_t *calls);

/**
 * resch_guard_lend - have a thread go on, in user mode, on a guarded CPU, until its next system
 * call
 * @tid: 0: the caller
 *
 * Return: 0; -ESRCH; -EINVAL: not a guarded CPU, not one that the thread's affinity allows, or the
 * thread is RT0; -EPERM; -EOPNOTSUPP: the kernel has no task_work_add for modules.
 */
int resch_guard_lend(int fd, pid_t tid, uint32_t cpu);

/**
 * resch_enter_rt0 - make a thread RT0: SCHED_FIFO 99, bound to one CPU, which ought to be guarded
 * @tid: 0: the caller
 *
 * Return: 0; -ESRCH; -EPERM; -EINVAL: no such CPU. Needs no module and no descriptor: an unchanged
 * program that makes these two POSIX calls itself, in either order, is RT0 as well.
 */
int resch_enter_rt0(pid_t tid, uint32_t cpu);
/** resch_leave_rt0 - make it an ordinary thread that may run on all CPUs. Return: as above */
int resch_leave_rt0(pid_t tid);

/**
 * resch_enter_rt1plus - give a thread a real-time priority below RT0, on all the CPUs of its
 * affinity
 * @policy:   SCHED_FIFO or SCHED_RR
 * @priority: 1 to 98
 *
 * Return: 0; -EINVAL; -ESRCH; -EPERM.
 */
int resch_enter_rt1plus(pid_t tid, int policy, int priority);
/** resch_leave_rt1plus - make it an ordinary thread; its affinity stays. Return: as above */
int resch_leave_rt1plus(pid_t tid);

/* ---- chains ---------------------------------------------------------------------------------- */

/**
 * resch_chain_offer - a task may become a stage of a chain, by who knows the key
 * @task: id; 0: the calling thread's
 * @key:  a random number, to be told to who makes the chain; 0: nobody may any more
 *
 * Return: 0; -ENOENT; -EINVAL: it is a member of a server; -EPERM.
 */
int resch_chain_offer(int fd, uint32_t task, uint64_t key);

/**
 * resch_chain_set - make a chain of tasks that their owners have offered; its id: @want->id
 * @stages: @want->count of them
 *
 * Return: 0; -EINVAL; -ENOENT: no such task; -EPERM: a wrong key;
 * -EBUSY: a task is a stage already or has a job, or the local deadlines add up to more than the
 * chain's, which @want->verdict tells.
 */
int resch_chain_set(int fd, struct resch_chain_set *want, const struct resch_chain_stage *stages);

/** resch_chain_del - end a chain that was made through @fd. Return: 0; -ENOENT; -EPERM */
int resch_chain_del(int fd, uint32_t id);

/**
 * resch_chain_stat - what a chain is and has done
 * @stages: NULL, or room for @room, which the first stages fill
 * @histogram: NULL, or room for RESCH_CHAIN_BUCKETS numbers
 *
 * Return: 0; -ENOENT.
 */
int resch_chain_stat(int fd, uint32_t id, struct resch_chain_stat *stat,
		     struct resch_stage_stat *stages, uint32_t room, uint64_t *histogram);

/** resch_chain_next - likewise, the next one after @stat->id. Return: 1, 0: no more, or -errno */
int resch_chain_next(int fd, struct resch_chain_stat *stat, struct resch_stage_stat *stages,
		     uint32_t room, uint64_t *histogram);

/**
 * resch_chain_current - the instance that the calling thread's job belongs to
 * Return: 0; -ENOENT: the caller is no stage, or its job belongs to no instance.
 */
int resch_chain_current(int fd, struct resch_chain_job *job);

/* ---- events ---------------------------------------------------------------------------------- */

/**
 * resch_event_read - fetch events of the tasks registered, and chains made, through @fd
 * @events: room for @count of them
 *
 * Return: how many came, at least 1: sleeps until there is one; -EAGAIN: none, and @fd is
 * O_NONBLOCK; -EINTR.
 */
int resch_event_read(int fd, struct resch_event *events, size_t count);

/**
 * resch_event_wait - sleep until there are events
 * @timeout: milliseconds; negative: no limit
 *
 * Return: 1: there are; 0: the time is over; -EINTR.
 */
int resch_event_wait(int fd, int timeout);

#ifdef __cplusplus
}
#endif

#include "resch-init.h"
#include "resch-pace.h"
#include "resch-text.h"

#endif /* _RESCH_H */
