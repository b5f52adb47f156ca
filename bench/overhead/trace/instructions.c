// SPDX-License-Identifier: GPL-2.0
/*
 * instructions.c - QEMU plugin: the address of every instruction of a few jobs
 *
 * resch-overhead marks begin and end of its jobs with instructions that do nothing (task.c). Of
 * each EVERY marks, from number FIRST on and for COUNT marks, this writes what is executed as
 * 64-bit words: addresses, and a mark's number where one is met. Watching changes nothing in a
 * guest whose clock counts instructions. Which CPU it was is not said: where CPUs take turns in one
 * thread, QEMU names the one that the code was translated for.
 *
 *   -plugin instructions.so,out=FILE,every=N,first=N,count=N
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

EXPORT int qemu_plugin_version = PLUGIN_VERSION;

static FILE *out;
static unsigned long first, count = 8, every = 1, seen;

static bool recording(void)
{
	unsigned long at = seen % every;

	return at >= first && at < first + count;
}

static void executed(unsigned int cpu, void *address)
{
	uint64_t word = (uint64_t)(uintptr_t)address;

	(void)cpu;
	if (recording())
		fwrite(&word, sizeof(word), 1, out);
}

static void marked(unsigned int cpu, void *number)
{
	executed(cpu, number);
	seen++;
	executed(cpu, number);
}

/* The mark's number, or 0. */
static uintptr_t mark_of(const struct qemu_plugin_insn *insn)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x84, 0x00 };
	uint8_t bytes[8];
	uint32_t number;

	if (qemu_plugin_insn_size(insn) != sizeof(bytes))
		return 0;
	insn_bytes(insn, bytes, sizeof(bytes));
	if (memcmp(bytes, nop, sizeof(nop)))
		return 0;
	memcpy(&number, bytes + 4, sizeof(number));
	return number >> 16 == 0x7e5c ? number & 0xffff : 0;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uintptr_t mark = mark_of(insn);

		if (mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, 0, (void *)mark);
		else
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, executed, 0, (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

static void closed(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "first=", 6))
			first = strtoul(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "count=", 6))
			count = strtoul(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "every=", 6))
			every = strtoul(argv[i] + 6, NULL, 0);
	}
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, closed, NULL);
	return 0;
}
