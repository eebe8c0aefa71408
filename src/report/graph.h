/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One graph as gnuplot wants it: a data file and a script. Private to report/. */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "report/sweep.h"

struct str;

struct point {
	size_t c;  /* case */
	double at; /* on the axis */
	size_t n;  /* good runs; without any, q is not set */
	struct quartiles q;
};

struct curve {
	char *title;
	struct point *points; /* rising on the axis */
	size_t n;
	size_t variant;
};

/* What the small panel below shows of every curve against the first. */
enum panel { PANEL_NONE, PANEL_CHANGE, PANEL_SPEEDUP };

struct graph {
	const struct sweep *s;
	size_t axis;
	char *name;  /* of its files */
	char *title;
	struct curve *curves; size_t n_curves;
	bool ideal;  /* also what perfect scaling from the first point would give */
	enum panel panel;
	double min, max; /* of all medians */
};

/* Every curve as a block (an "index") of the data file. */
void graph_data(const struct graph *g, struct str *out);
/* The script that draws the data file; @where is added to the title. */
void graph_script(const struct graph *g, const char *where, struct str *out);
void graph_done(struct graph *g);
#define _cleanup_graph_ __attribute__((cleanup(graph_done)))

#endif
