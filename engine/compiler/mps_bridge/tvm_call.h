// TVM's C interface: tensors in, errors out, and reading what it has computed.
#pragma once
#import <Metal/Metal.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

// The Metal buffer that holds a tensor, from `byte_offset` on.
id<MTLBuffer> buffer_of(const DLTensor *tensor);

// Raises an error in TVM; returns what a failing function must return.
int fail(const char *message);
// The same for a failure of the GPU, of the kind that TVM's own runtime raises.
int gpu_failed(const char *message);

// The tensor of an argument, which TVM passes owned or borrowed; NULL for anything else.
DLTensor *tensor_of(const TVMFFIAny *argument);

// Whether a tensor is contiguous, on Metal, and has 32-bit elements of this kind and this many axes.
BOOL is_plain(const DLTensor *tensor, uint8_t kind, int32_t axes);

// The content of a tensor on Metal, to be freed by the caller; NULL after raising an error in TVM. TVM submits all that
// it has recorded to the GPU, and waits for it.
void *content_of(const DLTensor *tensor);

// Registers a function with TVM under this name.
void register_function(const char *name, TVMFFISafeCallType function);
