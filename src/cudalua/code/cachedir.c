/* The folder of the disk cache. What is in it will run on the user's GPU, so nothing is believed: the folder
 * is opened once, must be the user's own and nobody else's to write, and everything after goes through that
 * descriptor, so that nobody can put another folder in its place. An entry counts only if every byte of it is
 * as it was written.
 *
 *   entry    header (struct Header), key, payload; named by the key's SHA-256
 *   writing  a new temporary file in the folder, then rename(): a reader sees the old entry, the new one, or
 * none. Several writers of one key write the same thing; the last one wins. A writer that dies leaves its
 *            temporary file, which a later eviction removes.
 *
 * There is no fsync(): after a power failure an entry may be empty or cut, and is then thrown away by the
 * next reader, which costs one compilation; waiting for the disk would cost each of them. */
#include "base/base.h"
#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int fd;
} Dir;

typedef struct {
  char magic[8];
  uint64_t key_size, payload_size;
  uint8_t digest[32]; /* of the payload */
} Header;

static const char magic[8] = "CLcache1";
static const char dir_name[] = "cudalua.cachedir";

enum { NAME_SIZE = 64, OLD_TEMPORARY = 600 /* seconds; writing takes milliseconds */, TOUCH_AFTER = 60 };
#define MAX_ENTRY ((uint64_t)1 << 28)

static int dir_gc(lua_State *L) {
  Dir *d = luaL_checkudata(L, 1, dir_name);
  if (d->fd >= 0) close(d->fd);
  d->fd = -1;
  return 0;
}

static Dir *check_dir(lua_State *L) {
  Dir *d = luaL_checkudata(L, 1, dir_name);
  if (d->fd < 0) luaL_error(L, "the cache's folder is closed");
  return d;
}

static const char *check_entry(lua_State *L) {
  size_t n;
  const char *name = luaL_checklstring(L, 2, &n);
  if (n != NAME_SIZE || strspn(name, "0123456789abcdef") != n) luaL_error(L, "no name of a cache entry");
  return name;
}

static int failed(lua_State *L, const char *format, const char *detail) {
  lua_pushnil(L);
  lua_pushfstring(L, format, detail);
  return 2;
}

/* Makes path and what is missing above it, for the user alone. */
static bool make_folders(char *path) {
  for (char *p = path + 1; *p; p++) {
    if (*p != '/') continue;
    *p = 0;
    int bad = mkdir(path, 0700) && errno != EEXIST && errno != EROFS && errno != EACCES;
    *p = '/';
    if (bad) return false;
  }
  return !mkdir(path, 0700) || errno == EEXIST;
}

/* cache_open(path) -> folder, or nil and why it is not used, true if that is worth a warning */
int cl_cache_open(lua_State *L) {
  const char *given = cl_check_name(L, 1, "path");
  char path[4096];
  size_t n = strlen(given);
  if (n >= sizeof path) return failed(L, "%s", "its path is too long");
  memcpy(path, given, n + 1);
  while (n > 1 && path[n - 1] == '/') path[--n] = 0; /* a slash at the end would follow a symbolic link */
  if (getuid() != geteuid() || getgid() != getegid())
    return failed(L, "%s", "this program runs with the rights of another user");

  Dir *d = lua_newuserdata(L, sizeof *d);
  d->fd = -1;
  if (luaL_newmetatable(L, dir_name)) {
    lua_pushcfunction(L, dir_gc);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);

  const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  d->fd = open(path, how);
  if (d->fd < 0 && errno == ENOENT) {
    if (!make_folders(path)) return failed(L, "it cannot be made: %s", strerror(errno));
    d->fd = open(path, how);
  }
  if (d->fd < 0) {
    int code = errno;
    struct stat st;
    bool link = !lstat(path, &st) && S_ISLNK(st.st_mode);
    return failed(L, "%s", link ? "it is a symbolic link" : strerror(code));
  }
  struct stat st;
  if (fstat(d->fd, &st)) return failed(L, "%s", strerror(errno));
  if (st.st_uid != geteuid()) return failed(L, "%s", "it belongs to another user");
  if (st.st_mode & 022) return failed(L, "%s", "other users can write to it; run chmod go-w on it");
  return 1;
}

static bool read_all(int fd, void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t n = read(fd, (char *)to + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    have += (size_t)n;
  }
  return true;
}

