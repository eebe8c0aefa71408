# SPDX-License-Identifier: GPL-2.0-or-later
#
# mmgauge: host tool and static agent.
#
#   make            both programs, in $(O)
#   make run        set-up, build, and the plan plans/quick.yaml with its comparison
#   make test       set-up, build, and every test; the last line counts them
#                   (some: tools/run-tests unit cli, see there)
#   make lint       layers, style, clang-tidy, cppcheck
#   make bench      figures of time, each with pass or fail (not part of the tests)
#   make bench-stats  error rates by simulation, into docs/statistics.md
#   make install    DESTDIR=, PREFIX=/usr/local
#   make clean
#
#   O=DIR           where everything built goes (default build)
#   CC=clang        compiler; CROSS_COMPILE= as in the kernel
#   SAN=address     ASan+UBSan; SAN=thread TSan; SAN=fuzzer with CC=clang for fuzz-tests.
#                   The agent is then linked dynamically.
#   WERROR=1        warnings are errors (developers and CI)
#   V=1             show commands

O ?= build
PREFIX ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
AR := $(CROSS_COMPILE)ar
PKG_CONFIG ?= pkg-config
SAN ?=
WERROR ?=
V ?=
Q := $(if $(V),,@)

VERSION := 0.1
LIBS_HOST := sqlite3 yaml-0.1 jansson libarchive

# Layers of the agent and of the host tool; tools/layers says who may include whom.
AGENT_LAYERS := base sys cgroup undo workload wire place worker
HOST_LAYERS := base sys cgroup undo workload wire place stats plan kernel target store import judge run \
	report

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wnull-dereference -Wvla -Wundef \
	-Wconversion -Wdouble-promotion -Wunused-macros -Wimplicit-fallthrough \
	-Wframe-larger-than=16384
WARN_GCC := -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wjump-misses-init \
	-Wcast-align=strict -Wformat-overflow=2 -Wformat-truncation=1 -Walloc-zero -Wtrampolines
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))
WARN += $(if $(IS_CLANG),,$(WARN_GCC))

SAN_address := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SAN_thread := -fsanitize=thread -fno-omit-frame-pointer
SAN_fuzzer := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
SANFLAGS := $(if $(SAN),$(or $(SAN_$(SAN)),$(error SAN is "address", "thread" or "fuzzer")))

BUILD_ID := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

# The measured loops are part of the instrument: one fixed set of code flags.
CODE := -std=gnu17 -O2 -g -fno-common -fno-strict-aliasing -D_GNU_SOURCE -Isrc -I$(O)/gen
HARD := $(if $(SAN),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong)
CFLAGS_ALL := $(CODE) $(WARN) $(if $(WERROR),-Werror) $(HARD) $(SANFLAGS) $(CFLAGS)
CFLAGS_HOST := $(shell $(PKG_CONFIG) --cflags $(LIBS_HOST) 2>/dev/null)
LDLIBS_HOST := $(shell $(PKG_CONFIG) --libs $(LIBS_HOST) 2>/dev/null) -lRmath -lmd -lm
AGENT_LINK := $(if $(SAN),,-static)

srcs = $(foreach l,$(1),$(sort $(wildcard src/$(l)/*.c src/$(l)/*/*.c)))
objs = $(patsubst src/%.c,$(O)/obj/%.o,$(call srcs,$(1)))

AGENT_OBJS := $(call objs,$(AGENT_LAYERS))
HOST_OBJS := $(call objs,$(HOST_LAYERS))
ALL_OBJS := $(sort $(AGENT_OBJS) $(HOST_OBJS) $(call objs,agent cli plugin))

.DELETE_ON_ERROR:
.PHONY: all agent
all: $(O)/mmgauge $(O)/mmgauge-agent $(O)/mmgauge-tcg.so $(O)/mmgauge.1
agent: $(O)/mmgauge-agent

