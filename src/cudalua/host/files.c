/* What the file system says of a path, and a file's bytes: for the compiler's search for headers and
 * libraries, where opening each candidate would cost more than the rest of a compilation that is found in the
 * cache. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* stat(path) -> "file", "directory" or "other", bytes, time of the last change as text
 * ("seconds.nanoseconds"); nil where there is nothing. Symbolic links are followed. */
int cl_file_stat(lua_State *L) {
  struct stat st;
  if (stat(cl_check_name(L, 1, "path"), &st)) return lua_pushnil(L), 1;
  lua_pushstring(L, S_ISREG(st.st_mode) ? "file" : S_ISDIR(st.st_mode) ? "directory" : "other");
  lua_pushnumber(L, (lua_Number)st.st_size);
  char text[64];
  snprintf(text, sizeof text, "%lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  lua_pushstring(L, text);
  return 3;
}

/* realpath(path) -> the path without links and dots, or nil. */
int cl_file_realpath(lua_State *L) {
  char *real = realpath(cl_check_name(L, 1, "path"), NULL);
  lua_pushstring(L, real); /* nil for NULL; the rare loss of a path when Lua is out of memory is borne */
  free(real);
  return 1;
}

/* list_folder(path) -> the names in it, in no order, or nil. */
int cl_file_list(lua_State *L) {
  const char *path = cl_check_name(L, 1, "path");
  lua_newtable(L); /* before the folder is open: nothing may raise while it is, but for a lack of memory */
  DIR *dir = opendir(path);
  if (!dir) return lua_pushnil(L), 1;
  int n = 0;
  for (const struct dirent *e; (e = readdir(dir));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    lua_pushstring(L, e->d_name);
    lua_rawseti(L, -2, ++n);
  }
  closedir(dir);
  return 1;
}

/* read_file(path, limit) -> its bytes; nil for what is no regular file, cannot be read, or is larger than
 * limit. Never waits, as opening a pipe would. */
int cl_file_read(lua_State *L) {
  const char *path = cl_check_name(L, 1, "path");
  uint64_t limit = cl_check_bytes(L, 2, "limit");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat st;
  if (fd < 0) return lua_pushnil(L), 1;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0 || (uint64_t)st.st_size > limit) {
    close(fd);
    return lua_pushnil(L), 1;
  }
  size_t size = (size_t)st.st_size, have = 0;
  char *bytes = malloc(size + 1);
  while (bytes && have < size) {
    ssize_t n = read(fd, bytes + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += (size_t)n;
  }
  close(fd);
  if (bytes && have == size)
    lua_pushlstring(L, bytes, size);
  else
    lua_pushnil(L);
  free(bytes);
  return 1;
}
