/* SPDX-License-Identifier: GPL-2.0 */
/*
 * faults.h - every request of the ABI is made, and each memory allocation and each copy in it
 * fails: what the files of that program share. tests/guest/faults_requests.c makes a case of each
 * request
 */
#ifndef _FAULTS_H
#define _FAULTS_H

#include "requests.h"
#include "trial.h"

/* A request's trials. One that has none fails the linking. */
#define TRIALS(name) void trials_##name(void)
#define REQUEST(NAME, name, type) TRIALS(name);
#include "abi.h"
#undef REQUEST

/* The request, and what is asked for in each attempt. */
extern unsigned long number;
extern union argument asked;

/* Make it. */
long act(void);

/* Try it, each time when it is @ready; NULL: it always is. */
void fails(void (*ready)(void));

/* The domain of the case. */
extern uint32_t domain;

/* Descriptors that are opened from here on, also such as were not told; no_file(): are closed. */
void files_begin(void);
void no_file(void);

#endif /* _FAULTS_H */
