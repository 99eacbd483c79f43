/* Programs that are run, and the folders that they work in: for compilers that are no library. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* make_folder(prefix) -> a new folder that only this user may enter: prefix and six more characters; or nil
 * and why there is none */
int cl_make_folder(lua_State *L) {
  lua_pushfstring(L, "%sXXXXXX", cl_check_name(L, 1, "prefix"));
  size_t n;
  const char *template = lua_tolstring(L, -1, &n);
  char *path = lua_newuserdata(L, n + 1);
  memcpy(path, template, n + 1);
  if (mkdtemp(path)) return lua_pushstring(L, path), 1;
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* create_folder(path) -> true, or false where that is not possible or it is there already */
int cl_create_folder(lua_State *L) {
  lua_pushboolean(L, mkdir(cl_check_name(L, 1, "path"), 0700) == 0);
  return 1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
  (void)st, (void)kind, (void)ftw;
  return remove(path);
}

/* remove_folder(path) -> true, or false and why something of it is still there. Follows no links. */
int cl_remove_folder(lua_State *L) {
  const char *path = cl_check_name(L, 1, "path");
  if (!nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) || errno == ENOENT) return lua_pushboolean(L, 1), 1;
  lua_pushboolean(L, 0);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* The strings of the list at idx and after them the list's end, as an array that is a userdata on top. */
static char **strings(lua_State *L, int idx, size_t more) {
  luaL_checktype(L, idx, LUA_TTABLE);
  size_t n = lua_objlen(L, idx);
  char **v = lua_newuserdata(L, (n + more + 1) * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (int)i + 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "spawn: expected a list of strings");
    *(const char **)&v[i] = lua_tostring(L, -1); /* stays alive: the table holds it */
    lua_pop(L, 1);
  }
  v[n] = NULL;
  return v;
}

/* This process's environment with the variables NAME=value of the list at idx in the place of its own. */
static char **environment(lua_State *L, int idx) {
  size_t own = 0, mine = 0;
  while (environ && environ[own]) own++;
  char **v = strings(L, idx, own);
  while (v[mine]) mine++;
  size_t n = mine;
  for (size_t i = 0; i < own; i++) {
    bool given = false;
    size_t name = strcspn(environ[i], "=") + 1;
    for (size_t k = 0; k < mine && !given; k++) given = !strncmp(v[k], environ[i], name);
    if (!given) v[n++] = environ[i];
  }
  v[n] = NULL;
  return v;
}

static int start(pid_t *pid, char **argv, char **env, const char *out, const char *err) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none, defaults;
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  int e = posix_spawn_file_actions_init(&files);
  if (e) return e;
  if ((e = posix_spawnattr_init(&attr))) return posix_spawn_file_actions_destroy(&files), e;
  sigemptyset(&none); /* what the host program blocks or ignores is no business of the child's */
  sigfillset(&defaults);
  e = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (!e) e = posix_spawn_file_actions_addopen(&files, 1, out, flags, 0600);
  if (!e) e = posix_spawn_file_actions_addopen(&files, 2, err, flags, 0600);
  if (!e) e = posix_spawnattr_setsigmask(&attr, &none);
  if (!e) e = posix_spawnattr_setsigdefault(&attr, &defaults);
  if (!e) e = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!e) e = posix_spawn(pid, argv[0], &files, &attr, argv, env);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return e;
}

/* spawn(argv, environment, stdout file, stderr file) -> exit code, or minus the signal that ended it; nil and
 * why it could not be started; true where its end was taken by somebody else in this process (which waits for
 * all children, or ignores SIGCHLD): then its output must tell. argv[1] is a path; no shell sees any of it.
 */
int cl_spawn(lua_State *L) {
  const char *out = cl_check_name(L, 3, "stdout"), *err = cl_check_name(L, 4, "stderr");
  lua_settop(L, 4);
  char **argv = strings(L, 1, 0), **env = environment(L, 2);
  if (!argv[0]) return luaL_error(L, "spawn: what?");
  pid_t pid;
  int e = start(&pid, argv, env, out, err), status;
  if (e) {
    lua_pushnil(L);
    lua_pushstring(L, strerror(e));
    return 2;
  }
  pid_t ended;
  do ended = waitpid(pid, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0)
    lua_pushboolean(L, 1);
  else
    lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  return 1;
}
