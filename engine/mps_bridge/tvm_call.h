// Talking with TVM through its C interface: tensors in, errors out, and waiting for its stream. Knows no LSTM.
#pragma once
#import <Metal/Metal.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

// The Metal buffer that a tensor lies in, from `byte_offset` on.
id<MTLBuffer> buffer_of(const DLTensor *tensor);

// Raises an error in TVM's manner; gives what a function that fails returns.
int fail(const char *message);

// The tensor of an argument, which TVM passes owned or borrowed; NULL for anything else.
DLTensor *tensor_of(const TVMFFIAny *argument);

// Whether a tensor lies on Metal without gaps, and has elements of 32 bits of this kind and this many axes.
BOOL is_plain(const DLTensor *tensor, uint8_t kind, int32_t axes);

// Sends what TVM has recorded to the GPU and waits until it is done; 0 when all went well.
int wait_for_tvm(DLDevice device);

// Makes a function of this name known to TVM.
void register_function(const char *name, TVMFFISafeCallType function);
