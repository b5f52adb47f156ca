/* SPDX-License-Identifier: GPL-2.0 */
/*
 * requests.h - the requests of the ABI, none of them forgotten: abi.h, made from <linux/resch.h>,
 * has a line REQUEST(NAME, name, type) for each
 */
#ifndef _TEST_LIB_REQUESTS_H
#define _TEST_LIB_REQUESTS_H

#include "lib.h"

enum {
#define REQUEST(NAME, name, type) REQUEST_##NAME,
#include "abi.h"
#undef REQUEST
	REQUESTS
};

union argument {
#define REQUEST(NAME, name, type) type name;
#include "abi.h"
#undef REQUEST
	char bytes[4096];
};

#endif /* _TEST_LIB_REQUESTS_H */
