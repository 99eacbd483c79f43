/* Versions of PTX, times ten. The machine knows the instructions up to PTX_NEWEST. Modules of newer minor
 * versions are accepted, since most of them use no newer instruction; what is unknown in them is refused
 * where it is used. */
#ifndef PTX_VERSION_H
#define PTX_VERSION_H

#include <stddef.h>
#include <stdio.h>

enum { PTX_NEWEST = 90, PTX_VERSION_TEXT = 96 };

/* For the end of a message about a module: empty if its version is not newer. */
static inline void ptx_newer_text(int version, char *text, size_t size) {
  *text = 0;
  if (version > PTX_NEWEST)
    snprintf(text, size, "; the module has PTX version %d.%d, and this device knows PTX up to version %d.%d",
             version / 10, version % 10, PTX_NEWEST / 10, PTX_NEWEST % 10);
}

#endif
