// TVM's Metal runtime stores the buffer as the tensor's data. Tests without Metal replace this file by another one.
#import "tvm_call.h"

id<MTLBuffer> buffer_of(const DLTensor *tensor) { return (id<MTLBuffer>)tensor->data; }
