// SPDX-License-Identifier: GPL-2.0-or-later
/* Contracts: what is read, what is refused and where, and the examples of docs/gate.md. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "plan/contract.h"

#define CPUS 2

static const char full[] = "contract: memcg-faults\n"
			   "base: base\n"
			   "margin: 3%\n"
			   "run:\n"
			   "  variants: {base: {depth: 0}, deep: {depth: 4}}\n"
			   "  cases:\n"
			   "    - page_fault3: {mode: [thread, process]}\n"
			   "rows:\n"
			   "  - row: page_fault3 mode=thread\n"
			   "    variant: deep\n"
			   "    metric: ops_per_s\n"
			   "    no_loss_beyond: 1.5%\n"
			   "  - row: page_fault3\n"
			   "    no_change_beyond: 0.04\n"
			   "  - row: \"*\"\n"
			   "    gain_of_at_least: 200%\n"
			   "  - row: all\n";

static void reads_all(void)
{
	_cleanup_contract_ struct contract c = { 0 };
	struct err e = { 0 };

	CHECK_OK(contract_parse("c.yaml", full, CPUS, &c, &e));
	CHECK_STR(c.name, "memcg-faults");
	CHECK_STR(c.base, "base");
	CHECK_EQ(c.n_rows, 4);
	CHECK_STR(c.rows[0].row, "page_fault3 mode=thread");
	CHECK_STR(c.rows[0].variant, "deep");
	CHECK_STR(c.rows[0].metric, "ops_per_s");
	CHECK_EQ(c.rows[0].claim, CONTRACT_NO_LOSS);
	CHECK_NEAR(c.rows[0].margin, 0.015, 1e-12);
	CHECK_EQ(c.rows[0].line, 9);
	CHECK_EQ(c.rows[0].column, 10);
	CHECK_EQ(c.rows[1].claim, CONTRACT_NO_CHANGE);
	CHECK_NEAR(c.rows[1].margin, 0.04, 1e-12);
	CHECK(!c.rows[1].variant && !c.rows[1].metric);
	CHECK_EQ(c.rows[2].claim, CONTRACT_GAIN);
	CHECK_NEAR(c.rows[2].margin, 2, 1e-12);
	CHECK_EQ(c.rows[3].claim, CONTRACT_NO_LOSS); /* what a row means that says nothing */
	CHECK_NEAR(c.rows[3].margin, 0.03, 1e-12);
	CHECK(c.has_plan);
	CHECK_EQ(c.plan.n_variants, 2);
	CHECK_EQ(c.plan.n_cases, 2);
	CHECK_STR(c.plan.name, "memcg-faults");
}

/* The inline plan's own text gives the same plan: it is what the store keeps. */
static void inline_plan_has_its_text(void)
{
	_cleanup_contract_ struct contract c = { 0 };
	_cleanup_plan_ struct plan back = { 0 };
	struct err e = { 0 };

	CHECK_OK(contract_parse("c.yaml", full, CPUS, &c, &e));
	CHECK_OK(plan_parse("text", c.plan.text, CPUS, &back, &e));
	CHECK_EQ(back.n_variants, 2);
	CHECK_EQ(back.n_cases, 2);
	CHECK(!strstr(c.plan.text, "rows"));
}

