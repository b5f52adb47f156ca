// SPDX-License-Identifier: GPL-2.0
/* kinds.c - the loads, and the five of the report */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"
#include "relax.h"

#define MIB (1024 * 1024)

const struct load loads[] = {
	{ "compute", "4096 steps", load_compute },
	{ "disk", "MiB written, synced, read", load_disk },
	{ "net", "pings", load_net },
	{ "lock", "locks", load_lock },
	{ "cache", "1024 misses", load_cache },
	{ "fork", "processes", load_fork },
	{ "unmap", "mappings of 64 pages", load_unmap },
	{ NULL, NULL, NULL },
};

const struct load *load_named(const char *name)
{
	const struct load *load;

	for (load = loads; load->name; load++)
		if (!strcmp(load->name, name))
			return load;
	return NULL;
}

/* No system call at all. */
void load_compute(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	volatile unsigned int sink;
	unsigned int value = worker + 1, i;

	(void)disk;
	for (;;) {
		for (i = 0; i < 4096; i++) {
			value = value * 1664525 + 1013904223;
			if (!(i & 127))
				relax();
		}
		sink = value;
		(*done)++;
	}
	(void)sink;
}

/* More than a cache holds, a line at a time, in an order that no prefetcher foresees. */
void load_cache(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	size_t lines = 32 * MIB / 64;
	volatile char *memory = mmap(NULL, lines * 64, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	unsigned int value = worker + 1, i;

	(void)disk;
	if (memory == MAP_FAILED)
		err(1, "cache: memory");
	for (;;) {
		for (i = 0; i < 1024; i++) {
			value = value * 1664525 + 1013904223;
			memory[(value >> 8) % lines * 64]++;
			if (!(i & 63))
				relax();
		}
		(*done)++;
	}
}

/* Writes reach the device, and reads come from it. */
void load_disk(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	static char data[65536];
	off_t start = (off_t)worker % 8 * 4 * MIB, at;
	int fd = open(disk, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "%s", disk);
	for (;;) {
		for (at = 0; at < MIB; at += sizeof(data))
			if (pwrite(fd, data, sizeof(data), start + at) != sizeof(data))
				err(1, "disk: write");
		/* A file system without a device has nothing to sync to. */
		if (fdatasync(fd) && errno != EINVAL)
			err(1, "disk: sync");
		posix_fadvise(fd, start, MIB, POSIX_FADV_DONTNEED);
		for (at = 0; at < MIB; at += sizeof(data))
			if (pread(fd, data, sizeof(data), start + at) != sizeof(data))
				err(1, "disk: read");
		(*done)++;
	}
}

static unsigned short checksum(const void *data, size_t bytes)
{
	const unsigned short *word = data;
	unsigned int sum = 0;

	for (; bytes; bytes -= 2)
		sum += *word++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (unsigned short)~(sum + (sum >> 16));
}

/* Echo requests to this machine; the kernel answers them in a soft interrupt. */
void load_net(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static union {
		struct icmphdr header;
		char bytes[1408];
	} request;
	static char answer[2048];
	const struct icmphdr *got = (const void *)(answer + 20);
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);

	(void)disk;
	if (fd < 0)
		err(1, "net: raw socket");
	request.header.type = ICMP_ECHO;
	request.header.un.echo.id = htons((unsigned short)getpid());
	request.header.checksum = 0;
	request.header.checksum = checksum(&request, sizeof(request));
	(void)worker;
	for (;;) {
		if (sendto(fd, &request, sizeof(request), 0, (void *)&to, sizeof(to)) < 0)
			err(1, "net: send");
		do {
			if (recv(fd, answer, sizeof(answer), 0) < 0)
				err(1, "net: receive");
		} while (got->type != ICMP_ECHOREPLY ||
			 got->un.echo.id != request.header.un.echo.id);
		(*done)++;
	}
}

static void lock_byte(int fd, off_t byte, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

	if (fcntl(fd, F_SETLK, &lock))
		err(1, "lock");
}

/*
 * The report's load called an ioctl() under the big kernel lock, which is gone. Locks of one file
 * are a list under one spinlock, which each lock and unlock walks: long, with preemption off, and
 * everyone else waits for it.
 */
void load_lock(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	off_t start = (off_t)worker * 4096, byte;
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s", disk);
	if (!strncmp(path, "/dev/", 5))
		snprintf(path, sizeof(path), "/tmp/resch-load.lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		err(1, "%s", path);
	for (byte = 0; byte < 1000; byte += 2)
		lock_byte(fd, start + byte, F_WRLCK);
	for (byte = 0;; byte = (byte + 2) % 1000) {
		lock_byte(fd, start + byte, F_UNLCK);
		lock_byte(fd, start + byte, F_WRLCK);
		(*done) += 2;
	}
}
