/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plugin.h - what is used here of QEMU's plugin interface, whose header Debian does not package
 *
 * PLUGIN_VERSION: 1 is that of QEMU up to 8.2, 4 that of QEMU from 9.2 on.
 */
#ifndef _TRACE_PLUGIN_H
#define _TRACE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
typedef void (*trans_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_cb)(unsigned int cpu, void *data);
typedef void (*exit_cb)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, trans_cb cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags,
					    void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, exit_cb cb, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* The first @size bytes of an instruction that has them. */
#if PLUGIN_VERSION < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

static inline void insn_bytes(const struct qemu_plugin_insn *insn, void *bytes, size_t size)
{
	memcpy(bytes, qemu_plugin_insn_data(insn), size);
}
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t size);

static inline void insn_bytes(const struct qemu_plugin_insn *insn, void *bytes, size_t size)
{
	qemu_plugin_insn_data(insn, bytes, size);
}
#endif

extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

#endif /* _TRACE_PLUGIN_H */
