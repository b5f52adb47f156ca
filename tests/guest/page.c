// SPDX-License-Identifier: GPL-2.0
/* page.c - a server is mapped and waited for: who may, what is there, how long it lasts */
#include "lib.h"

#define PERIOD (20 * MS)
/* So often there is something to be told, for readers to meet; on slow kernels not as close. */
#define READERS_MEET (3000 / test_slower())

static void greedy_start(struct task *task, uint32_t id)
{
	memset(task, 0, sizeof(*task));
	task->reg = periodic(PERIOD, 1);
	task->reg.params.group = id;
	task->reg.params.cpu = -1;
	task->reg.params.flags = RESCH_F_SKIP_ADMISSION;
	task_start(task, body_spin);
}

static int opened(uint32_t domain, uint32_t id)
{
	return (int)must(resch_server_open(dev, domain, id));
}

static const struct resch_server_page *mapped(int fd)
{
	const struct resch_server_page *page = resch_server_map(fd);

	check(page, "cannot map: %s", strerror(errno));
	return page;
}

/* Without a system call that would know better. */
static struct resch_server_page look(const struct resch_server_page *page)
{
	struct resch_server_page copy;

	resch_server_read(page, &copy);
	return copy;
}

TEST(seen, "budgets come, go and are used up, and the page and poll() say so")
{
	uint32_t domain, id;
	const struct resch_server_page *page;
	struct resch_server_page first, last;
	struct resch_server_stat stat;
	struct pollfd poll_fd = { .events = POLLIN };
	struct task greedy;
	uint64_t count = 0, times = 0;
	int i, fd, other;
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pin(0, "0");
	must_libc(munmap(gone, 4096));
	domain = use("server");
	id = server_make(domain, 8 * MS, PERIOD);
	fd = poll_fd.fd = opened(domain, id);
	page = mapped(fd);
	first = look(page);
	check_is(first.domain, domain);
	check_is(first.id, id);
	check_is(first.budget, 8 * MS);
	check_is(first.period, PERIOD);
	check_is(first.flags, 0);
	check_is(first.deadline, 0);
	check_is(poll(&poll_fd, 1, 0), 0);
	must_libc(fcntl(fd, F_SETFL, O_NONBLOCK));
	check(read(fd, &count, sizeof(count)) == -1 && errno == EAGAIN, "nothing happened yet");
	check(read(fd, &count, 7) == -1 && errno == EINVAL, "read too little");
	must_libc(fcntl(fd, F_SETFL, 0));
	greedy_start(&greedy, id);
	await(look(page).flags & RESCH_PAGE_RUNNING);
	for (i = 0; i < 3; i++) {
		check_is(poll(&poll_fd, 1, 8000), 1);
		check_is(poll_fd.revents, POLLIN);
		check(read(fd, gone, sizeof(count)) == -1 && errno == EFAULT, "read to nowhere");
		check_is(poll(&poll_fd, 1, 0), 1);
		check_is(read(fd, &count, sizeof(count)), sizeof(count));
		check(count, "used up no times");
		times += count;
	}
	/* Whoever comes later sees what happens from then on. */
	other = opened(domain, id);
	last = look(page);
	check(last.exhausted >= times, "%llu times used up, %llu told",
	      (unsigned long long)last.exhausted, (unsigned long long)times);
	check(last.replenished >= 3 && last.deadline > first.deadline, "no new budgets");
	check(resch_server_left(page) <= (int64_t)(8 * MS), "%lld ns are left",
	      (long long)resch_server_left(page));
	task_join(&greedy);
	stat = server_stat(domain, id);
	last = look(page);
	check_is(last.flags, 0);
	check_is(last.since, 0);
	check_is(last.consumed, stat.consumed);
	check_is(last.deadline, stat.deadline);
	check_is(last.exhausted, stat.exhausted);
	check_is(last.replenished, stat.replenished);
	check_is(last.left > 0 ? last.left : 0, stat.left);
	close(other);
	/* The page outlives its descriptor, and the server outlives the page. */
	close(fd);
	check_is(look(page).consumed, stat.consumed);
	must_libc(munmap((void *)page, 4096));
	must(server_del(domain, id));
}

/* A provider ends its work for a client that is asleep, and goes on working for itself. */
static void body_provides(struct task *task)
{
	struct resch_serve serve = { .flags = RESCH_SERVE_F_WAIT };
	struct resch_call_end end = { .flags = 0 };

	must(call(dev, RESCH_IOC_SERVE, &serve));
	await(look(task->arg).flags & RESCH_PAGE_RUNNING);
	must(call(dev, RESCH_IOC_SERVE_END, &end));
	atomic_store(&task->step, 1);
	spin_until(&task->stop);
}

