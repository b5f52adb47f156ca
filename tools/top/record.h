/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h - reschtop record */
#ifndef _TOP_RECORD_H
#define _TOP_RECORD_H

/** record - argv[0] is its own name. Return: an exit status; trace-cmd's, if it gets that far */
int record(int argc, char **argv);

#endif
