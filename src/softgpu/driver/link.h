/* An input of the linker: its text cut into statements (link_text.c), for driver/link.c to decide about names
 * and for link_text.c to write it down accordingly. */
#ifndef SOFTGPU_LINK_H
#define SOFTGPU_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/ptx.h"

/* DOT: a word after a dot. */
typedef enum LinkTokKind { SPACE, WORD, DOT, NUMBER, STRING, PUNCT } LinkTokKind;

typedef struct LinkTok {
  LinkTokKind kind;
  const char *at;
  size_t len;
} LinkTok;

typedef enum LinkStmtKind { HEADER, FILE_NAME, SKIPPED, FUNCTION, VARIABLE, OTHER } LinkStmtKind;

typedef struct LinkStmt {
  LinkStmtKind kind;
  uint32_t first, end; /* tokens */
  LinkTok name;        /* FUNCTION, VARIABLE: the first name that it declares */
  bool defines;        /* it has a body or a value */
} LinkStmt;

/* A name that another input has too: what becomes of it in this one. */
typedef struct LinkFate {
  const char *name;
  char *renamed; /* NULL: it is declared only, another input's definition is meant */
} LinkFate;

typedef struct LinkInput {
  struct LinkInput *next;
  char *name, *text;
  PtxModule *tree;
  LinkTok *tok;
  uint32_t ntok, tok_room;
  LinkStmt *stmt;
  uint32_t nstmt, stmt_room;
  LinkFate *fate;
  uint32_t nfate;
  uint32_t number, first_file, first_line; /* in the result */
} LinkInput;

/* Cuts in->text, which is known to parse; false: out of memory. */
bool sg_link_cut(LinkInput *in);
/* Is the name used, beside being declared? */
bool sg_link_uses(const LinkInput *in, const char *name);
/* Writes the input as in->fate says, line for line. */
void sg_link_write(FILE *f, const LinkInput *in);

#endif
