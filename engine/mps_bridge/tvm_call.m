#import "tvm_call.h"

#include <string.h>

static const char kStreamSync[] = "runtime.Device_StreamSync";

int fail(const char *message) {
  TVMFFIErrorSetRaisedFromCStr("RuntimeError", message);
  return -1;
}

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

int wait_for_tvm(DLDevice device) {
  TVMFFIByteArray name = {kStreamSync, strlen(kStreamSync)};
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionGetGlobal(&name, &function) != 0 || function == NULL) return fail("TVM cannot wait for its stream");
  TVMFFIAny arguments[2], result;
  memset(arguments, 0, sizeof arguments);
  memset(&result, 0, sizeof result);
  arguments[0].type_index = kTVMFFIDevice;
  arguments[0].v_device = device;
  arguments[1].type_index = kTVMFFIInt;  // its default stream
  int code = TVMFFIFunctionCall(function, arguments, 2, &result);
  TVMFFIObjectDecRef(function);
  return code;
}

void register_function(const char *name, TVMFFISafeCallType function) {
  TVMFFIByteArray key = {name, strlen(name)};
  TVMFFIObjectHandle handle = NULL;
  if (TVMFFIFunctionCreate(NULL, function, NULL, &handle) != 0) return;
  TVMFFIFunctionSetGlobal(&key, handle, 1);
  TVMFFIObjectDecRef(handle);
}
