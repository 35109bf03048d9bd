#import "tvm_call.h"

#include <stdlib.h>
#include <string.h>

static const char kCopy[] = "runtime.TVMTensorCopyFromTo";

static int raised(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

int fail(const char *message) { return raised("RuntimeError", message); }
int gpu_failed(const char *message) { return raised("InternalError", message); }

DLTensor *tensor_of(const TVMFFIAny *argument) {
  if (argument->type_index == kTVMFFIDLTensorPtr) return (DLTensor *)argument->v_ptr;
  if (argument->type_index == kTVMFFITensor) return (DLTensor *)((char *)argument->v_obj + sizeof(TVMFFIObject));
  return NULL;
}

static BOOL has_no_gaps(const DLTensor *tensor) {
  if (tensor->strides == NULL) return YES;
  int64_t expected = 1;
  for (int32_t axis = tensor->ndim; axis-- > 0;) {
    if (tensor->shape[axis] > 1 && tensor->strides[axis] != expected) return NO;
    expected *= tensor->shape[axis];
  }
  return YES;
}

BOOL is_plain(const DLTensor *tensor, uint8_t kind, int32_t axes) {
  return tensor != NULL && tensor->device.device_type == kDLMetal && tensor->ndim == axes &&
         tensor->dtype.code == kind && tensor->dtype.bits == 32 && tensor->dtype.lanes == 1 && has_no_gaps(tensor);
}

static int copy(const DLTensor *from, const DLTensor *to) {
  TVMFFIByteArray name = {kCopy, strlen(kCopy)};
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionGetGlobal(&name, &function) != 0 || function == NULL) return fail("TVM cannot copy tensors");
  TVMFFIAny arguments[2], result;
  memset(arguments, 0, sizeof arguments);
  memset(&result, 0, sizeof result);
  arguments[0].type_index = arguments[1].type_index = kTVMFFIDLTensorPtr;
  arguments[0].v_ptr = (void *)from;
  arguments[1].v_ptr = (void *)to;
  int code = TVMFFIFunctionCall(function, arguments, 2, &result);
  TVMFFIObjectDecRef(function);
  return code;
}

void *content_of(const DLTensor *tensor) {
  size_t size = tensor->dtype.bits / 8;
  for (int32_t axis = 0; axis < tensor->ndim; ++axis) size *= tensor->shape[axis];
  DLTensor content = *tensor;
  content.device = (DLDevice){kDLCPU, 0};
  content.byte_offset = 0;
  content.data = malloc(size);
  if (content.data == NULL) {
    fail("there is no memory for the content of a tensor");
  } else if (copy(tensor, &content) != 0) {
    free(content.data);
    content.data = NULL;
  }
  return content.data;
}

void register_function(const char *name, TVMFFISafeCallType function) {
  TVMFFIByteArray key = {name, strlen(name)};
  TVMFFIObjectHandle handle = NULL;
  if (TVMFFIFunctionCreate(NULL, function, NULL, &handle) != 0) return;
  TVMFFIFunctionSetGlobal(&key, handle, 1);
  TVMFFIObjectDecRef(handle);
}
