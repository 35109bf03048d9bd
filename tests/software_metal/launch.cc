// Threads of a threadgroup as fibers, with barriers and simdgroup operations that wait for whom they must.
//
// A thread runs until it waits or ends. When all of a simdgroup wait at the same simdgroup operation it is carried out;
// when all of a threadgroup wait at the same barrier they go on. Any other standstill is a divergent barrier.
#include "launch.h"

#include <signal.h>

#include <cstring>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "fibers.h"

extern "C" software_metal::Collective software_metal_collective;

namespace software_metal {

constexpr unsigned kSimdgroup = 32;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostThreadgroupBytes = 32768;
constexpr unsigned kMostBuffers = 31;
constexpr int kNoNumber = 0xff;  // floats and halves of such bytes are NaN

enum class State : uint8_t { kReady, kBarrier, kSimd, kEnded };
enum Operation { kShuffle = 0, kShuffleDown = 1, kShuffleUp = 2, kShuffleXor = 3, kSimdBarrier = 4 };

struct Thread {
  State state;
  int line;  // of the kernel's text, where it waits
  int operation;
  int lane;
  unsigned bytes;
  char* value;
  uint64_t made;  // as in Collective
};

Running running;

namespace {

const Kernel* kernel = nullptr;
Invocation call;
Size group_size;
unsigned thread_count = 0;
Thread threads[kMostThreads];
alignas(64) char threadgroup_memory[kMostThreadgroupBytes];
std::string found;  // the fault that ended the launch
std::mutex launching;

// The launch as one thread sees it.
Invocation seen_by(unsigned number) {
  Invocation mine = call;
  mine.thread_position[0] = number % group_size.x;
  mine.thread_position[1] = number / group_size.x % group_size.y;
  mine.thread_position[2] = number / (group_size.x * group_size.y);
  return mine;
}

void run_fiber(unsigned fiber) {
  if (kernel->synchronises) {
    Invocation mine = seen_by(fiber);
    kernel->thread(&mine);
    threads[fiber].state = State::kEnded;
    return;
  }
  for (unsigned number = 0; number < thread_count; ++number) {
    running.thread = number;
    Invocation mine = seen_by(number);
    kernel->thread(&mine);
  }
}

Fibers& fibers() {
  static Fibers* all = new Fibers(&run_fiber);
  return *all;
}

[[noreturn]] void give_up() {
  fibers().forget();
  throw std::runtime_error("kernel " + kernel->name + ": " + found);
}

void resume(unsigned fiber) {
  fibers().resume(fiber);
  if (!found.empty()) give_up();
}

std::string where(unsigned number) {
  const Thread& thread = threads[number];
  std::ostringstream text;
  text << "thread " << number;
  if (thread.state == State::kEnded) text << " has ended";
  if (thread.state == State::kBarrier) text << " waits at the barrier of line " << thread.line;
  if (thread.state == State::kSimd) text << " waits at the simdgroup operation of line " << thread.line;
  return text.str();
}

// Threads that have ended are together wherever each of them waited last, maybe in an earlier launch.
bool together(unsigned one, unsigned other) {
  const Thread &first = threads[one], &second = threads[other];
  return first.state == second.state && (first.state == State::kEnded || first.line == second.line);
}

// The first thread of the range that is not where the range's first is; `last` where there is none.
unsigned first_apart(unsigned first, unsigned last) {
  for (unsigned number = first + 1; number < last; ++number) {
    if (!together(first, number)) return number;
  }
  return last;
}

int source_lane(const Thread& thread, int lane) {
  switch (thread.operation) {
    case kShuffleDown:
      return lane + thread.lane;
    case kShuffleUp:
      return lane - thread.lane;
    case kShuffleXor:
      return lane ^ thread.lane;
    default:
      return thread.lane;
  }
}

// Lanes past the end keep their own value in the shifting forms; in the others they get what is no number.
template <unsigned kBytes>
void exchange(unsigned first, unsigned count) {
  char before[kSimdgroup][kBytes];
  for (unsigned lane = 0; lane < count; ++lane) memcpy(before[lane], threads[first + lane].value, kBytes);
  for (unsigned lane = 0; lane < count; ++lane) {
    const Thread& thread = threads[first + lane];
    unsigned source = static_cast<unsigned>(source_lane(thread, static_cast<int>(lane)));
    bool shifting = thread.operation == kShuffleDown || thread.operation == kShuffleUp;
    if (source < count) {
      memcpy(thread.value, before[source], kBytes);
    } else if (!shifting) {
      memset(thread.value, kNoNumber, kBytes);
    }
  }
}

void carry_out(unsigned first, unsigned count) {
  if (threads[first].operation == kSimdBarrier) {
    ++running.simd_phase[first / kSimdgroup];
    return;
  }
  switch (threads[first].bytes) {
    case 1:
      return exchange<1>(first, count);
    case 2:
      return exchange<2>(first, count);
    case 4:
      return exchange<4>(first, count);
    case 8:
      return exchange<8>(first, count);
    case 16:
      return exchange<16>(first, count);
    default:
      return exchange<32>(first, count);
  }
}

void run_thread(unsigned number, bool leads) {
  running.thread = number;
  software_metal_collective = {leads, fibers().stack(number), 0};
  resume(number);
  threads[number].made = software_metal_collective.made;
}

// Operations on matrices wait for nobody: the first thread does the work, and the others must have made the same.
void check_collectives(unsigned first, unsigned last) {
  for (unsigned number = first; number < last; ++number) {
    if (threads[number].made != threads[first].made) {
      found = "divergent simdgroup: " + where(number) + " and made other operations on matrices than " + where(first);
      give_up();
    }
  }
  if (threads[first].made != 0 && last - first < kSimdgroup) {
    found = "an operation on matrices in a simdgroup of fewer than 32 threads";
    give_up();
  }
  for (unsigned number = first; number < last; ++number) threads[number].made = 0;
}

void run_simdgroup(unsigned first, unsigned last) {
  for (;;) {
    for (unsigned number = first; number < last; ++number) {
      if (threads[number].state != State::kReady) continue;
      run_thread(number, number == first);
    }
    check_collectives(first, last);
    bool any = false;
    for (unsigned number = first; number < last; ++number) any |= threads[number].state == State::kSimd;
    if (!any) return;
    unsigned apart = first_apart(first, last);
    if (apart != last) {
      found = "divergent simdgroup: " + where(first) + ", " + where(apart);
      give_up();
    }
    carry_out(first, last - first);
    for (unsigned number = first; number < last; ++number) threads[number].state = State::kReady;
  }
}

void run_threads() {
  for (unsigned number = 0; number < thread_count; ++number) threads[number].state = State::kReady;
  for (;;) {
    for (unsigned first = 0; first < thread_count; first += kSimdgroup) {
      run_simdgroup(first, std::min(first + kSimdgroup, thread_count));
    }
    unsigned apart = first_apart(0, thread_count);
    if (apart != thread_count) {
      found = "divergent barrier: " + where(0) + ", " + where(apart);
      give_up();
    }
    if (threads[0].state == State::kEnded) return;
    ++running.phase;
    for (unsigned number = 0; number < thread_count; ++number) threads[number].state = State::kReady;
  }
}

void run_group(uint32_t x, uint32_t y, uint32_t z) {
  call.group_position[0] = x, call.group_position[1] = y, call.group_position[2] = z;
  memset(threadgroup_memory, kNoNumber, kernel->threadgroup_bytes);
  running.group_start = ++running.phase;
  if (kernel->synchronises) {
    run_threads();
  } else {
    resume(0);
  }
}

void check_limits(const Kernel& kernel, size_t bindings, Size group) {
  std::ostringstream text;
  if (group.count() > kMostThreads) text << group.count() << " threads in a threadgroup, and Metal allows 1024";
  if (kernel.threadgroup_bytes > kMostThreadgroupBytes) {
    text << kernel.threadgroup_bytes << " bytes of threadgroup memory, and Metal allows 32768";
  }
  if (bindings > kMostBuffers) text << bindings << " buffers, and Metal allows 31";
  if (!text.str().empty()) throw std::runtime_error("kernel " + kernel.name + ": " + text.str());
}

// A page without access lies at both ends of every buffer, so an access that no check saw still ends here.
void on_bad_address(int, siginfo_t* information, void*) {
  std::ostringstream text;
  text << "out of bounds: address " << information->si_addr;
  const std::vector<Buffer>& buffers = *running.buffers;
  for (size_t index = 0; index < buffers.size(); ++index) {
    const char* address = static_cast<const char*>(information->si_addr);
    const char* first = static_cast<const char*>(buffers[index].mapping);
    if (first != nullptr && address >= first && address < first + buffers[index].mapping_bytes) {
      text << ", " << address - buffers[index].data << " bytes into buffer " << index << " of " << buffers[index].bytes
           << " bytes";
    }
  }
  fault(text.str());
}

class BadAddresses {
 public:
  BadAddresses() {
    struct sigaction action = {};
    action.sa_sigaction = &on_bad_address;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~BadAddresses() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  struct sigaction before_;
};

}  // namespace

void fault(const std::string& what) {
  std::ostringstream text;
  text << what << ", in threadgroup (" << call.group_position[0] << ", " << call.group_position[1] << ", "
       << call.group_position[2] << "), thread " << running.thread;
  found = text.str();
  fibers().leave();
}

bool on_a_stack(const void* address) { return fibers().holds(address); }

void launch(const Kernel& launched, const std::vector<Buffer>& buffers, const std::vector<uint64_t>& scalars, Size grid,
            Size group) {
  std::lock_guard<std::mutex> lock(launching);
  check_limits(launched, buffers.size() + (scalars.empty() ? 0 : 1), group);
  std::vector<void*> addresses;
  for (const Buffer& buffer : buffers) addresses.push_back(buffer.data);
  kernel = &launched;
  group_size = group;
  thread_count = static_cast<unsigned>(group.count());
  call.buffers = addresses.data(), call.scalars = scalars.data(), call.threadgroup_memory = threadgroup_memory;
  running.buffers = &buffers;
  running.scalars = reinterpret_cast<const char*>(scalars.data());
  running.scalar_bytes = scalars.size() * sizeof(uint64_t);
  running.threadgroup_memory = threadgroup_memory;
  running.threadgroup_bytes = launched.threadgroup_bytes;
  found.clear();
  running.launch_start = running.phase + 1;
  running.last_buffer = 0;
  running.written = 0;
  BadAddresses watched;
  for (uint32_t z = 0; z < grid.z; ++z) {
    for (uint32_t y = 0; y < grid.y; ++y) {
      for (uint32_t x = 0; x < grid.x; ++x) run_group(x, y, z);
    }
  }
}

}  // namespace software_metal

extern "C" __attribute__((visibility("default"))) software_metal::Collective software_metal_collective = {};

// Called by kernels; msl.h declares them.
extern "C" __attribute__((visibility("default"))) void software_metal_barrier(int line) {
  using namespace software_metal;
  unsigned fiber = fibers().current();
  threads[fiber].state = State::kBarrier;
  threads[fiber].line = line;
  fibers().pause();
}

extern "C" __attribute__((visibility("default"))) void software_metal_simd(int operation, void* value, unsigned bytes,
                                                                           int lane, int line) {
  using namespace software_metal;
  Thread& thread = threads[fibers().current()];
  thread = {State::kSimd, line, operation, lane, bytes, static_cast<char*>(value)};
  fibers().pause();
}

extern "C" __attribute__((visibility("default"))) void software_metal_misaligned(const void* address,
                                                                                 unsigned alignment, int line) {
  std::ostringstream text;
  text << "misaligned: a vector at address " << address << " in line " << line << ", which is no multiple of "
       << alignment;
  software_metal::fault(text.str());
}
