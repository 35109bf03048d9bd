// tvm.contrib.mps.lstm_packed(x, lengths, weight_ih, weight_hh, bias, y): a packed LSTM by Metal Performance Shaders.
//
// x [batch, time, input], lengths [batch] int32, y [batch, time, directions * hidden]; weights as in `struct weights`,
// their biases already summed. Each sequence runs over its own length alone, backward from its own last step; beyond it
// y is 0 and x is never read. The function waits for TVM's earlier commands and then for its own, so that neither can
// overtake the other. tvm.contrib.mps.forget_weights() drops the layers made so far; lstm_layer.h says when to call it.
#include <pthread.h>
#include <stdlib.h>

#import "lstm_layer.h"
#include "packed_rows.h"

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

// The byte offsets in x and y of a sequence's row at a step, in y of one direction.
static NSUInteger offset_in_x(const struct call *call, NSUInteger batch_index, NSUInteger step) {
  return call->x->byte_offset + bytes_of((batch_index * call->time + step) * call->inputs);
}
static NSUInteger offset_in_y(const struct call *call, NSUInteger batch_index, NSUInteger step, NSUInteger direction) {
  return call->y->byte_offset +
         bytes_of(((batch_index * call->time + step) * call->directions + direction) * call->hidden);
}

// The rows of one direction, in matrices one below the other.
struct rows {
  id<MTLBuffer> of_input;   // [rows, input]
  id<MTLBuffer> of_output;  // [rows, hidden]
};

static struct rows new_rows(const struct call *call, const struct packed_rows *packed, id<MTLDevice> device) {
  return (struct rows){
      [[device newBufferWithLength:bytes_of(packed->rows * call->inputs)
                           options:MTLResourceStorageModePrivate] autorelease],
      [[device newBufferWithLength:bytes_of(packed->rows * call->hidden)
                           options:MTLResourceStorageModePrivate] autorelease],
  };
}

// Copies the rows of one direction from x, or to y.
static void copy_rows(id<MTLBlitCommandEncoder> copy, const struct call *call, const struct packed_rows *packed,
                      const struct rows *rows, NSUInteger direction, BOOL from_x) {
  for (int64_t time_step = 0; time_step < packed->steps; ++time_step) {
    for (int64_t row = 0; row < packed->active[time_step]; ++row) {
      NSUInteger batch_index = packed->batch_index[row], position = packed->first[time_step] + row;
      NSUInteger step = step_of(packed, batch_index, time_step, direction == 1);
      if (from_x) {
        [copy copyFromBuffer:buffer_of(call->x)
                 sourceOffset:offset_in_x(call, batch_index, step)
                     toBuffer:rows->of_input
            destinationOffset:bytes_of(position * call->inputs)
                         size:bytes_of(call->inputs)];
      } else {
        [copy copyFromBuffer:rows->of_output
                 sourceOffset:bytes_of(position * call->hidden)
                     toBuffer:buffer_of(call->y)
            destinationOffset:offset_in_y(call, batch_index, step, direction)
                         size:bytes_of(call->hidden)];
      }
    }
  }
}

static void add_matrix(NSMutableArray<MPSMatrix *> *matrices, id<MTLBuffer> buffer, NSUInteger offset, NSUInteger rows,
                       NSUInteger columns) {
  MPSMatrixDescriptor *descriptor = [MPSMatrixDescriptor matrixDescriptorWithRows:rows
                                                                          columns:columns
                                                                         rowBytes:bytes_of(columns)
                                                                         dataType:MPSDataTypeFloat32];
  MPSMatrix *matrix = [[MPSMatrix alloc] initWithBuffer:buffer offset:offset descriptor:descriptor];
  [matrices addObject:matrix];
  [matrix release];
}

