// The software device's memory: opaque handles, and the bytes behind them. Knows nothing of kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace software_metal {

struct Buffer {
  char* data = nullptr;  // ends where a page without access begins
  size_t bytes = 0;
  void* mapping = nullptr;
  size_t mapping_bytes = 0;
  uint64_t* last_writes = nullptr;  // one for every two bytes; takes memory only where a checked kernel writes
};

constexpr unsigned kWordBytes = 2;  // the smallest element that writes are told apart by

class Memory {
 public:
  static Memory& global();

  // A handle is an address that no one may read or write, as an id<MTLBuffer> is no address of its content. Handles
  // are never used twice, so that a stale one is always found out.
  void* allocate(size_t bytes);
  void release(void* handle);

  // The buffer of a live handle; throws for a freed one and for what never was one.
  const Buffer& find(const void* handle);
  // Address of `count` bytes from `offset`; throws where the buffer ends before.
  char* range(const void* handle, size_t offset, size_t count);

  size_t live_bytes() const { return live_bytes_; }
  size_t live_buffers() const { return live_buffers_; }

 private:
  Memory();
  size_t slot(const void* handle) const;

  char* handles_;
  std::vector<Buffer> buffers_;
  std::recursive_mutex mutex_;
  size_t live_bytes_ = 0;
  size_t live_buffers_ = 0;
};

}  // namespace software_metal
