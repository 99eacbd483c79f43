/* Lists of functions that a lower room calls in higher ones, which it does not know. The header of the lower
 * room says CL_HOOKS(list, parameters), its source CL_HOOK_LIST(list); a file of any room adds a function of
 * its own with CL_HOOK(list, step, function). The functions of a list run in the order of their steps.
 *
 * CL_HOOK is a constructor of the shared object. So each list is filled in one thread before any Lua state
 * opens the module, and nothing changes it after that: threads and states read it without a lock, and a fork
 * has it, too. The object is never unloaded. The loader's lock orders constructors before a dlopen() in
 * another thread; ThreadSanitizer does not see that lock, but it sees the length being released and acquired.
 */
#ifndef CUDALUA_HOOK_H
#define CUDALUA_HOOK_H

#include <stdlib.h>

enum { CL_MOST_HOOKS = 8 };

#define CL_HOOKS(list, ...)                                                                                  \
  typedef void (*list##_Hook)(__VA_ARGS__);                                                                  \
  extern struct list##_List {                                                                                \
    int n;                                                                                                   \
    struct {                                                                                                 \
      int step;                                                                                              \
      list##_Hook call;                                                                                      \
    } hooks[CL_MOST_HOOKS];                                                                                  \
  } list

#define CL_HOOK_LIST(list) struct list##_List list

#define CL_HOOK(list, at, function)                                                                          \
  __attribute__((constructor)) static void list##_##function(void) {                                         \
    const int n = list.n;                                                                                    \
    int i = n;                                                                                               \
    if (n == CL_MOST_HOOKS) abort(); /* whoever adds one more sees it at once */                             \
    for (; i && list.hooks[i - 1].step > (at); i--) list.hooks[i] = list.hooks[i - 1];                       \
    list.hooks[i].step = (at);                                                                               \
    list.hooks[i].call = (function);                                                                         \
    __atomic_store_n(&list.n, n + 1, __ATOMIC_RELEASE);                                                      \
  }                                                                                                          \
  struct list##_List

#define CL_RUN_HOOKS(list, ...)                                                                              \
  for (int hook_ = 0, hooks_ = __atomic_load_n(&(list).n, __ATOMIC_ACQUIRE); hook_ < hooks_; hook_++)        \
  (list).hooks[hook_].call(__VA_ARGS__)

#endif