// One direction over all steps. A single sequence needs no rows of its own: its steps are matrices in x and y already.
static void encode_direction(id<MTLCommandBuffer> commands, const struct call *call, const struct packed_rows *packed,
                             const struct rows *rows, LstmLayer *layer, NSUInteger direction) {
  NSMutableArray<MPSMatrix *> *sources = [NSMutableArray arrayWithCapacity:packed->steps];
  NSMutableArray<MPSMatrix *> *targets = [NSMutableArray arrayWithCapacity:packed->steps];
  for (int64_t time_step = 0; time_step < packed->steps; ++time_step) {
    NSUInteger active = packed->active[time_step], first = packed->first[time_step];
    if (call->batch == 1) {
      NSUInteger step = step_of(packed, 0, time_step, direction == 1);
      add_matrix(sources, buffer_of(call->x), offset_in_x(call, 0, step), 1, call->inputs);
      add_matrix(targets, buffer_of(call->y), offset_in_y(call, 0, step, direction), 1, call->hidden);
    } else {
      add_matrix(sources, rows->of_input, bytes_of(first * call->inputs), active, call->inputs);
      add_matrix(targets, rows->of_output, bytes_of(first * call->hidden), active, call->hidden);
    }
  }
  [direction_of(layer, direction) encodeSequenceToCommandBuffer:commands
                                                 sourceMatrices:sources
                                            destinationMatrices:targets
                                            recurrentInputState:nil
                                          recurrentOutputStates:nil];
}

static void encode(id<MTLCommandBuffer> commands, const struct call *call, const struct packed_rows *packed,
                   LstmLayer *layer) {
  struct rows rows[kMostDirections] = {{nil, nil}, {nil, nil}};
  BOOL apart = call->batch > 1 && packed->rows > 0;
  id<MTLBlitCommandEncoder> before = [commands blitCommandEncoder];
  NSUInteger size = bytes_of(call->batch * call->time * call->directions * call->hidden);
  [before fillBuffer:buffer_of(call->y) range:NSMakeRange(call->y->byte_offset, size) value:0];
  for (NSUInteger direction = 0; apart && direction < call->directions; ++direction) {
    rows[direction] = new_rows(call, packed, [queue device]);
    copy_rows(before, call, packed, &rows[direction], direction, YES);
  }
  [before endEncoding];
  for (NSUInteger direction = 0; packed->rows > 0 && direction < call->directions; ++direction) {
    encode_direction(commands, call, packed, &rows[direction], layer, direction);
  }
  if (!apart) return;
  id<MTLBlitCommandEncoder> after = [commands blitCommandEncoder];
  for (NSUInteger direction = 0; direction < call->directions; ++direction) {
    copy_rows(after, call, packed, &rows[direction], direction, NO);
  }
  [after endEncoding];
}

static const char *run(const struct call *call) {
  id<MTLDevice> device = [buffer_of(call->x) device];
  if (!MPSSupportsMTLDevice(device)) return "Metal Performance Shaders do not support this GPU";
  if (queue == nil) queue = [device newCommandQueue];
  int32_t *lengths = content_of(call->lengths, queue);
  LstmLayer *layer = layer_with(call->weights, call->directions, queue);
  if (lengths == NULL || layer == nil) {
    free(lengths);
    return "the GPU could not read an LSTM's weights or lengths";
  }
  struct packed_rows packed = pack_rows(lengths, call->batch, call->time);
  free(lengths);
  if (packed.batch_index == NULL) return "there is no memory for an LSTM's rows";
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  encode(commands, call, &packed, layer);
  free_rows(&packed);
  [commands commit];
  [commands waitUntilCompleted];
  return [commands status] == MTLCommandBufferStatusError ? "the GPU failed in an LSTM" : NULL;
}

static int lstm_packed(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result) {
  struct call call;
  if (!read_call(arguments, count, &call)) return fail("the arguments of lstm_packed do not fit together");
  if (call.batch == 0 || call.time == 0) return 0;
  if (wait_for_tvm(call.x->device) != 0) return -1;
  const char *problem;
  pthread_mutex_lock(&lock);
  @autoreleasepool {
    problem = run(&call);
  }
  pthread_mutex_unlock(&lock);
  return problem == NULL ? 0 : fail(problem);
}

static int forget_weights(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result) {
  pthread_mutex_lock(&lock);
  @autoreleasepool {
    forget_layers();
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

__attribute__((constructor)) static void register_functions(void) {
  register_function("tvm.contrib.mps.lstm_packed", lstm_packed);
  register_function("tvm.contrib.mps.forget_weights", forget_weights);
}
