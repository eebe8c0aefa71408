/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every workload, in the order in which lists show them. No include guard: read twice. */
WORKLOAD(null)
WORKLOAD(delay)
WORKLOAD(page_fault1)
WORKLOAD(page_fault2)
WORKLOAD(page_fault3)
WORKLOAD(createdelete)
WORKLOAD(anon_touch)
WORKLOAD(usemem)
WORKLOAD(readtwice)
WORKLOAD(exec)
