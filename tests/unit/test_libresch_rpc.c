// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_rpc - remote procedure calls: who pays, and what becomes of nonsense
 *
 * Sockets are real ones, the device is made up here.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <resch.h>

#define FD 1000
#define SERVER 7

static struct {
	uint64_t handle; /* of the call under way */
	int error; /* of the next SERVE */
	int calls, call_ends, serves, serve_ends;
	uint32_t flags;
} device;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int device_call(unsigned long request, void *argument)
{
	struct resch_call_end *end = argument;
	struct resch_serve *serve = argument;
	struct resch_call *call = argument;

	switch (request) {
	case RESCH_IOC_CALL:
		if (device.handle)
			return -EBUSY;
		device.handle = call->handle = 0x1234567890ULL + (uint64_t)++device.calls;
		device.flags = call->flags;
		return call->server == SERVER ? 0 : -EINVAL;
	case RESCH_IOC_CALL_END:
		if (!device.handle || (end->handle && end->handle != device.handle))
			return -ENOENT;
		device.handle = 0;
		device.call_ends++;
		end->consumed = 99;
		return 0;
	case RESCH_IOC_SERVE:
		if (device.error)
			return -device.error;
		if (serve->handle != device.handle || serve->pid != getpid())
			return -ENOENT;
		device.serves++;
		return 0;
	case RESCH_IOC_SERVE_END:
		device.serve_ends++;
		end->consumed = 98;
		return 0;
	}
	return -ENOTTY;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	int error = -EBADF;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	pthread_mutex_lock(&lock);
	if (fd == FD)
		error = device_call(request, argument);
	pthread_mutex_unlock(&lock);
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

/* ---- a provider ------------------------------------------------------------------------------ */

enum { ECHO = 1, FAIL, LARGE, FULL };

static struct provider {
	struct resch_rpc_service service;
	char path[100];
	int listening, result;
	pthread_t thread;
	atomic_int served, closed, refuse;
} provider;

static int let_in(void *data, struct resch_rpc_peer *peer)
{
	struct provider *self = data;

	peer->own = self;
	return !self->refuse && peer->pid == getpid() && peer->uid == getuid();
}

static ssize_t do_serve(void *data, struct resch_rpc_peer *peer, uint32_t method,
			const void *request, size_t size, void *reply, size_t room)
{
	struct provider *self = data;

	if (peer->own != self || size > RESCH_RPC_MAX || room != RESCH_RPC_MAX)
		abort();
	atomic_fetch_add(&self->served, 1);
	switch (method) {
	case ECHO:
		memmove(reply, request, size);
		return (ssize_t)size;
	case LARGE:
		return RESCH_RPC_MAX + 1;
	case FULL:
		memset(reply, 'x', room);
		return (ssize_t)room;
	}
	return -ENOTSUP;
}

static void gone(void *data, struct resch_rpc_peer *peer)
{
	struct provider *self = data;

	if (peer->own != self)
		abort();
	atomic_fetch_add(&self->closed, 1);
}

static void *provide(void *arg)
{
	struct provider *self = arg;
	int socket = accept(self->listening, NULL, NULL);

	self->result = resch_rpc_serve(&self->service, socket);
	close(socket);
	return NULL;
}

static void provider_start(uint32_t server, uint32_t flags)
{
	memset(&device, 0, sizeof(device));
	memset(&provider, 0, sizeof(provider));
	snprintf(provider.path, sizeof(provider.path), "/tmp/resch-rpc-%d", getpid());
	provider.service = (struct resch_rpc_service){ .fd = FD,
						       .server = server,
						       .flags = flags,
						       .data = &provider,
						       .accept = let_in,
						       .serve = do_serve,
						       .closed = gone };
	provider.listening = resch_rpc_listen(provider.path, 0600);
	assert_true(provider.listening >= 0);
	assert_int_equal(pthread_create(&provider.thread, NULL, provide, &provider), 0);
}

static void provider_stop(int result)
{
	pthread_join(provider.thread, NULL);
	close(provider.listening);
	unlink(provider.path);
	assert_int_equal(provider.result, result);
}

/* A connection of one's own, past the greeting. */
static int raw(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char hello[64];

	strcpy(address.sun_path, provider.path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(recv(fd, hello, sizeof(hello), 0), 8);
	return fd;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void wrappers(void **state)
{
	struct resch_call call = { .server = SERVER };
	struct resch_serve serve = { .pid = getpid() };
	uint64_t consumed = 0;

	memset(&device, 0, sizeof(device));
	errno = 0;
	assert_int_equal(resch_call_end(FD, 0, 0, &consumed), -ENOENT);
	assert_int_equal(resch_call(FD, &call), 0);
	assert_int_equal(resch_call(FD, &call), -EBUSY);
	serve.handle = call.handle;
	assert_int_equal(resch_serve(FD, &serve), 0);
	assert_int_equal(resch_serve_end(FD, call.handle, &consumed), 0);
	assert_int_equal(consumed, 98);
	assert_int_equal(resch_serve_end(FD, call.handle, NULL), 0);
	assert_int_equal(resch_call_end(FD, call.handle, 0, &consumed), 0);
	assert_int_equal(consumed, 99);
	assert_int_equal(errno, 0);
}

static void pays(void **state)
{
	static char big[RESCH_RPC_MAX], back[RESCH_RPC_MAX];
	struct resch_rpc rpc;
	size_t i;

	provider_start(SERVER, 0);
	assert_int_equal(resch_rpc_open(&rpc, FD, provider.path), 0);
	assert_int_equal(rpc.server, SERVER);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "abc", 3, back, sizeof(back)), 3);
	assert_memory_equal(back, "abc", 3);
	assert_int_equal(rpc.consumed, 99);
	for (i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 7);
	rpc.flags = RESCH_CALL_F_DISCARD;
	assert_int_equal(resch_rpc_call(&rpc, ECHO, big, sizeof(big), back, sizeof(back)),
			 sizeof(big));
	assert_memory_equal(back, big, sizeof(big));
	assert_int_equal(device.flags, RESCH_CALL_F_DISCARD);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, NULL, 0, NULL, 0), 0);
	assert_int_equal(resch_rpc_call(&rpc, FAIL, "x", 1, back, 1), -ENOTSUP);
	assert_int_equal(resch_rpc_call(&rpc, LARGE, "x", 1, back, 1), -EMSGSIZE);
	assert_int_equal(resch_rpc_call(&rpc, FULL, "x", 1, back, 10), -EMSGSIZE);
	assert_int_equal(resch_rpc_call(&rpc, FULL, "x", 1, back, sizeof(back)), RESCH_RPC_MAX);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, big, sizeof(big) + 1, back, 1), -EINVAL);
	rpc.flags = RESCH_CALL_F_WAIT;
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), -EINVAL);
	rpc.flags = 0;
	/* The call is somebody else's, or withdrawn: nothing is done. */
	i = (size_t)provider.served;
	device.error = ENOENT;
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), -ENOENT);
	assert_int_equal(provider.served, i);
	device.error = 0;
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), 1);
	resch_rpc_close(&rpc);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), -ENOTCONN);
	resch_rpc_close(&rpc);
	provider_stop(0);
	assert_int_equal(device.calls, 9);
	assert_int_equal(device.call_ends, 9);
	assert_int_equal(device.serves, 8);
	assert_int_equal(device.serve_ends, 8);
	assert_int_equal(provider.closed, 1);
}

