/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - the kernel's functions by their addresses */
#ifndef _RESCHCTL_COMMON_SYMBOLS_H
#define _RESCHCTL_COMMON_SYMBOLS_H

#include <stdint.h>

/** struct symbol - the function that an address belongs to */
struct symbol {
	uint64_t address;
	char name[96]; /* with " [module]"; "": not looked up yet */
};

/** symbols_load - read /proc/kallsyms below @root, once; symbols_free gives it back */
void symbols_load(const char *root);
void symbols_free(void);
/** symbol_find - look one up that has no name yet */
void symbol_find(struct symbol *symbol);

#endif /* _RESCHCTL_COMMON_SYMBOLS_H */