static bool write_all(int fd, const void *from, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)from + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    done += (size_t)n;
  }
  return true;
}

/* What is wrong with an entry that was opened, or NULL: then *bytes is the whole file, for the caller to
 * free. */
static const char *load(int fd, const char *key, size_t key_size, char **bytes, Header *h) {
  struct stat st;
  *bytes = NULL;
  if (fstat(fd, &st)) return "it cannot be read";
  if (!S_ISREG(st.st_mode)) return "it is not a regular file";
  if (st.st_uid != geteuid()) return "it belongs to another user";
  if (st.st_mode & 022) return "other users can write to it";
  if ((uint64_t)st.st_size < sizeof *h) return "it is truncated";
  if ((uint64_t)st.st_size > MAX_ENTRY) return "it is too large";
  size_t size = (size_t)st.st_size;
  char *file = malloc(size);
  if (!file) return "out of memory";
  *bytes = file;
  if (!read_all(fd, file, size)) return "it cannot be read";
  memcpy(h, file, sizeof *h);
  if (memcmp(h->magic, magic, sizeof magic)) return "it is not a cache entry";
  size_t rest = size - sizeof *h;
  if (h->key_size > rest || h->payload_size != rest - h->key_size) return "its length is wrong";
  if (key && (h->key_size != key_size || memcmp(file + sizeof *h, key, key_size))) return "its key differs";
  uint8_t digest[32];
  cl_sha256(file + sizeof *h + h->key_size, h->payload_size, digest);
  if (memcmp(digest, h->digest, sizeof digest)) return "its contents are damaged";
  struct timespec now, times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
  clock_gettime(CLOCK_REALTIME, &now);
  /* Eviction goes by this time. Where it cannot be set, on a read-only disk, nothing is evicted either. */
  if (key && now.tv_sec - st.st_mtim.tv_sec > TOUCH_AFTER) (void)futimens(fd, times);
  return NULL;
}

/* cache_read(folder, name, key) -> payload; nil where there is none; nil and why where there is one that is
 * not right: it has been removed then */
int cl_cache_read(lua_State *L) {
  const Dir *d = check_dir(L);
  const char *name = check_entry(L);
  size_t key_size;
  const char *key = luaL_checklstring(L, 3, &key_size);
  int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return lua_pushnil(L), 1;
  char *bytes = NULL;
  Header h;
  const char *why = fd < 0 ? (errno == ELOOP ? "it is a symbolic link" : "it cannot be opened")
                           : load(fd, key, key_size, &bytes, &h);
  if (fd >= 0) close(fd);
  if (!why) {
    lua_pushlstring(L, bytes + sizeof h + h.key_size, h.payload_size);
    free(bytes);
    return 1;
  }
  free(bytes);
  (void)unlinkat(d->fd, name, 0);
  return failed(L, "%s", why);
}

/* cache_key(folder, name) -> the key of an entry that is right, or nil */
int cl_cache_key(lua_State *L) {
  const Dir *d = check_dir(L);
  int fd = openat(d->fd, check_entry(L), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return lua_pushnil(L), 1;
  char *bytes;
  Header h;
  const char *why = load(fd, NULL, 0, &bytes, &h);
  close(fd);
  if (why)
    lua_pushnil(L);
  else
    lua_pushlstring(L, bytes + sizeof h, h.key_size);
  free(bytes);
  return 1;
}

static bool store(int dir, const char *name, const struct iovec part[3], char *temporary, size_t room) {
  uint64_t salt[2];
  if (getrandom(salt, sizeof salt, GRND_NONBLOCK) != sizeof salt) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    salt[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)getpid();
    salt[1] = (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&now;
  }
  snprintf(temporary, room, ".tmp-%016llx%016llx", (unsigned long long)salt[0], (unsigned long long)salt[1]);
  int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return *temporary = 0, false;
  bool ok = true;
  for (int i = 0; ok && i < 3; i++) ok = write_all(fd, part[i].iov_base, part[i].iov_len);
  int code = errno;
  if (close(fd) && ok)
    ok = false, code = errno; /* where quotas and network file systems say that it did not fit */
  errno = code;
  return ok && !renameat(dir, temporary, dir, name);
}

/* cache_write(folder, name, key, payload) -> true, or nil and why not */
int cl_cache_write(lua_State *L) {
  const Dir *d = check_dir(L);
  const char *name = check_entry(L);
  Header h = {.payload_size = 0};
  size_t key_size, payload_size;
  const char *key = luaL_checklstring(L, 3, &key_size), *payload = luaL_checklstring(L, 4, &payload_size);
  uint64_t size = sizeof h + (uint64_t)key_size + payload_size;
  if (size > MAX_ENTRY) return failed(L, "%s", "it is too large for an entry");
  /* Past this limit the system would not only refuse, but send a signal that ends the process. */
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur)
    return failed(L, "%s", strerror(EFBIG));
  memcpy(h.magic, magic, sizeof magic);
  h.key_size = key_size;
  h.payload_size = payload_size;
  cl_sha256(payload, payload_size, h.digest);
  const struct iovec parts[3] = {{&h, sizeof h}, {(void *)key, key_size}, {(void *)payload, payload_size}};
  char temporary[64];
  if (store(d->fd, name, parts, temporary, sizeof temporary)) return lua_pushboolean(L, 1), 1;
  int code = errno;
  if (*temporary) (void)unlinkat(d->fd, temporary, 0);
  return failed(L, "%s", strerror(code));
}

