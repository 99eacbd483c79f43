-- The C library's functions and numbers that the prompt uses: terminals, signals, files.
--
-- The functions have names of their own here, as a program may declare them with types of its own. Numbers and layouts
-- are Linux's on x86-64 and aarch64, the same in glibc and musl.

local ffi = require "ffi"

ffi.cdef [[
struct cudalua_termios { uint32_t iflag, oflag, cflag, lflag; uint8_t line, cc[32]; uint32_t speeds[8]; };
struct cudalua_pollfd { int fd; short events, revents; };
struct cudalua_sigset { unsigned long bits[16]; };
struct cudalua_dirent { uint64_t inode; int64_t offset; unsigned short length; unsigned char type; char name[256]; };

int cudalua_tcgetattr(int fd, struct cudalua_termios *to) __asm__("tcgetattr");
int cudalua_tcsetattr(int fd, int when, const struct cudalua_termios *from) __asm__("tcsetattr");
int cudalua_isatty(int fd) __asm__("isatty");
int cudalua_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
int cudalua_poll(struct cudalua_pollfd *fds, unsigned long n, int milliseconds) __asm__("poll");
int cudalua_sigprocmask(int how, const struct cudalua_sigset *set, struct cudalua_sigset *before)
  __asm__("sigprocmask");
int cudalua_signalfd(int fd, const struct cudalua_sigset *set, int flags) __asm__("signalfd");
int cudalua_kill(int pid, int signal) __asm__("kill");
int cudalua_getpid(void) __asm__("getpid");

int cudalua_open(const char *path, int flags, ...) __asm__("open");
int cudalua_close(int fd) __asm__("close");
long cudalua_read(int fd, void *to, size_t n) __asm__("read");
long cudalua_write(int fd, const void *from, size_t n) __asm__("write");
long cudalua_lseek(int fd, long offset, int whence) __asm__("lseek");
int cudalua_mkdir(const char *path, unsigned mode) __asm__("mkdir");
int cudalua_rename(const char *from, const char *to) __asm__("rename");
int cudalua_unlink(const char *path) __asm__("unlink");
int cudalua_flock(int fd, int operation) __asm__("flock");
void *cudalua_opendir(const char *path) __asm__("opendir");
struct cudalua_dirent *cudalua_readdir(void *folder) __asm__("readdir");
int cudalua_closedir(void *folder) __asm__("closedir");
]]

local C, cast, errno, tonumber = ffi.C, ffi.cast, ffi.errno, tonumber
local EINTR = 4

-- Writes all of a text to a file, from where it stands. False: it could not.
local function write_all(fd, text)
  local address, left = cast("const char *", text), #text
  while left > 0 do
    local n = tonumber(C.cudalua_write(fd, address, left))
    if n < 0 and errno() ~= EINTR then return false end
    if n > 0 then address, left = address + n, left - n end
  end
  return true
end

return {
  C = C, write_all = write_all,
  ENOENT = 2, EINTR = EINTR, EAGAIN = 11,
  -- terminals
  TCSADRAIN = 1, TIOCGWINSZ = 0x5413, FIONREAD = 0x541b, VTIME = 5, VMIN = 6,
  BRKINT = 0x2, INPCK = 0x10, ISTRIP = 0x20, INLCR = 0x40, IGNCR = 0x80, IXON = 0x400,
  ISIG = 0x1, ICANON = 0x2, ECHO = 0x8, IEXTEN = 0x8000,
  -- waiting and signals
  POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16,
  SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2,
  SIGHUP = 1, SIGINT = 2, SIGTERM = 15, SIGCONT = 18, SIGTSTP = 20, SIGWINCH = 28,
  SFD_NONBLOCK = 0x800, SFD_CLOEXEC = 0x80000,
  -- files
  O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0x40, O_TRUNC = 0x200, O_APPEND = 0x400, O_NONBLOCK = 0x800,
  O_CLOEXEC = 0x80000, SEEK_SET = 0, SEEK_END = 2, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8, DT_DIR = 4,
}
