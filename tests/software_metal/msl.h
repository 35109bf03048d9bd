// What TVM's Metal kernels use of Apple's metal_stdlib, in C++ for clang. Knows nothing of how threads are run.
//
// Types as in Metal: half rounds after each operation; vectors have x, y, z, w; min, max and the like take arguments of
// one type only, as Apple finds mixed ones ambiguous. No header of the C++ library, so that it compiles fast.
#pragma once

#include "vector_types.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

namespace metal {

struct half {
  __fp16 stored;
  half() = default;
  template <class Number>
  half(Number number) : stored(static_cast<__fp16>(static_cast<float>(number))) {}
  operator float() const { return stored; }
};

#define HALF_ARITHMETIC(SIGN)                                                                                \
  inline half operator SIGN(half a, half b) { return half(static_cast<float>(a) SIGN static_cast<float>(b)); } \
  inline float operator SIGN(half a, float b) { return static_cast<float>(a) SIGN b; }                       \
  inline float operator SIGN(float a, half b) { return a SIGN static_cast<float>(b); }
HALF_ARITHMETIC(+)
HALF_ARITHMETIC(-)
HALF_ARITHMETIC(*)
HALF_ARITHMETIC(/)
#undef HALF_ARITHMETIC
inline half operator-(half a) { return half(-static_cast<float>(a)); }
inline half operator""h(long double value) { return half(static_cast<float>(value)); }

template <class T, int N>
struct Fields;
template <class T>
struct alignas(2 * sizeof(T)) Fields<T, 2> {
  T x, y;
};
template <class T>
struct alignas(4 * sizeof(T)) Fields<T, 3> {
  T x, y, z;
};
template <class T>
struct alignas(4 * sizeof(T)) Fields<T, 4> {
  T x, y, z, w;
};

template <class T, int N>
struct Vector : Fields<T, N> {
  Vector() = default;
  Vector(T all) {
    for (int lane = 0; lane < N; ++lane) (*this)[lane] = all;
  }
  Vector(T a, T b) : Fields<T, N>{a, b} { static_assert(N == 2, ""); }
  Vector(T a, T b, T c) : Fields<T, N>{a, b, c} { static_assert(N == 3, ""); }
  Vector(T a, T b, T c, T d) : Fields<T, N>{a, b, c, d} { static_assert(N == 4, ""); }
  template <class From>
  explicit Vector(const Vector<From, N>& from) {
    for (int lane = 0; lane < N; ++lane) (*this)[lane] = static_cast<T>(from[lane]);
  }
  T& operator[](int lane) { return (&this->x)[lane]; }
  T operator[](int lane) const { return (&this->x)[lane]; }
};

#define VECTOR_OPERATION(SIGN)                                                     \
  template <class T, int N>                                                        \
  inline Vector<T, N> operator SIGN(const Vector<T, N>& a, const Vector<T, N>& b) { \
    Vector<T, N> result;                                                           \
    for (int lane = 0; lane < N; ++lane) result[lane] = a[lane] SIGN b[lane];      \
    return result;                                                                 \
  }
VECTOR_OPERATION(+)
VECTOR_OPERATION(-)
VECTOR_OPERATION(*)
VECTOR_OPERATION(/)
VECTOR_OPERATION(%)
VECTOR_OPERATION(&)
VECTOR_OPERATION(|)
VECTOR_OPERATION(^)
VECTOR_OPERATION(<<)
VECTOR_OPERATION(>>)
#undef VECTOR_OPERATION

#define VECTOR_COMPARISON(SIGN)                                                       \
  template <class T, int N>                                                           \
  inline Vector<bool, N> operator SIGN(const Vector<T, N>& a, const Vector<T, N>& b) { \
    Vector<bool, N> result;                                                           \
    for (int lane = 0; lane < N; ++lane) result[lane] = a[lane] SIGN b[lane];         \
    return result;                                                                    \
  }
VECTOR_COMPARISON(<)
VECTOR_COMPARISON(<=)
VECTOR_COMPARISON(>)
VECTOR_COMPARISON(>=)
VECTOR_COMPARISON(==)
VECTOR_COMPARISON(!=)
VECTOR_COMPARISON(&&)
VECTOR_COMPARISON(||)
#undef VECTOR_COMPARISON

template <class T, int N>
inline Vector<T, N> operator-(const Vector<T, N>& a) {
  return Vector<T, N>(T(0)) - a;
}

#define VECTORS(T)          \
  typedef Vector<T, 2> T##2; \
  typedef Vector<T, 3> T##3; \
  typedef Vector<T, 4> T##4;
OF_EVERY_NUMBER(VECTORS)
VECTORS(bool)
#undef VECTORS

#define FUNCTION_OF_ONE(NAME, EXACT)                                        \
  inline float NAME(float a) { return EXACT; }                              \
  inline half NAME(half a) { return half(NAME(static_cast<float>(a))); }    \
  template <class T, int N>                                                 \
  inline Vector<T, N> NAME(const Vector<T, N>& a) {                         \
    Vector<T, N> result;                                                    \
    for (int lane = 0; lane < N; ++lane) result[lane] = NAME(a[lane]);      \
    return result;                                                          \
  }
FUNCTION_OF_ONE(exp, __builtin_expf(a))
FUNCTION_OF_ONE(exp2, __builtin_exp2f(a))
FUNCTION_OF_ONE(log, __builtin_logf(a))
FUNCTION_OF_ONE(log2, __builtin_log2f(a))
FUNCTION_OF_ONE(log10, __builtin_log10f(a))
FUNCTION_OF_ONE(sqrt, __builtin_sqrtf(a))
FUNCTION_OF_ONE(rsqrt, 1.0f / __builtin_sqrtf(a))
FUNCTION_OF_ONE(sin, __builtin_sinf(a))
FUNCTION_OF_ONE(cos, __builtin_cosf(a))
FUNCTION_OF_ONE(tan, __builtin_tanf(a))
FUNCTION_OF_ONE(asin, __builtin_asinf(a))
FUNCTION_OF_ONE(acos, __builtin_acosf(a))
FUNCTION_OF_ONE(atan, __builtin_atanf(a))
FUNCTION_OF_ONE(sinh, __builtin_sinhf(a))
FUNCTION_OF_ONE(cosh, __builtin_coshf(a))
FUNCTION_OF_ONE(tanh, __builtin_tanhf(a))
FUNCTION_OF_ONE(fabs, __builtin_fabsf(a))
FUNCTION_OF_ONE(floor, __builtin_floorf(a))
FUNCTION_OF_ONE(ceil, __builtin_ceilf(a))
FUNCTION_OF_ONE(trunc, __builtin_truncf(a))
FUNCTION_OF_ONE(round, __builtin_roundf(a))
FUNCTION_OF_ONE(rint, __builtin_rintf(a))
#undef FUNCTION_OF_ONE

#define FUNCTION_OF_TWO(NAME, EXACT)                                                                              \
  inline float NAME(float a, float b) { return EXACT; }                                                           \
  inline half NAME(half a, half b) { return half(NAME(static_cast<float>(a), static_cast<float>(b))); }           \
  template <class T, int N>                                                                                       \
  inline Vector<T, N> NAME(const Vector<T, N>& a, const Vector<T, N>& b) {                                        \
    Vector<T, N> result;                                                                                          \
    for (int lane = 0; lane < N; ++lane) result[lane] = NAME(a[lane], b[lane]);                                   \
    return result;                                                                                                \
  }
FUNCTION_OF_TWO(pow, __builtin_powf(a, b))
FUNCTION_OF_TWO(fmod, __builtin_fmodf(a, b))
FUNCTION_OF_TWO(atan2, __builtin_atan2f(a, b))
FUNCTION_OF_TWO(copysign, __builtin_copysignf(a, b))
#undef FUNCTION_OF_TWO

inline bool isnan(float a) { return a != a; }
inline bool isinf(float a) { return __builtin_isinf(a); }
inline float abs(float a) { return __builtin_fabsf(a); }
inline int abs(int a) { return a < 0 ? -a : a; }
inline long abs(long a) { return a < 0 ? -a : a; }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

template <class T>
struct Larger {
  static T of(T a, T b) { return a > b ? a : b; }
  static T less(T a, T b) { return a < b ? a : b; }
};
template <class T, int N>
struct Larger<Vector<T, N>> {
  static Vector<T, N> of(Vector<T, N> a, const Vector<T, N>& b) {
    for (int lane = 0; lane < N; ++lane) a[lane] = Larger<T>::of(a[lane], b[lane]);
    return a;
  }
  static Vector<T, N> less(Vector<T, N> a, const Vector<T, N>& b) {
    for (int lane = 0; lane < N; ++lane) a[lane] = Larger<T>::less(a[lane], b[lane]);
    return a;
  }
};
template <class T>
inline T max(T a, T b) {
  return Larger<T>::of(a, b);
}
template <class T>
inline T min(T a, T b) {
  return Larger<T>::less(a, b);
}
template <class T>
inline T clamp(T a, T low, T high) {
  return min(max(a, low), high);
}
template <class T>
inline T select(T if_not, T if_so, bool condition) {
  return condition ? if_so : if_not;
}
template <class T, int N>
inline Vector<T, N> select(Vector<T, N> if_not, const Vector<T, N>& if_so, const Vector<bool, N>& condition) {
  for (int lane = 0; lane < N; ++lane) if_not[lane] = condition[lane] ? if_so[lane] : if_not[lane];
  return if_not;
}

template <class To, class From>
inline To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type keeps the size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// The first thread of a simdgroup holds all of a matrix, the others nothing; halves are kept as floats.
typedef float Row __attribute__((vector_size(32)));
template <class T>
struct simdgroup_matrix {
  Row rows[8];
};
typedef simdgroup_matrix<float> simdgroup_float8x8;
typedef simdgroup_matrix<half> simdgroup_half8x8;

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_device_and_threadgroup = 3 };

}  // namespace metal

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

