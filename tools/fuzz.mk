# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make fuzz        every tests/fuzz/fuzz_*.c with clang and libFuzzer: FUZZ_RUNS=50000 each
#   make fuzz-plain  the same without libFuzzer, with any compiler: seeded mutations of the corpus
#
# The first is what the test suite "fuzz" does. Both build with ASan and UBSan in trees of their
# own below $(O), and print a TAP line for each target.

.PHONY: fuzz fuzz-plain fuzz-plain-tests
fuzz:
	$(Q)tools/run-tests fuzz

FUZZ_RUNS ?= 50000
FUZZ_PLAIN := $(call tests,tests/fuzz/fuzz_*.c)
FUZZ_PLAIN := $(FUZZ_PLAIN:$(O)/tests/fuzz/%=$(O)/tests/fuzz-plain/%)
fuzz-plain-tests: $(FUZZ_PLAIN)
$(O)/tests/fuzz-plain/%: tests/fuzz/%.c tests/fuzz/fuzz.h $(O)/libhost.a $(O)/libagent.a
	$(Q)mkdir -p $(@D)
	$(if $(V),,@echo '  FUZZ    $@')
	$(Q)$(LINK_TEST_HOST) -DFUZZ_STANDALONE -include tests/fuzz/fuzz.h

fuzz-plain:
	$(Q)$(MAKE) O=$(O)/fuzz-plain SAN=address fuzz-plain-tests
	$(Q)status=0 n=0; for t in $(notdir $(FUZZ_PLAIN)); do n=$$((n + 1)); \
		corpus=tests/fuzz/corpus/$$t; [ -d "$$corpus" ] || corpus=; \
		if $(O)/fuzz-plain/tests/fuzz-plain/$$t -seed=1 -runs=$(FUZZ_RUNS) $$corpus; \
		then echo "ok $$n - $$t"; else echo "not ok $$n - $$t"; status=1; fi; \
	done; echo "1..$$n"; exit $$status
