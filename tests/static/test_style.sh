#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tree keeps the style that can be checked, and the check sees what it is there to see.
. "$(dirname "$0")/../cli/lib.sh"

tree_keeps_style() {
	run "$top/tools/check-style"
	grep -v ': note: ' "$out" >offences || true
	[ ! -s offences ] || fail "offences"
	expect_status 0
}

# put FILE: into an otherwise empty tree, with the text of stdin after the SPDX line.
put() {
	rm -rf src
	mkdir -p tools .ci "src/$(dirname "$1")" tests
	cp "$top/tools/banned" "$top/tools/check-style.awk" tools/
	printf '# SPDX-License-Identifier: GPL-2.0-or-later\n' >Makefile
	{
		printf '// SPDX-License-Identifier: GPL-2.0-or-later\n'
		cat
	} >"src/$1"
}

check() {
	run "$top/tools/check-style" .
}

clean_file_passes() {
	put base/x.c <<-'EOF'
		#include "base/x.h"

		#include <errno.h>
		#include <stdio.h>

		#include "base/err.h"

		/* strcpy(a, b) in a comment, "atoi(x)" in a string */
		int f(struct s *s)
		{
			return s->time(0) + fsx_exit(1) + (int)sizeof("atoi(x)");
		}
	EOF
	check
	expect_no_stdout
	expect_status 0
}

banned_calls_are_seen() {
	for call in 'strcpy(a, b)' 'x = atoi (s)' 'exit(1)' 'system("x")' 'usleep(5)'; do
		echo "	$call;" | put stats/x.c
		check
		expect_status 1
		expect_stdout 'is banned here'
	done
}

call_allowed_in_its_file_passes() {
	echo '	printf("x");' | put cli/x.c
	check
	expect_status 0
	echo '	printf("x");' | put stats/x.c
	check
	expect_status 1
}

excuse_is_taken() {
	echo '	time(NULL); /* style: why it is right here */' | put stats/x.c
	check
	expect_status 0
}

missing_licence_is_seen() {
	put base/x.c </dev/null
	check
	expect_status 0
	echo 'int x;' >src/base/y.c
	check
	expect_status 1
	expect_stdout '^src/base/y.c:1: no SPDX line'
}

long_line_is_seen() {
	printf '\t/* %089d */\n' 0 | put base/x.c
	check
	expect_stdout '103 columns'
	expect_status 1
}

blanks_at_the_end_are_seen() {
	printf 'int x; \n' | put base/x.c
	check
	expect_status 1
}

cxx_comment_is_seen() {
	printf 'int x; // note\n' | put base/x.c
	check
	expect_status 1
}

long_function_is_seen() {
	{
		echo 'int f(void)'
		echo '{'
		seq -f '	x += %g;' 121
		echo '}'
	} | put base/x.c
	check
	expect_status 1
	expect_stdout 'function of 121 lines'
}

long_file_is_seen() {
	seq -f 'int x%g;' 1000 | put base/x.c
	check
	expect_status 1
	expect_stdout '1001 lines'
}

include_order_is_seen() {
	printf '#include "base/x.h"\n\n#include <stdio.h>\n#include <errno.h>\n' | put base/x.c
	check
	expect_status 1
	expect_stdout 'sorted'
	printf '#include "base/x.h"\n#include <stdio.h>\n' | put base/x.c
	check
	expect_status 1
	expect_stdout 'blank line'
	printf '#include <stdio.h>\n\n#include "base/x.h"\n\n#include <errno.h>\n' | put base/x.c
	check
	expect_status 1
	expect_stdout 'include order'
}

for t in tree_keeps_style clean_file_passes banned_calls_are_seen call_allowed_in_its_file_passes \
	excuse_is_taken missing_licence_is_seen long_line_is_seen blanks_at_the_end_are_seen \
	cxx_comment_is_seen long_function_is_seen long_file_is_seen include_order_is_seen; do
	tap_run $t
done
tap_done