extern "C" void software_metal_barrier(int line);
extern "C" void software_metal_simd(int operation, void* value, unsigned bytes, int lane, int line);

template <class T>
inline T software_metal_shuffle(int operation, T value, int lane, int line) {
  static_assert(sizeof(T) <= 32, "a larger value than a shuffle can pass on");
  software_metal_simd(operation, &value, sizeof value, lane, line);
  return value;
}

extern "C" void software_metal_misaligned(const void* address, unsigned alignment, int line);

// Where a vector is read or written: a GPU does so only at multiples of the vector's size.
template <class Of, class T>
inline Of* software_metal_aligned(T* address, int line = __builtin_LINE()) {
  if (reinterpret_cast<ulong>(address) % alignof(Of) != 0) software_metal_misaligned(address, alignof(Of), line);
  return (Of*)address;
}

// As in launch.h.
struct Collective {
  bool leads;
  const char* stack;
  ulong made;
};
extern "C" Collective software_metal_collective;

namespace metal {

#define UNCHECKED __attribute__((no_sanitize("thread")))
#define ONCE __attribute__((noinline))  // a kernel calls these dozens of times: inlined, they take most of the compiling

// Notes an operation of the running thread; whether it is the one that does the work.
template <class... Matrix>
UNCHECKED inline bool leads(int line, const void* memory, ulong stride, const Matrix&... matrices) {
  Collective& own = software_metal_collective;
  ulong operation = line * 0x9E3779B97F4A7C15 + reinterpret_cast<ulong>(memory) * 0xC2B2AE3D27D4EB4F + stride;
  ((operation = operation * 31 + (reinterpret_cast<const char*>(&matrices) - own.stack)), ...);
  own.made = own.made * 0x9E3779B97F4A7C15 + (operation ^ operation >> 29) + 1;
  return own.leads;
}

template <class T, int columns, int rows>
inline simdgroup_matrix<T> make_filled_simdgroup_matrix(T value) {
  static_assert(columns == 8 && rows == 8, "Metal has matrices of 8 by 8");
  simdgroup_matrix<T> filled;
  for (Row& row : filled.rows) row = Row{} + static_cast<float>(value);
  return filled;
}

template <class T>
ONCE inline void load_of_line(int line, simdgroup_matrix<T>& to, const T* from, ulong stride = 8, ulong2 origin = 0,
                              bool transpose = false) {
  from += origin.y * stride + origin.x;
  if (!leads(line, from, stride, to)) return;
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      to.rows[transpose ? column : row][transpose ? row : column] = from[row * stride + column];
    }
  }
}

