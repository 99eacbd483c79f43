// clock_t and clock are NVRTC's own.
#pragma once
#include <stddef.h>
typedef long long time_t;
