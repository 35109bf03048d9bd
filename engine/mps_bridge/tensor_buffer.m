// What TVM's Metal runtime keeps as the data of a tensor. A file of its own: without Metal, another one takes its place.
#import "tvm_call.h"

id<MTLBuffer> buffer_of(const DLTensor *tensor) { return (id<MTLBuffer>)tensor->data; }