typedef struct {
  char name[NAME_SIZE + 1];
  bool temporary;
  uint64_t bytes;
  struct timespec used;
} Entry;

static int older_first(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* The entries and temporary files, oldest first; whatever else is in the folder is none of our business. */
static Entry *list(int dir, size_t *count) {
  Entry *all = NULL;
  size_t n = 0, room = 0;
  *count = 0;
  int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* a reading position of its own */
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (!stream) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  for (const struct dirent *e; (e = readdir(stream));) {
    bool temporary = !strncmp(e->d_name, ".tmp-", 5);
    size_t length = strlen(e->d_name);
    if (length > NAME_SIZE ||
        (!temporary && (length != NAME_SIZE || strspn(e->d_name, "0123456789abcdef") != length)))
      continue;
    struct stat st;
    if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || S_ISDIR(st.st_mode))
      continue; /* gone, or not ours */
    if (n == room) {
      Entry *more = realloc(all, (room = room ? 2 * room : 64) * sizeof *all);
      if (!more) break;
      all = more;
    }
    Entry *a = &all[n++];
    memcpy(a->name, e->d_name, length + 1);
    a->temporary = temporary;
    a->bytes = (uint64_t)st.st_size;
    a->used = st.st_mtim;
  }
  closedir(stream);
  if (n) qsort(all, n, sizeof *all, older_first);
  *count = n;
  return all;
}

/* cache_list(folder) -> {name, bytes, name, bytes, ...}, oldest first */
int cl_cache_list(lua_State *L) {
  const Dir *d = check_dir(L);
  size_t n;
  Entry *all = list(d->fd, &n);
  lua_createtable(L, 0, 0);
  for (size_t i = 0, k = 0; i < n; i++) {
    if (all[i].temporary) continue;
    lua_pushstring(L, all[i].name);
    lua_rawseti(L, -2, (int)++k);
    lua_pushnumber(L, (lua_Number)all[i].bytes);
    lua_rawseti(L, -2, (int)++k);
  }
  free(all);
  return 1;
}

/* cache_evict(folder, limit) -> bytes that stay: removes what was used longest ago until the rest fits, and
 * the temporary files of writers that are no more. Others may do the same at the same time. */
int cl_cache_evict(lua_State *L) {
  const Dir *d = check_dir(L);
  uint64_t limit = cl_check_bytes(L, 2, "limit"), total = 0;
  size_t n;
  Entry *all = list(d->fd, &n);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (size_t i = 0; i < n; i++) {
    if (!all[i].temporary)
      total += all[i].bytes;
    else if (now.tv_sec - all[i].used.tv_sec > OLD_TEMPORARY)
      (void)unlinkat(d->fd, all[i].name, 0);
  }
  for (size_t i = 0; i < n && total > limit; i++)
    if (!all[i].temporary && (!unlinkat(d->fd, all[i].name, 0) || errno == ENOENT)) total -= all[i].bytes;
  free(all);
  lua_pushnumber(L, (lua_Number)total);
  return 1;
}