static void plan_path_is_from_the_folder(void)
{
	static const struct {
		const char *file, *plan, *want;
	} t[] = {
		{ "a/b/c.yaml", "../x.yaml", "a/b/../x.yaml" },
		{ "c.yaml", "x.yaml", "x.yaml" },
		{ "a/c.yaml", "/x.yaml", "/x.yaml" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		_cleanup_contract_ struct contract c = { 0 };
		_cleanup_free_ char *text = xasprintf("plan: %s\nrows: [{row: a}]\n", t[i].plan);
		struct err e = { 0 };

		CHECK_OK(contract_parse(t[i].file, text, CPUS, &c, &e));
		CHECK_STR(c.plan_path, t[i].want);
		CHECK_STR(c.name, "c");
		CHECK(!c.has_plan);
		CHECK_EQ(contract_load_plan(&c, CPUS, &e), -ENOENT);
		CHECK(strstr(e.msg, t[i].want));
	}
}

static void without_plan(void)
{
	_cleanup_contract_ struct contract c = { 0 };
	struct err e = { 0 };

	CHECK_OK(contract_parse("c.yaml", "rows: [{row: a}]\n", CPUS, &c, &e));
	CHECK_NEAR(c.rows[0].margin, 0.02, 1e-12);
	CHECK_EQ(contract_load_plan(&c, CPUS, &e), -EINVAL);
	CHECK(strstr(e.msg, "names no plan"));
}

static void mistakes_have_a_place(void)
{
	static const struct {
		const char *text, *want;
	} t[] = {
		{ "- a\n", "c.yaml:1:1: a contract is a mapping" },
		{ "contract: x\n", "c.yaml:1:1: the contract has no rows" },
		{ "rows: []\n", "c.yaml:1:7: \"rows\" must be a list" },
		{ "rows: x\n", "c.yaml:1:7: \"rows\" must be a list" },
		{ "rows:\n  - a\n", "c.yaml:2:5: a row must be a mapping" },
		{ "rwos: []\n", "c.yaml:1:1: unknown key of a contract \"rwos\"; did you mean "
				"\"rows\"?" },
		{ "rows:\n  - row: a\n    no_los_beyond: 2%\n",
		  "c.yaml:3:5: unknown key of a row \"no_los_beyond\"; did you mean "
		  "\"no_loss_beyond\"?" },
		{ "rows:\n  - variant: a\n", "c.yaml:2:5: the row doesn't say which" },
		{ "rows:\n  - row: \" \"\n", "c.yaml:2:10: the row is empty" },
		{ "rows:\n  - row: mode=thread\n", "c.yaml:2:10: a row begins with a workload" },
		{ "rows:\n  - row: a thread\n", "c.yaml:2:10: \"thread\" is no KEY=VALUE" },
		{ "rows:\n  - row: a =1\n", "c.yaml:2:10: \"=1\" is no KEY=VALUE" },
		{ "rows:\n  - row: [a]\n", "c.yaml:2:10: \"row\" needs one value" },
		{ "rows:\n  - row: a\n    no_loss_beyond: 0\n", "c.yaml:3:21: \"0\" of" },
		{ "rows:\n  - row: a\n    no_loss_beyond: 51%\n", "c.yaml:3:21: \"51%\" of" },
		{ "rows:\n  - row: a\n    gain_of_at_least: 1001%\n", "c.yaml:3:23: \"1001%\"" },
		{ "rows:\n  - row: a\n    no_loss_beyond: -1%\n", "c.yaml:3:21: " },
		{ "rows:\n  - row: a\n    no_loss_beyond: 1%\n    gain_of_at_least: 1%\n",
		  "c.yaml:4:5: \"gain_of_at_least\" beside \"no_loss_beyond\"" },
		{ "margin: x\nrows: [{row: a}]\n", "c.yaml:1:9: \"margin\"" },
		{ "run: {cases: [null]}\nplan: x\nrows: [{row: a}]\n",
		  "c.yaml:1:6: \"run\" beside \"plan\"" },
		{ "rows: [{row: a}]\nrun: x\n", "c.yaml:2:6: \"run\" must be a plan" },
		{ "rows: [{row: a}]\nrun:\n  cases:\n    - page_falt1\n",
		  "c.yaml:4:7: unknown workload \"page_falt1\"; did you mean \"page_fault1\"?" },
		{ "rows: [{row: *}]\n", "c.yaml:1:" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		_cleanup_contract_ struct contract c = { 0 };
		struct err e = { 0 };

		CHECK(contract_parse("c.yaml", t[i].text, CPUS, &c, &e) < 0);
		if (strncmp(e.msg, t[i].want, strlen(t[i].want)) != 0)
			CHECK_STR(e.msg, t[i].want);
		CHECK(!c.rows && !c.file);
	}
}

static void too_many_rows(void)
{
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_contract_ struct contract c = { 0 };
	struct err e = { 0 };

	str_add(&text, "rows:\n");
	for (int i = 0; i <= CONTRACT_ROWS_MAX; i++)
		str_add(&text, "  - row: a\n");
	CHECK_EQ(contract_parse("c.yaml", str_text(&text), CPUS, &c, &e), -E2BIG);
}

static void examples_parse(void)
{
	_cleanup_str_ struct str doc = STR_INIT(1 << 20);
	struct err e = { 0 };
	unsigned n = 0;
	char *at;

	CHECK_OK(fsx_read(AT_FDCWD, "docs/gate.md", &doc, &e));
	at = doc.buf;
	while ((at = strstr(at, "\n```yaml\n"))) {
		_cleanup_contract_ struct contract c = { 0 };
		char *start = at + strlen("\n```yaml\n"), *end = strstr(start, "\n```");

		CHECK(end);
		end[1] = '\0';
		CHECK_OK(contract_parse("example.yaml", start, CPUS, &c, &e));
		at = end + 2;
		n++;
	}
	CHECK(n >= 2);
}

int main(void)
{
	TAP_RUN(reads_all);
	TAP_RUN(inline_plan_has_its_text);
	TAP_RUN(plan_path_is_from_the_folder);
	TAP_RUN(without_plan);
	TAP_RUN(mistakes_have_a_place);
	TAP_RUN(too_many_rows);
	TAP_RUN(examples_parse);
	return tap_done();
}
