// Declarations that let clang's OpenCL mode check types and address spaces of Metal text. Nothing here is ever run.
#pragma once
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "vector_types.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define VECTOR(T, N)                                  \
  typedef T T##N __attribute__((ext_vector_type(N))); \
  T##N make_##T##N(T all);                            \
  template <class From>                               \
  T##N make_##T##N(From from);
#define VECTORS(T)                      \
  VECTOR(T, 2)                          \
  T##2 make_##T##2(T a, T b);           \
  VECTOR(T, 3)                          \
  T##3 make_##T##3(T a, T b, T c);      \
  VECTOR(T, 4)                          \
  T##4 make_##T##4(T a, T b, T c, T d);
OF_EVERY_NUMBER(VECTORS)
#undef VECTORS
#undef VECTOR

half operator""h(long double value);

#define OF_ONE(NAME)   \
  float NAME(float a); \
  float2 NAME(float2 a); \
  float3 NAME(float3 a); \
  float4 NAME(float4 a); \
  half NAME(half a);   \
  half2 NAME(half2 a); \
  half4 NAME(half4 a);
OF_ONE(exp) OF_ONE(exp2) OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(sqrt) OF_ONE(rsqrt) OF_ONE(sin) OF_ONE(cos)
OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan) OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(fabs) OF_ONE(floor)
OF_ONE(ceil) OF_ONE(trunc) OF_ONE(round) OF_ONE(rint) OF_ONE(abs)
#undef OF_ONE
int abs(int a);
long abs(long a);
#define OF_TWO(NAME)            \
  float NAME(float a, float b); \
  half NAME(half a, half b);    \
  float4 NAME(float4 a, float4 b);
OF_TWO(pow) OF_TWO(fmod) OF_TWO(atan2) OF_TWO(copysign)
#undef OF_TWO
#define isnan metal_isnan  // the plain names are built into clang, with another result
#define isinf metal_isinf
bool isnan(float a);
bool isinf(float a);
float fma(float a, float b, float c);
template <class T> T max(T a, T b);
template <class T> T min(T a, T b);
template <class T> T clamp(T a, T low, T high);
template <class T, class Condition> T select(T if_not, T if_so, Condition condition);
template <class To, class From> To as_type(From from);
template <class T> T simd_shuffle(T value, ushort lane);
template <class T> T simd_shuffle_down(T value, ushort lanes);
template <class T> T simd_shuffle_up(T value, ushort lanes);
template <class T> T simd_shuffle_xor(T value, ushort mask);

template <class T>
struct simdgroup_matrix {
  T element;
};
typedef simdgroup_matrix<float> simdgroup_float8x8;
typedef simdgroup_matrix<half> simdgroup_half8x8;
template <class T, int columns, int rows> simdgroup_matrix<T> make_filled_simdgroup_matrix(T value);
#define IN(SPACE)                                                                                                   \
  template <class T>                                                                                                \
  void simdgroup_load(simdgroup_matrix<T>& to, const SPACE T* from, ulong stride, ulong2 origin, bool transpose);    \
  template <class T>                                                                                                \
  void simdgroup_store(simdgroup_matrix<T> from, SPACE T* to, ulong stride, ulong2 origin, bool transpose);
IN(__global)
IN(__local)
#undef IN
template <class Sum, class Factor>
void simdgroup_multiply_accumulate(simdgroup_matrix<Sum>& sum, simdgroup_matrix<Factor> left,
                                   simdgroup_matrix<Factor> right, simdgroup_matrix<Sum> start);

enum class mem_flags { mem_none, mem_device, mem_threadgroup, mem_device_and_threadgroup };
void threadgroup_barrier(mem_flags flags);
void simdgroup_barrier(mem_flags flags);

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define device __global
#define threadgroup __local
#define thread __private
#define constant __constant
#define kernel __kernel

#define float2(...) make_float2(__VA_ARGS__)
#define float3(...) make_float3(__VA_ARGS__)
#define float4(...) make_float4(__VA_ARGS__)
#define half2(...) make_half2(__VA_ARGS__)
#define half3(...) make_half3(__VA_ARGS__)
#define half4(...) make_half4(__VA_ARGS__)
#define int2(...) make_int2(__VA_ARGS__)
#define int3(...) make_int3(__VA_ARGS__)
#define int4(...) make_int4(__VA_ARGS__)
#define uint2(...) make_uint2(__VA_ARGS__)
#define uint3(...) make_uint3(__VA_ARGS__)
#define uint4(...) make_uint4(__VA_ARGS__)
#define long2(...) make_long2(__VA_ARGS__)
#define long3(...) make_long3(__VA_ARGS__)
#define long4(...) make_long4(__VA_ARGS__)
