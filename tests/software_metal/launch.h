// One kernel launch: a grid of threadgroups, run one after the other. Knows nothing of TVM.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "device.h"

namespace software_metal {

struct Size {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

// What a translated kernel is given for one thread; msl.h declares the same.
struct Invocation {
  void* const* buffers;
  const void* scalars;
  char* threadgroup_memory;
  uint32_t group_position[3];
  uint32_t thread_position[3];
};

// The running thread's part in operations of its simdgroup on matrices; msl.h declares the same.
struct Collective {
  bool leads;         // and so does the work for all
  const char* stack;  // which each thread has of its own
  uint64_t made;      // what it made since it last waited: equal for all threads that made the same
};

struct Kernel {
  std::string name;
  void (*thread)(const Invocation*) = nullptr;
  unsigned threadgroup_bytes = 0;
  bool synchronises = false;  // has barriers or simdgroup operations
};

// Throws std::runtime_error that names the kernel and what it did wrong.
void launch(const Kernel& kernel, const std::vector<Buffer>& buffers, const std::vector<uint64_t>& scalars, Size grid,
            Size group);

// Ends the launch that is going on. Called by whatever finds a fault, inside a kernel's thread.
[[noreturn]] void fault(const std::string& what);

// What the checks of single accesses need to know of the launch that is going on.
struct Running {
  const std::vector<Buffer>* buffers = nullptr;
  const char* scalars = nullptr;
  size_t scalar_bytes = 0;
  size_t last_buffer = 0;  // number of the buffer accessed last
  uint32_t written = 0;    // one bit for each buffer that the launch has written
  char* threadgroup_memory = nullptr;
  unsigned threadgroup_bytes = 0;
  unsigned thread = 0;            // number in its threadgroup
  uint64_t launch_start = 0;      // phase in which the launch began
  uint64_t group_start = 0;       // phase in which the threadgroup began
  uint64_t phase = 0;             // grows with each barrier of the threadgroup, and with each threadgroup
  uint64_t simd_phase[32] = {0};  // grows with each barrier of the simdgroup
};
extern Running running;
bool on_a_stack(const void* address);

}  // namespace software_metal
