// What the kernels need of the machine they run on: the device, or, with FRACAS_ON_HOST, a plain processor.
//
// On the host a block is a loop over its threads and atomic operations are plain ones; every line of the files after
// this one is the same on both. Rounded-down and rounded-up operations may give a bound that is one step too
// wide on the host: they only have to be bounds.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

#ifdef FRACAS_ON_HOST

#include <cmath>
#include <cstdint>
#include <cstring>

#define DEVICE inline
#define PARAMETER const
#define UNROLL

struct float4 { float x, y, z, w; };
struct uint4 { u32 x, y, z, w; };
struct uint2 { u32 x, y; };

inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
inline uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
inline u32 float_bits(float x) { u32 bits; memcpy(&bits, &x, 4); return bits; }
inline float bits_float(u32 x) { float f; memcpy(&f, &x, 4); return f; }

inline double subtract_down(double a, double b) { return std::nextafter(a - b, -INFINITY); }
inline double subtract_up(double a, double b) { return std::nextafter(a - b, INFINITY); }
inline double multiply_down(double a, double b) { return std::nextafter(a * b, -INFINITY); }
inline double multiply_up(double a, double b) { return std::nextafter(a * b, INFINITY); }
inline float to_float_down(double x) {
    float f = (float)x;
    return (double)f > x ? std::nextafterf(f, -INFINITY) : f;
}
inline float to_float_up(double x) {
    float f = (float)x;
    return (double)f < x ? std::nextafterf(f, INFINITY) : f;
}
inline float subtract_up(float a, float b) { return std::nextafterf(a - b, INFINITY); }
inline float inverse_root(float x) { return 1.0f / std::sqrt(x); }
using std::fabs;
using std::floor;
using std::fmax;
using std::fmin;
inline int lowest_bit(u32 x) { return __builtin_ctz(x); }

inline u32 atomic_add(u32* at, u32 more) { u32 old = *at; *at += more; return old; }
// A place of one's own in a list that threads next to each other add to.
inline u32 take_place(u32* count) { return atomic_add(count, 1); }
inline void atomic_max(u32* at, u32 value) { if (*at < value) *at = value; }

template <class T> inline T load(const T* at) { return *at; }

#else

#define DEVICE __device__ __forceinline__
#define PARAMETER const __grid_constant__
#define UNROLL _Pragma("unroll")

DEVICE u32 float_bits(float x) { return __float_as_uint(x); }
DEVICE float bits_float(u32 x) { return __uint_as_float(x); }
DEVICE double subtract_down(double a, double b) { return __dsub_rd(a, b); }
DEVICE double subtract_up(double a, double b) { return __dsub_ru(a, b); }
DEVICE double multiply_down(double a, double b) { return __dmul_rd(a, b); }
DEVICE double multiply_up(double a, double b) { return __dmul_ru(a, b); }
DEVICE float to_float_down(double x) { return __double2float_rd(x); }
DEVICE float to_float_up(double x) { return __double2float_ru(x); }
DEVICE float subtract_up(float a, float b) { return __fsub_ru(a, b); }
DEVICE float inverse_root(float x) { return rsqrtf(x); }
DEVICE int lowest_bit(u32 x) { return __ffs((int)x) - 1; }

DEVICE u32 atomic_add(u32* at, u32 more) { return atomicAdd(at, more); }
DEVICE u32 take_place(u32* count) {
    // Those who come together go together: one asks for all.
    u32 mask = __activemask(), lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    int leader = lowest_bit(mask);
    u32 first = 0;
    if ((int)lane == leader) first = atomicAdd(count, (u32)__popc(mask));
    return __shfl_sync(mask, first, leader) + (u32)__popc(mask & ((1u << lane) - 1));
}
DEVICE void atomic_max(u32* at, u32 value) { atomicMax(at, value); }

// Through the cache for data that no kernel writes while it is read.
template <class T> DEVICE T load(const T* at) { return __ldg(at); }

#endif
