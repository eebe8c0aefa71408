// SPDX-License-Identifier: GPL-2.0-or-later
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import(&import_netperf, data, size);
	return 0;
}
