// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of a log, and numbers in them. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "import/internal.h"

int import_fail(const struct import_in *in, struct err *e, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%u: %s", in->path, in->line, text);
}

int import_line(struct import_in *in, char **ret, struct err *e)
{
	size_t len;

	errno = 0;
	/* a NUL in a line would hide what follows it: the length that fgets saw is not told */
	memset(in->buf, '\n', sizeof(in->buf));
	if (!fgets(in->buf, sizeof(in->buf), in->f)) {
		if (ferror(in->f))
			return err_errno(e, errno ? errno : EIO, "could not read \"%s\"",
					 in->path);
		return 0;
	}
	in->line++;
	len = strlen(in->buf);
	if (len == sizeof(in->buf) - 1 && in->buf[len - 1] != '\n')
		return import_fail(in, e, "a line is longer than %d bytes", IMPORT_LINE_MAX);
	if (len == 0 || (in->buf[len - 1] != '\n' && !feof(in->f)))
		return import_fail(in, e, "this is no text: there is a NUL");
	while (len && (in->buf[len - 1] == '\n' || in->buf[len - 1] == '\r'))
		in->buf[--len] = '\0';
	*ret = in->buf;
	return 1;
}

bool import_number(const char *word, double *ret)
{
	double v;

	if (num_double(word, &v, NULL) < 0 || !isfinite(v) || v < 0)
		return false;
	*ret = v;
	return true;
}