static void pays_not(void **state)
{
	struct resch_rpc rpc;
	char back[1];

	provider_start(SERVER, 0);
	assert_int_equal(resch_rpc_open(&rpc, -1, provider.path), 0);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), -EACCES);
	assert_int_equal(provider.served, 0);
	resch_rpc_close(&rpc);
	provider_stop(0);
	provider_start(SERVER, RESCH_RPC_F_UNPAID);
	assert_int_equal(resch_rpc_open(&rpc, -1, provider.path), 0);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), 1);
	resch_rpc_close(&rpc);
	provider_stop(0);
	provider_start(0, 0);
	assert_int_equal(resch_rpc_open(&rpc, FD, provider.path), 0);
	assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, back, 1), 1);
	resch_rpc_close(&rpc);
	provider_stop(0);
	assert_int_equal(device.calls, 0);
	assert_int_equal(device.serves, 0);
}

static void keeps_out(void **state)
{
	struct resch_rpc rpc;

	provider_start(SERVER, 0);
	provider.refuse = 1;
	assert_int_equal(resch_rpc_open(&rpc, FD, provider.path), -EPIPE);
	provider_stop(-EACCES);
	assert_int_equal(provider.closed, 0);
	assert_int_equal(resch_rpc_open(&rpc, FD, "/nowhere/at/all"), -ENOENT);
	assert_int_equal(resch_rpc_open(&rpc, FD, ""), -EINVAL);
	assert_int_equal(resch_rpc_listen("/nowhere/at/all", 0600), -ENOENT);
	assert_int_equal(resch_rpc_listen("/dev/null", 0600), -EADDRINUSE);
}

