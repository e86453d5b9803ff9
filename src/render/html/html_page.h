/* SPDX-License-Identifier: GPL-2.0 */
/* html_page.h - what pages have in common: the head, and foreign text in it */
#ifndef LBRSNOOP_RENDER_HTML_HTML_PAGE_H
#define LBRSNOOP_RENDER_HTML_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/** html_put_text() - a foreign string as text of a page: inert, nothing unseen, cut if long */
void html_put_text(FILE *out, const char *text);

/**
 * html_put_head() - up to where the body begins
 * @what: "report"; @names: of @count files that the page is about
 * @script: the page's script is allowed; else none
 */
void html_put_head(FILE *out, const char *what, const char *const *names, size_t count,
		   bool script);

/** html_put_names() - the files' names, without folders; of many the first */
void html_put_names(FILE *out, const char *const *names, size_t count);

#endif