static void body_asks(struct task *task)
{
	struct resch_call out = { .server = *(uint32_t *)task->arg };
	char byte;

	must(call(dev, RESCH_IOC_CALL, &out));
	must_libc(read(task->number, &byte, 1));
}

static void member_start(struct task *task, uint32_t id, void (*body)(struct task *task))
{
	task->reg = wakeup(PERIOD, 1);
	task->reg.params.group = id;
	task->reg.params.cpu = -1;
	task_start(task, body);
}

/* Who reads one descriptor without a rest, some to nowhere. */
struct reader {
	pthread_t thread;
	int fd;
	void *nowhere;
	atomic_ullong told;
};

static atomic_int readers_stop;

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	uint64_t count;

	while (!atomic_load(&readers_stop)) {
		if (read(reader->fd, reader->nowhere ?: &count, sizeof(count)) == sizeof(count))
			atomic_fetch_add(&reader->told, count);
		else
			check(errno == EAGAIN || (reader->nowhere && errno == EFAULT), "read: %s",
			      strerror(errno));
	}
	return NULL;
}

TEST(readers, "of who read one descriptor each is told something else, together all there was")
{
	struct reader readers[4] = { { .nowhere = (void *)8 } };
	uint64_t sum = 0, count, used_up;
	uint32_t domain, id;
	struct task greedy;
	cpu_set_t all;
	int i, fd;

	domain = use("server");
	id = server_make(domain, test_slower() * MS / 10, test_slower() * MS / 2);
	fd = opened(domain, id);
	must_libc(fcntl(fd, F_SETFL, O_NONBLOCK));
	memset(&all, -1, sizeof(all));
	must_libc(sched_setaffinity(0, sizeof(all), &all));
	for (i = 0; i < 4; i++) {
		readers[i].fd = fd;
		check(!pthread_create(&readers[i].thread, NULL, reader_main, &readers[i]),
		      "no thread");
	}
	greedy_start(&greedy, id);
	await(server_stat(domain, id).exhausted >= READERS_MEET);
	task_join(&greedy);
	used_up = server_stat(domain, id).exhausted;
	atomic_store(&readers_stop, 1);
	for (i = 0; i < 4; i++) {
		pthread_join(readers[i].thread, NULL);
		sum += atomic_load(&readers[i].told);
	}
	if (read(fd, &count, sizeof(count)) == sizeof(count))
		sum += count;
	check(sum == used_up, "told %lld, used up %llu times", (long long)sum,
	      (unsigned long long)used_up);
	close(fd);
	must(server_del(domain, id));
}

TEST(provided, "a server whose work is done by a provider, and then no longer")
{
	uint32_t domain = use("server"), id = server_make(domain, 8 * MS, PERIOD), passive;
	const struct resch_server_page *page = mapped(opened(domain, id));
	struct resch_server_set want = server_of(domain, 8 * MS, PERIOD);
	struct task provider = { .arg = (void *)page }, client = { .arg = &passive };
	int ends[2];

	pin(0, "0");
	must_libc(pipe(ends));
	want.params.kind = RESCH_SERVER_PASSIVE;
	must(server_set(&want));
	passive = want.id;
	client.number = ends[0];
	member_start(&provider, passive, body_provides);
	member_start(&client, id, body_asks);
	await(atomic_load(&provider.step) == 1);
	await(!look(page).flags);
	check(look(page).consumed, "the provider has worked at nobody's expense");
	must_libc(write(ends[1], "", 1));
	task_join(&client);
	task_join(&provider);
}

static int module_users(void)
{
	FILE *file = fopen("/sys/module/resch/refcnt", "r");
	int users = -1;

	check(file && fscanf(file, "%d", &users) == 1, "no count of the module's users");
	fclose(file);
	return users;
}

TEST(gone, "a server that goes leaves its page behind, which says so, and wakes who waits")
{
	uint32_t domain = use("server"), id = server_make(domain, 4 * MS, PERIOD);
	struct pollfd poll_fd = { .fd = opened(domain, id), .events = POLLIN };
	const struct resch_server_page *page = mapped(poll_fd.fd), *again;
	uint64_t count = 1;
	int fd, users;

	must(server_del(domain, id));
	check_is(look(page).flags, RESCH_PAGE_GONE);
	check_is(poll(&poll_fd, 1, 0), 1);
	check_is(poll_fd.revents, POLLIN | POLLHUP);
	check_is(read(poll_fd.fd, &count, sizeof(count)), sizeof(count));
	check_is(count, 0);
	refused(resch_server_open(dev, domain, id), ENOENT);
	/* Likewise with its domain. */
	id = server_make(domain, 4 * MS, PERIOD);
	fd = opened(domain, id);
	again = mapped(fd);
	must(resch_domain_del(dev, domain));
	check_is(look(again).flags, RESCH_PAGE_GONE);
	refused(resch_server_open(dev, domain, id), ENODEV);
	/* A page alone holds the module. */
	must_libc(munmap((void *)page, 4096));
	close(poll_fd.fd);
	close(fd);
	users = module_users();
	must_libc(munmap((void *)again, 4096));
	check_is(module_users(), users - 1);
}