/* Messages that no client of this library would send. */
static void survives(void **state)
{
	static unsigned char bytes[RESCH_RPC_MAX + 100];
	static const struct {
		size_t size;
		unsigned char result;
		int ends;
	} table[] = {
		{ 1, 0, -EPROTO },  { 15, 0, -EPROTO },
		{ 16, 1, -EPROTO }, { RESCH_RPC_MAX + 17, 0, -EBADMSG },
		{ 0, 0, 0 },
	};
	size_t i;
	int fd;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		provider_start(SERVER, 0);
		fd = raw();
		memset(bytes, 0, sizeof(bytes));
		bytes[12] = table[i].result;
		assert_int_equal(send(fd, bytes, table[i].size, 0), table[i].size);
		if (!table[i].size)
			shutdown(fd, SHUT_RDWR);
		provider_stop(table[i].ends);
		assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), 0);
		assert_int_equal(provider.served, 0);
		assert_int_equal(provider.closed, 1);
		close(fd);
	}
	/*
	 * Anything at all, with a header that is one: an answer to each, and it costs nobody
	 * anything.
	 */
	provider_start(SERVER, 0);
	fd = raw();
	srand(1);
	for (i = 0; i < 3000; i++) {
		size_t size = 16 + (size_t)rand() % (i % 10 ? 100 : RESCH_RPC_MAX), k;
		int32_t result;

		for (k = 0; k < size; k++)
			bytes[k] = (unsigned char)rand();
		memset(bytes + 12, 0, 4);
		assert_int_equal(send(fd, bytes, size, 0), size);
		assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), 16);
		memcpy(&result, bytes + 12, sizeof(result));
		assert_int_equal(result, -ENOENT);
	}
	close(fd);
	provider_stop(0);
	assert_int_equal(provider.served, 0);
}

/* Providers that go, or are none. */
static void is_left_alone(void **state)
{
	static const char hellos[][8] = { "RPC?", "1CPR" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct resch_rpc rpc;
	int listening, fd;
	size_t i;

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/resch-rpc-%d", getpid());
	for (i = 0; i < 2; i++) {
		/* What is left of the last one does not matter. */
		listening = resch_rpc_listen(address.sun_path, 0600);
		assert_true(listening >= 0);
		rpc.socket = -1;
		if (!fork()) {
			char message[4096];

			fd = accept(listening, NULL, NULL);
			send(fd, hellos[i], 8, 0);
			recv(fd, message, sizeof(message), 0);
			_exit(0);
		}
		if (i) {
			assert_int_equal(resch_rpc_open(&rpc, -1, address.sun_path), 0);
			assert_int_equal(resch_rpc_call(&rpc, ECHO, "x", 1, NULL, 0), -EPIPE);
			assert_int_equal(rpc.socket, -1);
		} else {
			assert_int_equal(resch_rpc_open(&rpc, -1, address.sun_path), -EPROTO);
		}
		resch_rpc_close(&rpc);
		close(listening);
	}
	unlink(address.sun_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrappers), cmocka_unit_test(pays),
		cmocka_unit_test(pays_not), cmocka_unit_test(keeps_out),
		cmocka_unit_test(survives), cmocka_unit_test(is_left_alone),
	};

	return cmocka_run_group_tests_name("libresch_rpc", tests, NULL, NULL);
}