# Objects are rebuilt when the flags change, and only then.
FLAGS_NOW := $(CC) $(CFLAGS_ALL) $(CFLAGS_HOST) $(AGENT_LINK)
$(O)/.flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
.PHONY: FORCE
FORCE:

# Changes with every commit; only the few files that include it are rebuilt then.
$(O)/gen/build_id.h: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)printf '#define BUILD_VERSION "%s"\n#define BUILD_ID "%s"\n#define BUILD_FLAGS "%s"\n' \
		'$(VERSION)' '$(BUILD_ID)' '$(CC) $(CODE) $(SANFLAGS)' > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(O)/obj/%.o: src/%.c $(O)/.flags | $(O)/gen/build_id.h
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  CC      $<')
	$(Q)$(CC) $(CFLAGS_ALL) $(CFLAGS_HOST) -MMD -MP -c $< -o $@

$(O)/libagent.a: $(AGENT_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(O)/libhost.a: $(HOST_OBJS)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/mmgauge-agent: $(call objs,agent) $(O)/libagent.a
	$(if $(V),,@echo '  LINK    $@')
	$(Q)$(CC) $(CFLAGS_ALL) $(AGENT_LINK) $^ -o $@ -lm -pthread
$(O)/mmgauge: $(call objs,cli) $(O)/libhost.a
	$(if $(V),,@echo '  LINK    $@')
	$(Q)$(CC) $(CFLAGS_ALL) $^ -o $@ $(LDLIBS_HOST) -pthread

# QEMU loads it, so no sanitizer; its undefined symbols are QEMU's.
$(O)/mmgauge-tcg.so: $(call srcs,plugin) $(O)/.flags
	$(if $(V),,@echo '  PLUGIN  $@')
	$(Q)mkdir -p $(O)/obj/plugin
	$(Q)$(CC) $(filter-out $(SANFLAGS),$(CFLAGS_ALL)) -fPIC -fvisibility=hidden -shared \
		-MMD -MP -MF $(O)/obj/plugin/mmgauge-tcg.d $< -o $@

# The parts that come from the option tables and the descriptors are put in by the tool itself.
$(O)/mmgauge.1: man/mmgauge.1.in $(O)/mmgauge
	$(Q)$(O)/mmgauge --man > $@.parts
	$(Q)sed -e '/^@GENERATED@$$/{r $@.parts' -e 'd}' $< > $@ && rm $@.parts

# Tests: tests/DIR/X.c is the program $(O)/tests/DIR/X. Those of unit/, contract/ and fuzz/ may use
# every layer, those of root/ and bench/ only the agent's (those of root/ run in a guest, too).
tests = $(patsubst tests/%.c,$(O)/tests/%,$(sort $(wildcard $(1))))
UNIT_TESTS := $(call tests,tests/unit/test_*.c tests/contract/test_*.c)
ROOT_TESTS := $(call tests,tests/root/test_*.c)
VM_PROGRAMS := $(call tests,tests/vm/*.c)
FUZZ_TESTS := $(call tests,tests/fuzz/fuzz_*.c)
BENCHES := $(call tests,tests/bench/*.c)
# What has threads, and so is run under TSan.
THREAD_TESTS := $(foreach l,base_parallel judge worker workload agent,$(filter \
	%/test_$(l) $(O)/tests/unit/test_$(l)_% $(O)/tests/root/test_$(l)_%,$(UNIT_TESTS) $(ROOT_TESTS)))
.PHONY: unit-tests root-tests vm-programs fuzz-tests thread-tests benches
unit-tests: $(UNIT_TESTS)
root-tests: $(ROOT_TESTS)
vm-programs: $(VM_PROGRAMS)
fuzz-tests: $(FUZZ_TESTS)
thread-tests: $(THREAD_TESTS)
benches: $(BENCHES)

# Argument vectors of string literals are the point of -Wwrite-strings and -Wcast-qual here.
CFLAGS_TEST = $(filter-out -Wconversion -Wunused-macros -Wmissing-prototypes -Wwrite-strings \
	-Wcast-qual,$(CFLAGS_ALL)) -Itests
LINK_TEST_HOST = $(CC) $(CFLAGS_TEST) $(CFLAGS_HOST) -MMD -MP $< -o $@ $(O)/libhost.a \
	$(O)/libagent.a $(LDLIBS_HOST) -pthread
$(O)/tests/unit/%: tests/unit/%.c tests/tap.h $(O)/libhost.a $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  TEST    $@')
	$(Q)$(LINK_TEST_HOST)
$(O)/tests/contract/%: tests/contract/%.c tests/tap.h $(O)/libhost.a $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  TEST    $@')
	$(Q)$(LINK_TEST_HOST)
$(O)/tests/fuzz/%: tests/fuzz/%.c $(O)/libhost.a $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  FUZZ    $@')
	$(Q)$(LINK_TEST_HOST) -fsanitize=fuzzer
LINK_TEST_AGENT = $(CC) $(CFLAGS_TEST) -MMD -MP $< -o $@ $(AGENT_LINK) $(O)/libagent.a -lm -pthread
$(O)/tests/root/%: tests/root/%.c tests/tap.h $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  TEST    $@')
	$(Q)$(LINK_TEST_AGENT)
$(O)/tests/vm/%: tests/vm/%.c $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  TEST    $@')
	$(Q)$(LINK_TEST_AGENT)
$(O)/tests/bench/%: tests/bench/%.c tests/bench/bench.h $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  BENCH   $@')
	$(Q)$(LINK_TEST_AGENT)

-include $(sort $(wildcard tools/*.mk))

# The set-up may install what this makefile has asked pkg-config for: hence a make of their own.
.PHONY: run test lint bench bench-stats install clean
run:
	$(Q)tools/setup build run
	$(Q)$(MAKE) all
	$(O)/mmgauge run plans/quick.yaml -o $(O)/quick.db

test:
	$(Q)tools/setup build run test lint
	$(Q)O='$(O)' CC='$(CC)' WERROR='$(WERROR)' MAKE='$(MAKE)' tools/run-tests

lint:
	$(Q)tools/setup build lint
	$(Q)$(MAKE) $(O)/gen/build_id.h
	$(Q)O='$(O)' tools/lint

bench:
	$(Q)tools/setup build run
	$(Q)$(MAKE) all benches
	$(Q)MMGAUGE_BUILD='$(abspath $(O))' tools/run-bench

bench-stats:
	$(Q)tools/setup build run
	$(Q)$(MAKE) $(O)/tests/unit/test_judge_simulation
	$(Q)O='$(O)' tools/bench-stats

# The tool looks for its agent beside itself, then in ../libexec/mmgauge.
INSTALL := install
DEST := $(DESTDIR)$(PREFIX)
install: all
	$(Q)$(INSTALL) -d $(DEST)/bin $(DEST)/libexec/mmgauge $(DEST)/lib/mmgauge $(DEST)/share/man/man1 \
		$(DEST)/share/mmgauge/plans $(DEST)/share/doc/mmgauge
	$(Q)$(INSTALL) -m 755 $(O)/mmgauge $(DEST)/bin/
	$(Q)$(INSTALL) -m 755 $(O)/mmgauge-agent $(DEST)/libexec/mmgauge/
	$(Q)$(INSTALL) -m 644 $(O)/mmgauge-tcg.so $(DEST)/lib/mmgauge/
	$(Q)$(INSTALL) -m 644 $(O)/mmgauge.1 $(DEST)/share/man/man1/
	$(Q)for f in $(wildcard plans/*.yaml); do \
		$(INSTALL) -m 644 $$f $(DEST)/share/mmgauge/plans/ || exit 1; done
	$(Q)for f in $(wildcard README.md docs/*.md); do \
		$(INSTALL) -m 644 $$f $(DEST)/share/doc/mmgauge/ || exit 1; done

clean:
	$(Q)rm -rf $(O)

-include $(ALL_OBJS:.o=.d) $(wildcard $(O)/tests/*/*.d)
