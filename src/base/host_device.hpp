// Functions that processor and GPU share.
#pragma once

#if defined(__CUDACC__)
#define BL_HOST_DEVICE __host__ __device__
#else
#define BL_HOST_DEVICE
#endif