template <class T>
ONCE inline void store_of_line(int line, const simdgroup_matrix<T>& from, T* to, ulong stride = 8, ulong2 origin = 0,
                               bool transpose = false) {
  to += origin.y * stride + origin.x;
  if (!leads(line, to, stride, from)) return;
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      to[row * stride + column] = T(transpose ? from.rows[column][row] : from.rows[row][column]);
    }
  }
}

// Its operands are on the stack, which no check looks at.
template <class Sum, class Left, class Right, class Start>
ONCE UNCHECKED inline void multiply_of_line(int line, simdgroup_matrix<Sum>& sum, const simdgroup_matrix<Left>& left,
                                            const simdgroup_matrix<Right>& right,
                                            const simdgroup_matrix<Start>& start) {
  if (!leads(line, nullptr, 0, sum, left, right, start)) return;
  simdgroup_matrix<Sum> total;
  for (int row = 0; row < 8; ++row) {
    Row line_total = start.rows[row];
    for (int depth = 0; depth < 8; ++depth) line_total += left.rows[row][depth] * right.rows[depth];
    for (int column = 0; column < 8; ++column) total.rows[row][column] = static_cast<float>(Sum(line_total[column]));
  }
  sum = total;
}

}  // namespace metal

#define simdgroup_load(...) load_of_line(__LINE__, __VA_ARGS__)
#define simdgroup_store(...) store_of_line(__LINE__, __VA_ARGS__)
#define simdgroup_multiply_accumulate(...) multiply_of_line(__LINE__, __VA_ARGS__)
#define threadgroup_barrier(flags) software_metal_barrier(__LINE__)
#define simdgroup_barrier(flags) software_metal_simd(4, nullptr, 0, 0, __LINE__)
#define simd_shuffle(value, lane) software_metal_shuffle(0, value, lane, __LINE__)
#define simd_shuffle_down(value, lanes) software_metal_shuffle(1, value, lanes, __LINE__)
#define simd_shuffle_up(value, lanes) software_metal_shuffle(2, value, lanes, __LINE__)
#define simd_shuffle_xor(value, mask) software_metal_shuffle(3, value, mask, __LINE__)

// As in launch.h.
struct Invocation {
  void* const* buffers;
  const void* scalars;
  char* threadgroup_memory;
  uint group_position[3];
  uint thread_position[3];
};

#define kernel static inline
#define device
#define threadgroup
#define thread
#define constant const