TEST(refused, "the page is one, shared and for reading, whatever is tried")
{
	uint32_t domain = use("server"), id = server_make(domain, 4 * MS, PERIOD);
	struct resch_server_open open = { .domain = domain, .id = id, .flags = 1 }, *constant;
	int again, fd = opened(domain, id);
	char *page, path[40];

	refused(call(dev, RESCH_IOC_SERVER_OPEN, &open), EINVAL);
	refused(resch_server_open(dev, 77, id), ENODEV);
	refused(resch_server_open(dev, domain, id + 1), ENOENT);
	check(fcntl(fd, F_GETFD) & FD_CLOEXEC, "it would be inherited");
	check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED,
	      "writable");
	check(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED, "writable");
	check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED, "private");
	check(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, "two pages");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096) == MAP_FAILED, "the second page");
	page = (char *)mapped(fd);
	check(mprotect(page, 4096, PROT_READ | PROT_WRITE) == -1, "writable afterwards");
	check(write(fd, page, 8) == -1, "written to");
	must_libc(again = openat(AT_FDCWD, "/proc/self/mem", O_RDWR));
	check(pwrite(again, &open, 4, (off_t)(uintptr_t)page) == -1, "written to as by a debugger");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(openat(AT_FDCWD, path, O_RDWR) == -1, "opened again, for writing");
	/* Who can't be told of a descriptor gets none. */
	must_libc(again = dup(fd));
	close(again);
	constant = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(constant != MAP_FAILED, "no memory");
	constant->domain = domain;
	constant->id = id;
	must_libc(mprotect(constant, 4096, PROT_READ));
	refused(call(dev, RESCH_IOC_SERVER_OPEN, constant), EFAULT);
	check_is(must_libc(dup(fd)), again);
	must_libc(fcntl(fd, F_SETFL, O_NONBLOCK));
	check(read(fd, page, 4096) == -1, "the kernel wrote to it");
}

static void touch_beyond(const char *page)
{
	*(volatile const char *)(page + 4096);
}

/* A copy of the mapping is one's own. */
static int body_inherits(void *arg)
{
	const struct resch_server_page *page = arg;
	uint32_t id = look(page).id;

	must_libc(munmap(arg, 4096));
	return !id;
}

static int body_beyond(void *arg)
{
	char *page = mremap((void *)mapped(*(int *)arg), 4096, 8192, MREMAP_MAYMOVE);

	if (page == MAP_FAILED)
		raise(SIGBUS);
	touch_beyond(page);
	return 0;
}

static int body_stranger(void *arg)
{
	uint32_t *server = arg;
	int fd;

	dev = resch_open();
	must_libc(setresuid(65534, 65534, 65534));
	refused(resch_server_open(dev, server[0], server[1]), EPERM);
	/* What was passed on is one's own. */
	fd = (int)server[2];
	check_is(look(mapped(fd)).id, server[1]);
	return 0;
}

TEST(strangers,
     "others may not look at it unless they are given a descriptor; beyond it is nothing")
{
	uint32_t domain = use("server"),
		 server[3] = { domain, server_make(domain, 4 * MS, PERIOD) };
	const struct resch_server_page *page;
	int status, fd = opened(domain, server[1]);

	page = mapped(fd);
	server[2] = (uint32_t)fd;
	child_ok(child(body_inherits, (void *)page));
	child_ok(child(body_stranger, server));
	status = child_wait(child(body_beyond, &fd));
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS, "wait status %d", status);
	check_is(look(page).flags, 0);
}

TEST(storm, "servers, pages and domains come and go in any order")
{
	uint32_t domain, id;
	const struct resch_server_page *page;
	int i, fd, more;

	for (i = 0; i < 16; i++) {
		struct task greedy;

		domain = use("server");
		id = server_make(domain, 4 * MS, PERIOD);
		fd = opened(domain, id);
		more = opened(domain, id);
		page = mapped(i & 1 ? fd : more);
		check_is(look(page).flags, 0);
		if (i % 4 == 0)
			greedy_start(&greedy, id);
		if (i & 2)
			close(fd);
		if (i % 4 == 0)
			task_join(&greedy);
		if (i & 4)
			must(server_del(domain, id));
		close(more);
		check_is(look(page).id, id);
		if (i & 8)
			must_libc(munmap((void *)page, 4096));
		must(resch_domain_del(dev, domain));
		if (!(i & 2))
			close(fd);
	}
}
