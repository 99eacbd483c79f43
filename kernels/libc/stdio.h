// printf is NVRTC's own.
#pragma once
#include <stddef.h>
#ifndef EOF
#define EOF (-1)
#endif
