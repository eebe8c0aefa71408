#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is left behind: dead groups after 50 groups that wrote files, and anything at all after
# kill -9 at 30 random moments. Wants root.
PATH=$MMGAUGE_BUILD:$PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
status=0

say() {
	echo "$1  $2"
	[ "$1" = pass ] || status=1
}

dead_groups() { # of a v1 hierarchy: groups that the kernel counts and no folder shows
	set -- $(awk '$1 == "memory" { print $3 }' /proc/cgroups)
	echo $(($1 - $(find /sys/fs/cgroup/memory -type d | wc -l)))
}

left() {
	find /sys/fs/cgroup -type d -name '*mmgauge-*' 2>/dev/null
	grep mmgauge- /proc/self/mountinfo
	losetup -n -O BACK-FILE 2>/dev/null | grep mmgauge-
	grep '^/dev/zram' /proc/swaps
	find /run/mmgauge -name '*.journal' 2>/dev/null
	find /tmp -maxdepth 1 -name 'mmgauge-[0-9a-f]*-[0-9]*' 2>/dev/null
	pgrep -x mmgauge-agent
}

one_run() { # CASE: the growth of dead groups over a run of 50 groups
	before=$(dead_groups)
	mmgauge run "$1" --variant a:depth=1,groups=50,fs=ext4-loop:2G --rounds 1 --time 300ms \
		--warmup 50ms -q -o dead.db >/dev/null || return 1
	sleep 1
	echo $(($(dead_groups) - before))
}

if control=$(one_run null) && wrote=$(one_run page_fault3:size=4M); then
	say "$([ "$wrote" -le "$((control > 0 ? control : 0))" ] && echo pass || echo FAIL)" \
		"50 groups that wrote files leave $wrote dead groups, 50 empty ones $control"
else
	say FAIL "no run of 50 groups"
fi

old=$(cat /proc/sys/vm/swappiness)
[ "$old" != 61 ] || old=60
killed=0 broken=0 dirty=0 i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	rm -f kill.db*
	mmgauge run page_fault2:size=4M page_fault1:size=8M \
		--variant a:depth=2,memory.max=32M,vm.swappiness=61,fs=xfs-loop:320M \
		--variant b:depth=3,groups=2,swap=zram:64M --rounds 50 --time 50ms \
		--warmup 10ms -q -o kill.db >/dev/null 2>&1 &
	pid=$!
	sleep "$(awk -v s="$i$$" 'BEGIN { srand(s); printf "%.2f", 0.1 + 2.9 * rand() }')"
	if [ $((i % 2)) = 0 ]; then
		kill -9 $pid $(cat /proc/$pid/task/$pid/children 2>/dev/null) 2>/dev/null
	else
		kill -9 $pid 2>/dev/null
	fi
	wait $pid 2>/dev/null
	killed=$((killed + 1))
	# an agent whose tool died takes everything back by itself, a killed one can't
	n=0
	while pgrep -x mmgauge-agent >/dev/null && [ $n -lt 100 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	mmgauge clean >/dev/null 2>clean.err || dirty=$((dirty + 1))
	if [ -n "$(left)" ] || [ "$(cat /proc/sys/vm/swappiness)" = 61 ]; then
		dirty=$((dirty + 1))
		left | sed 's/^/      left: /'
	fi
	if [ -e kill.db ] && [ "$(sqlite3 kill.db 'pragma integrity_check' 2>&1)" != ok ]; then
		broken=$((broken + 1))
	fi
done
say "$([ $dirty = 0 ] && echo pass || echo FAIL)" \
	"kill -9 at $killed random moments: $dirty times something was left after clean"
say "$([ $broken = 0 ] && echo pass || echo FAIL)" "the store was whole after all but $broken"
exit $status
