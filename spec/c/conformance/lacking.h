/* The functions that the software device lacks. They are exported, so that programs find them; asking for one
 * by name finds nothing. Their rule, in every state: the driver's life comes first, as for all calls that
 * need cuInit (3, 4; 800 in a host function), then 801, whatever the arguments are and whichever context is
 * current. A function that comes to be there leaves lacking.def for entries.def, and gets rows. */

static const char *const lacking[] = {
#define L(symbol) #symbol,
#include "../../../src/softgpu/driver/lacking.def"
#undef L
};

/* Without _v2, _ptsz and the like. */
static void base_of(const char *name, char base[80]) {
  snprintf(base, 80, "%s", name);
  for (;;) {
    char *end = strrchr(base, '_');
    if (!end || (strncmp(end, "_v", 2) != 0 && strncmp(end, "_pt", 3) != 0)) return;
    *end = 0;
  }
}

static bool has_entry(const char *base) {
  for (int i = 0; i < SYMBOLS; i++)
    if (strcmp(symbols[i].base, base) == 0) return true;
  return false;
}

static void every_lacking(void) {
  const int want = of_kind(INIT, NOT_SUPPORTED, NOT_SUPPORTED) & CODE_MASK;
  for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
    CUresult (*f)(void) = (CUresult(*)(void))exported(lacking[i]);
    judge(f != NULL, __LINE__, "%s is not exported", lacking[i]);
    if (!f) continue;
    const int got = (int)f();
    judge(got == want, __LINE__, "%s, %s: expected %d got %d", lacking[i], conditions[state], want, got);
  }
}

/* Where another version of it is there, that one may be found. */
static void by_name(void) {
  for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
    char base[80];
    base_of(lacking[i], base);
    for (int version = 2000; version <= 13000; version += 1000) {
      CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)9;
      void *f = &f, *own = dlsym(RTLD_DEFAULT, lacking[i]);
      OK(cuGetProcAddress_v2(base, &f, version, 0, &status));
      judge(f != own, __LINE__, "%s is found", lacking[i]);
      judge(has_entry(base) || (!f && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND), __LINE__,
            "%s is found in version %d", base, version);
      OK(cuGetProcAddress_v2(lacking[i], &f, version, 0, &status));
      judge(f != own, __LINE__, "%s is found by its whole name", lacking[i]);
    }
  }
}

static char said[300];

static void take_message(void *data, CUlogLevel level, char *message, size_t length) {
  (void)data;
  snprintf(said, sizeof said, "%d %.*s", (int)level, (int)length, message);
}

/* Those who take_message to the driver's log are told which function it was. */
static void each_is_told(void) {
  CUlogsCallbackHandle log;
  char expected[300];
  OK(cuLogsRegisterCallback(take_message, NULL, &log));
  for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
    CUresult (*f)(void) = (CUresult(*)(void))exported(lacking[i]);
    snprintf(expected, sizeof expected, "%d The software device does not support %s", CU_LOG_LEVEL_ERROR,
             lacking[i]);
    said[0] = 0;
    if (f) f();
    judge(strcmp(said, expected) == 0, __LINE__, "%s: the log says '%s'", lacking[i], said);
  }
  OK(cuLogsUnregisterCallback(log));
}

static void lacking_in_callback(void *data) {
  (void)data;
  state = CALLBACK;
  every_lacking();
}

static void lacking_when_gone(void) {
  state = GONE;
  every_lacking();
  fflush(NULL);
  _exit(failed != 0);
}

static void lacking_in_child(void) {
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    state = FORKED;
    every_lacking();
    fflush(NULL);
    _exit(failed != 0);
  }
  waitpid(child, &status, 0);
  judge(status == 0, __LINE__, "a forked child ended with %d", status);
}

static void lacking_rows(void) {
  memset(&untouched, 0x5a, sizeof untouched);
  atexit(lacking_when_gone); /* before the driver's own, so that it runs after it */
  state = NEW;
  every_lacking();
  by_name();
  start_state(NO_CONTEXT);
  every_lacking();
  each_is_told();
  state = DEAD_CONTEXT;
  enter_state();
  every_lacking();
  state = CAPTURE;
  enter_state();
  OK(cuStreamBeginCapture_v2(cap, CU_STREAM_CAPTURE_MODE_GLOBAL));
  every_lacking();
  CUgraph g;
  OK(cuStreamEndCapture(cap, &g)); /* none of them has spoilt it */
  OK(cuGraphDestroy(g));
  OK(cuLaunchHostFunc(st, lacking_in_callback, NULL));
  OK(cuStreamSynchronize(st));
  lacking_in_child();
  remove_files();
}
