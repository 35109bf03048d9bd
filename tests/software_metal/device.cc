// Device kDLMetal for TVM, in the memory of this computer. Copies are done at once; so is everything on a stream.
#include "device.h"

#include <sys/mman.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/runtime/device_api.h>

#include <cstring>

#include "commands.h"

namespace software_metal {

namespace ffi = tvm::ffi;
using tvm::Device;

constexpr size_t kHandleStep = 64;
constexpr size_t kMostHandles = size_t(1) << 26;
constexpr size_t kPageBytes = 16384;
constexpr size_t kFenceBytes = 65536;
constexpr size_t kAlignment = 16;
constexpr int kNotANumber = 0xff;  // floats and halves of such bytes are NaN

static size_t writes_bytes(const Buffer& buffer) { return (buffer.bytes / kWordBytes + 1) * sizeof(uint64_t); }

Memory& Memory::global() {
  static Memory* memory = new Memory();
  return *memory;
}

Memory::Memory() {
  void* reserved =
      mmap(nullptr, kMostHandles * kHandleStep, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TVM_FFI_ICHECK(reserved != MAP_FAILED) << "no addresses left for Metal handles";
  handles_ = static_cast<char*>(reserved);
}

void* Memory::allocate(size_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  TVM_FFI_ICHECK(buffers_.size() < kMostHandles) << "too many Metal buffers";
  size_t aligned = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t accessible = (aligned + kPageBytes - 1) / kPageBytes * kPageBytes;
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.mapping_bytes = accessible + 2 * kFenceBytes;
  buffer.mapping = mmap(nullptr, buffer.mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TVM_FFI_ICHECK(buffer.mapping != MAP_FAILED) << "no memory for a Metal buffer of " << bytes << " bytes";
  char* first = static_cast<char*>(buffer.mapping) + kFenceBytes;
  mprotect(first, accessible, PROT_READ | PROT_WRITE);
  buffer.data = first + accessible - aligned;
  memset(buffer.data, kNotANumber, aligned);
  void* writes =
      mmap(nullptr, writes_bytes(buffer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TVM_FFI_ICHECK(writes != MAP_FAILED) << "no memory to remember the writes of a Metal buffer";
  buffer.last_writes = static_cast<uint64_t*>(writes);
  buffers_.push_back(buffer);
  live_bytes_ += bytes;
  ++live_buffers_;
  return handles_ + (buffers_.size() - 1) * kHandleStep;
}

void Memory::release(void* handle) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  Buffer buffer = find(handle);
  munmap(buffer.mapping, buffer.mapping_bytes);
  munmap(buffer.last_writes, writes_bytes(buffer));
  buffers_[slot(handle)] = Buffer();
  live_bytes_ -= buffer.bytes;
  --live_buffers_;
}

size_t Memory::slot(const void* handle) const {
  auto address = reinterpret_cast<uintptr_t>(handle), first = reinterpret_cast<uintptr_t>(handles_);
  bool inside =
      address >= first && (address - first) / kHandleStep < buffers_.size() && (address - first) % kHandleStep == 0;
  if (!inside) TVM_FFI_THROW(RuntimeError) << handle << " is no handle of a Metal buffer";
  return (address - first) / kHandleStep;
}

const Buffer& Memory::find(const void* handle) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  const Buffer& buffer = buffers_[slot(handle)];
  if (buffer.mapping == nullptr) TVM_FFI_THROW(RuntimeError) << "a Metal buffer is used after it was freed";
  return buffer;
}

char* Memory::range(const void* handle, size_t offset, size_t count) {
  const Buffer& buffer = find(handle);
  if (offset > buffer.bytes || count > buffer.bytes - offset) {
    TVM_FFI_THROW(RuntimeError) << "a copy of " << count << " bytes at " << offset << " leaves a Metal buffer of "
                                << buffer.bytes << " bytes";
  }
  return buffer.data + offset;
}

class MetalDevice final : public tvm::runtime::DeviceAPI {
 public:
  void SetDevice(Device) final {}

  void GetAttr(Device device, tvm::runtime::DeviceAttrKind kind, ffi::Any* value) final {
    switch (kind) {
      case tvm::runtime::kExist:
        *value = static_cast<int>(device.device_id == 0);
        break;
      case tvm::runtime::kMaxThreadsPerBlock:
        *value = 1024;
        break;
      case tvm::runtime::kWarpSize:
        *value = 32;
        break;
      case tvm::runtime::kMaxSharedMemoryPerBlock:
        *value = 32768;
        break;
      case tvm::runtime::kDeviceName:
        *value = ffi::String("Metal in software");
        break;
      default:
        break;
    }
  }

  void* AllocDataSpace(Device, size_t bytes, size_t, DLDataType) final { return Memory::global().allocate(bytes); }
  void FreeDataSpace(Device, void* handle) final {
    Commands::global().before_free();
    Memory::global().release(handle);
  }
  void* AllocWorkspace(Device, size_t bytes, DLDataType) final { return Memory::global().allocate(bytes); }
  void FreeWorkspace(Device, void* handle) final { Memory::global().release(handle); }
  TVMStreamHandle CreateStream(Device) final { return nullptr; }
  void FreeStream(Device, TVMStreamHandle) final {}
  void StreamSync(Device, TVMStreamHandle) final { Commands::global().wait(); }

 protected:
  void CopyDataFromTo(const void* from, size_t from_offset, void* to, size_t to_offset, size_t count,
                      Device from_device, Device to_device, DLDataType, TVMStreamHandle) final {
    tell(from_device.device_type == kDLMetal, to_device.device_type == kDLMetal, count);
    const char* source = address(from_device, from, from_offset, count);
    char* target = address(to_device, to, to_offset, count);
    memmove(target, source, count);
  }

 private:
  static void tell(bool from_metal, bool to_metal, size_t count) {
    if (!from_metal) return Commands::global().upload(count);
    to_metal ? Commands::global().copy_on_device() : Commands::global().read_back();
  }

  static char* address(Device device, const void* place, size_t offset, size_t count) {
    if (device.device_type == kDLMetal) return Memory::global().range(place, offset, count);
    return const_cast<char*>(static_cast<const char*>(place)) + offset;
  }
};

// For libraries that stand in for Apple's own: the bytes behind a live handle.
extern "C" char* software_metal_data(void* handle, size_t* bytes) {
  const Buffer& buffer = Memory::global().find(handle);
  *bytes = buffer.bytes;
  return buffer.data;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace reflection = tvm::ffi::reflection;
  reflection::GlobalDef()
      .def_packed("device_api.metal",
                  [](ffi::PackedArgs, ffi::Any* result) {
                    static tvm::runtime::DeviceAPI* device = new MetalDevice();
                    *result = static_cast<void*>(device);
                  })
      .def("software_metal.live_bytes", [] { return static_cast<int64_t>(Memory::global().live_bytes()); })
      .def("software_metal.live_buffers", [] { return static_cast<int64_t>(Memory::global().live_buffers()); });
}

}  // namespace software_metal
