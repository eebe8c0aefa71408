# SPDX-License-Identifier: GPL-2.0-or-later
# The part of tools/check-style that reads C text: first tools/banned, then the sources.

function offence(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
function note(line, text) { printf "%s:%d: note: %s\n", FILENAME, line, text }

# Width with tabs of 8; bytes of UTF-8 sequences after the first don't count (mawk counts bytes).
function width(s,    i, w, n, c) {
	w = 0
	n = length(s)
	for (i = 1; i <= n; i++) {
		c = substr(s, i, 1)
		if (c == "\t")
			w += 8 - w % 8
		else if (c < "\200" || c >= "\300")
			w++
	}
	return w
}

# The line without strings, characters and comments; `in_comment` goes on over lines.
function code_of(s,    out, i, n, c, two, quote) {
	out = ""
	n = length(s)
	quote = ""
	for (i = 1; i <= n; i++) {
		c = substr(s, i, 1)
		two = substr(s, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
			}
		} else if (quote != "") {
			if (c == "\\")
				i++
			else if (c == quote) {
				quote = ""
				out = out c
			}
		} else if (two == "/*") {
			in_comment = 1
			i++
		} else if (two == "//") {
			cxx_comment = 1
			return out
		} else {
			if (c == "\"" || c == "'")
				quote = c
			out = out c
		}
	}
	return out
}

function check_banned(code,    rest, name, where, n, i, fine, before, member) {
	rest = code
	before = ""
	while (match(rest, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
		name = substr(rest, RSTART, RLENGTH)
		sub(/[ \t]*\($/, "", name)
		before = substr(rest, 1, RSTART - 1)
		member = before ~ /(\.|->)$/
		rest = substr(rest, RSTART + RLENGTH)
		if (member || !(name in banned))
			continue
		n = split(allowed[name], where, " ")
		fine = 0
		for (i = 1; i <= n; i++)
			if (index(FILENAME, "src/" where[i]) == 1)
				fine = 1
		if (!fine)
			offence(name "() is banned here: use " banned[name])
	}
}

# Groups of includes: 0 own header (or one of the layer that this file implements), 1 system,
# 2 project; each sorted, a blank line between.
function check_include(line,    path, group, layer) {
	path = line
	sub(/^[^"<]*["<]/, "", path)
	sub(/[">].*/, "", path)
	layer = FILENAME
	sub(/^src\//, "", layer)
	sub(/\/.*/, "/", layer)
	group = line ~ /</ ? 1 : !seen_include && index(path, layer) == 1 ? 0 : 2
	if (seen_include) {
		if (group < last_group)
			offence("include order: own header, system, project")
		else if (group == last_group && path < last_path && !blank_before)
			offence("includes of a group are sorted: \"" path "\" before \"" last_path "\"")
		else if (group != last_group && !blank_before && !(last_group == 0 && group == 2 &&
			 path > last_path))
			offence("a blank line between groups of includes")
	}
	seen_include = 1
	last_group = group
	last_path = path
}

function end_of_file() {
	if (file == "")
		return
	if (lines > 1000) {
		printf "%s:%d: %d lines: a file has at most 1000\n", file, lines, lines
		bad = 1
	} else if (lines > 600 && in_src)
		printf "%s:%d: note: %d lines: split it above 600\n", file, lines, lines
	if (file ~ /^src\/workload\/[a-z0-9_]*\.c$/ && lines > 250) {
		printf "%s:%d: %d lines: a workload has at most 250\n", file, lines, lines
		bad = 1
	}
}

FILENAME == "tools/banned" {
	if (/^#/ || NF == 0)
		next
	name = $0
	sub(/:.*/, "", name)
	rest = substr($0, length(name) + 2)
	where = rest
	sub(/:.*/, "", where)
	instead = substr(rest, length(where) + 2)
	sub(/^ */, "", instead)
	banned[name] = instead
	allowed[name] = where
	next
}

FNR == 1 {
	end_of_file()
	file = FILENAME
	in_src = FILENAME ~ /^src\//
	in_comment = 0
	seen_include = 0
	blank_before = 0
	body_start = 0
}

{
	lines = FNR
	cxx_comment = 0
	was_comment = in_comment
	code = code_of($0)
	if (width($0) > 100)
		offence(width($0) " columns: at most 100")
	if (/[ \t\r]$/)
		offence("blanks at the end of the line")
	if (cxx_comment && FNR > 1)
		offence("comments are /* */")
	if (in_src && !/\/\* style: /)
		check_banned(code)
	if (in_src && !was_comment && /^#[ \t]*include/ && FILENAME !~ /list\.h/ && !/list\.h"/)
		check_include($0)
	blank_before = /^$/

	# A function body runs from a "{" to a "}" in the first column.
	if (code ~ /^\{/)
		body_start = FNR
	else if (code ~ /^\}/ && body_start) {
		len = FNR - body_start - 1
		if (len > 120)
			offence("function of " len " lines: at most 120")
		else if (len > 80 && in_src)
			note(body_start, "function of " len " lines: split it above 80")
		body_start = 0
	}
}

END {
	end_of_file()
	exit bad
}
