// SPDX-License-Identifier: GPL-2.0-or-later
/* Posted summaries from any bytes: what is accepted is judged and printed without NaN. */
#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/posted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	_cleanup_str_ struct str out = STR_INIT(64 << 20);
	_cleanup_posted_ struct posted t = { 0 };
	struct err e;

	if (posted_parse(text, "text", size % 2 ? 10 : 0, &t, &e) < 0) {
		assert(!t.rows && e.msg[0]);
		return 0;
	}
	judge_posted(&t, 0.02, true);
	for (size_t i = 0; i < t.n_rows; i++) {
		for (size_t v = 1; v < t.rows[i].n_sides; v++) {
			const struct judge_effect *f = &t.rows[i].side[v].effect;

			assert(!isnan(f->change) && !isnan(f->lo) && !isnan(f->hi));
			assert(!isnan(f->mde) && f->p >= 0 && f->p_adjusted <= 1);
		}
	}
	assert(report_posted(&t, "text", true, &out, &e) == 0);
	return 0;
}
