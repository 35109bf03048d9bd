// The weights of one packed LSTM as layers of Metal Performance Shaders, made once.
#pragma once
#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

#import "tvm_call.h"

enum { kGates = 4, kMostDirections = 2 };  // gates in torch's order: input, forget, cell, output

// The weights of all directions, one below the other.
struct weights {
  const DLTensor *of_input;   // [directions * 4 hidden, input]
  const DLTensor *of_hidden;  // [directions * 4 hidden, hidden]
  const DLTensor *bias;       // [directions * 4 hidden]
};

@class LstmLayer;

// The layer with these weights, from the cache or made now; nil after raising an error in TVM.
//
// A layer is cached by its weights' buffers, which it retains, so that no other buffer can get their address. It is wrong
// once their content changes: before writing other weights into them, or returning them to an allocator that may reuse
// them, call `forget_layers`.
LstmLayer *layer_with(struct weights weights, NSUInteger directions, id<MTLDevice> device);

void forget_layers(void);

MPSRNNMatrixInferenceLayer *direction_of(LstmLayer *layer, NSUInteger direction);
