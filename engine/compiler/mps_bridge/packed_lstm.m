// tvm.contrib.mps.lstm_packed(x, lengths, weight_ih, weight_hh, bias, y): a packed LSTM by Metal Performance Shaders.
//
// x [batch, time, input], lengths [batch] int32, y [batch, time, directions * hidden]; weights as in `struct weights`,
// their biases already summed. Each sequence runs over its own length alone, backward from its own last step; beyond it
// y is 0 and x is never read. Sequences run one after the other: speech has one only, and Apple documents batches that
// lose rows for its training layer alone. All are one command buffer.
//
// The CPU waits twice. First for TVM's earlier commands, by having TVM read the lengths: TVM submits what it has
// recorded only when asked to, and then waits for it. Then for the LSTM: TVM's next commands go to a queue of its own,
// which Metal orders after ours only by an event encoded in both. TVM gives nobody its queue or its command buffers and
// may submit the next ones at any time, such as when it frees a buffer: no later wait would surely come before them.
// tvm.contrib.mps.forget_weights() drops the layers made so far; lstm_layer.h says when to call it.
#include <pthread.h>
#include <stdlib.h>

#import "step_rows.h"

struct call {
  const DLTensor *x, *lengths, *y;
  struct weights weights;
  NSUInteger batch, time, inputs, hidden, directions;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // one LSTM at a time: layers and queue are shared
static id<MTLCommandQueue> queue;

static BOOL has_rows(const DLTensor *tensor, int64_t rows, int64_t columns) {
  return tensor->shape[0] == rows && (tensor->ndim == 1 || tensor->shape[1] == columns);
}

static BOOL read_call(const TVMFFIAny *arguments, int32_t count, struct call *call) {
  if (count != 6) return NO;
  DLTensor *tensors[6];
  static const int32_t axes[] = {3, 1, 2, 2, 1, 3};
  for (int index = 0; index < 6; ++index) {
    tensors[index] = tensor_of(arguments + index);
    if (!is_plain(tensors[index], index == 1 ? kDLInt : kDLFloat, axes[index])) return NO;
  }
  call->x = tensors[0];
  call->lengths = tensors[1];
  call->weights = (struct weights){tensors[2], tensors[3], tensors[4]};
  call->y = tensors[5];
  call->batch = call->x->shape[0];
  call->time = call->x->shape[1];
  call->inputs = call->x->shape[2];
  call->hidden = tensors[3]->shape[1];
  call->directions = call->hidden == 0 ? 0 : call->y->shape[2] / call->hidden;
  int64_t gates = call->directions * kGates * call->hidden;
  return (call->directions == 1 || call->directions == kMostDirections) && has_rows(call->lengths, call->batch, 0) &&
         has_rows(tensors[2], gates, call->inputs) && has_rows(tensors[3], gates, call->hidden) &&
         has_rows(tensors[4], gates, 0) && has_rows(call->y, call->batch, call->time) &&
         call->y->shape[2] == (int64_t)(call->directions * call->hidden);
}

static NSUInteger bytes_of(NSUInteger values) { return values * sizeof(float); }

// The byte offset of a sequence's row at a step, in x or y, whose rows have so many values.
static NSUInteger offset_in(const DLTensor *tensor, const struct call *call, NSUInteger batch_index, NSUInteger step,
                            NSUInteger values) {
  return tensor->byte_offset + bytes_of((batch_index * call->time + step) * values);
}

// Copies a sequence's steps from x, all at once: they lie one after the other there, too.
static void copy_in(id<MTLCommandBuffer> commands, const struct call *call, StepRows *rows, NSUInteger batch_index,
                    NSUInteger steps) {
  id<MTLBlitCommandEncoder> copy = [commands blitCommandEncoder];
  [copy copyFromBuffer:buffer_of(call->x)
           sourceOffset:offset_in(call->x, call, batch_index, 0, call->inputs)
               toBuffer:input_of(rows)
      destinationOffset:0
                   size:bytes_of(steps * call->inputs)];
  [copy endEncoding];
}

// Copies a sequence's steps to y, and fills y with 0 beyond them.
static void copy_out(id<MTLCommandBuffer> commands, const struct call *call, StepRows *rows, NSUInteger batch_index,
                     NSUInteger steps) {
  NSUInteger width = call->directions * call->hidden;
  id<MTLBlitCommandEncoder> copy = [commands blitCommandEncoder];
  if (steps > 0) {
    [copy copyFromBuffer:output_of(rows)
             sourceOffset:0
                 toBuffer:buffer_of(call->y)
        destinationOffset:offset_in(call->y, call, batch_index, 0, width)
                     size:bytes_of(steps * width)];
  }
  if (steps < call->time) {
    NSUInteger end = offset_in(call->y, call, batch_index, steps, width);
    [copy fillBuffer:buffer_of(call->y) range:NSMakeRange(end, bytes_of((call->time - steps) * width)) value:0];
  }
  [copy endEncoding];
}

// Both directions of one sequence, over its own length alone.
static void encode(id<MTLCommandBuffer> commands, const struct call *call, StepRows *rows, LstmLayer *layer,
                   NSUInteger batch_index, NSUInteger steps) {
  if (steps > 0) copy_in(commands, call, rows, batch_index, steps);
  for (NSUInteger direction = 0; steps > 0 && direction < call->directions; ++direction) {
    [direction_of(layer, direction) encodeSequenceToCommandBuffer:commands
                                                   sourceMatrices:sources_of(rows, steps, direction == 1)
                                              destinationMatrices:targets_of(rows, steps, direction, direction == 1)
                                              recurrentInputState:nil
                                            recurrentOutputStates:nil];
  }
  copy_out(commands, call, rows, batch_index, steps);
}

static NSUInteger steps_of(const struct call *call, int32_t length) {
  return length < 0 ? 0 : (NSUInteger)length > call->time ? call->time : (NSUInteger)length;
}

static int run(const struct call *call, const int32_t *lengths) {
  id<MTLDevice> device = [buffer_of(call->x) device];
  if (!MPSSupportsMTLDevice(device)) return fail("Metal Performance Shaders do not support this GPU");
  if (queue == nil) queue = [device newCommandQueue];
  LstmLayer *layer = layer_with(call->weights, call->directions, device);
  if (layer == nil) return -1;
  StepRows *rows = rows_with(call->time, call->inputs, call->hidden, call->directions, device);
  if (rows == nil) return gpu_failed("there is no memory for an LSTM's steps");
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  for (NSUInteger batch_index = 0; batch_index < call->batch; ++batch_index) {
    encode(commands, call, rows, layer, batch_index, steps_of(call, lengths[batch_index]));
  }
  [commands commit];
  [commands waitUntilCompleted];
  return [commands status] == MTLCommandBufferStatusError ? gpu_failed("the GPU failed in an LSTM") : 0;
}

static int lstm_packed(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result) {
  struct call call;
  if (!read_call(arguments, count, &call)) return fail("the arguments of lstm_packed do not fit together");
  if (call.batch == 0 || call.time == 0) return 0;
  int32_t *lengths = content_of(call.lengths);
  if (lengths == NULL) return -1;
  int code;
  pthread_mutex_lock(&lock);
  @autoreleasepool {
    code = run(&call, lengths);
  }
  pthread_mutex_unlock(&lock);
  free(lengths);
  return code;
}

static int forget_weights(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result) {
  pthread_mutex_lock(&lock);
  @autoreleasepool {
    forget_layers();
    forget_rows();
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

__attribute__((constructor)) static void register_functions(void) {
  register_function("tvm.contrib.mps.lstm_packed", lstm_packed);
  register_function("tvm.contrib.mps.forget_weights", forget_weights);
}
