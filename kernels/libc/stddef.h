// NVRTC knows size_t, ptrdiff_t and NULL by itself.
#pragma once
#ifndef offsetof
#define offsetof(type, member) ((size_t) & reinterpret_cast<const volatile char &>(((type *)0)->member))
#endif
#if __cplusplus >= 201103L
typedef decltype(nullptr) nullptr_t;
typedef long double max_align_t;
#endif
