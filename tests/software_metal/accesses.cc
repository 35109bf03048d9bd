// Looks at every read and write of a kernel: bounds, threadgroup memory never written, races between threads.
//
// Kernels are compiled with -fsanitize=thread, which puts a call before each access; these are the functions called, in
// place of the sanitizer's own. What a function keeps on its stack is not looked at.
#include <cstdint>
#include <sstream>

#include "launch.h"

namespace software_metal {
namespace {

constexpr unsigned kSimdgroup = 32;
constexpr uint16_t kSeveral = 0xffff;

// The last write and the last reads of one word of threadgroup memory.
struct Word {
  uint64_t write_phase = 0, write_simd_phase = 0, read_phase = 0, read_simd_phase = 0;
  uint16_t writer = 0, reader = 0;
};
Word words[32768 / kWordBytes];

[[noreturn]] void report(const char* what, const void* address, unsigned bytes) {
  std::ostringstream text;
  text << what << ": " << bytes << " bytes at threadgroup byte "
       << static_cast<const char*>(address) - running.threadgroup_memory;
  fault(text.str());
}

// Whether what `other` did in that phase is not ordered with what the running thread does now.
bool unordered(uint16_t other, uint64_t phase, uint64_t simd_phase) {
  if (phase != running.phase || other == running.thread) return false;
  if (other == kSeveral || other / kSimdgroup != running.thread / kSimdgroup) return true;
  return simd_phase == running.simd_phase[running.thread / kSimdgroup];
}

void read_word(Word& word, const void* address, unsigned bytes) {
  if (word.write_phase < running.group_start) report("threadgroup memory is read before it is written", address, bytes);
  if (unordered(word.writer, word.write_phase, word.write_simd_phase))
    report("a race: read without a barrier after another thread's write", address, bytes);
  bool also = word.read_phase == running.phase && word.reader != running.thread;
  word.reader = also ? kSeveral : static_cast<uint16_t>(running.thread);
  word.read_phase = running.phase;
  word.read_simd_phase = running.simd_phase[running.thread / kSimdgroup];
}

void write_word(Word& word, const void* address, unsigned bytes) {
  if (unordered(word.writer, word.write_phase, word.write_simd_phase))
    report("a race: two threads write without a barrier between", address, bytes);
  if (unordered(word.reader, word.read_phase, word.read_simd_phase))
    report("a race: written without a barrier after another thread's read", address, bytes);
  word.writer = static_cast<uint16_t>(running.thread);
  word.write_phase = running.phase;
  word.write_simd_phase = running.simd_phase[running.thread / kSimdgroup];
}

void check_threadgroup(size_t offset, const void* address, unsigned bytes, bool write) {
  if (offset + bytes > running.threadgroup_bytes) report("out of bounds", address, bytes);
  for (size_t word = offset / kWordBytes; word <= (offset + bytes - 1) / kWordBytes; ++word) {
    write ? write_word(words[word], address, bytes) : read_word(words[word], address, bytes);
  }
}

bool inside(const void* address, unsigned bytes, const void* first, size_t count) {
  uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(first);
  return offset < count && bytes <= count - offset;
}

[[noreturn]] void out_of_bounds(const void* address, unsigned bytes, bool write) {
  std::ostringstream text;
  text << "out of bounds: " << (write ? "write" : "read") << " of " << bytes << " bytes";
  size_t nearest = 0, distance = SIZE_MAX;
  for (size_t index = 0; index < running.buffers->size(); ++index) {
    const Buffer& buffer = (*running.buffers)[index];
    ptrdiff_t offset = static_cast<const char*>(address) - buffer.data;
    size_t away = offset < 0 ? -offset : offset - buffer.bytes;
    if (away < distance) nearest = index, distance = away;
  }
  if (distance != SIZE_MAX) {
    const Buffer& buffer = (*running.buffers)[nearest];
    text << " at byte " << static_cast<const char*>(address) - buffer.data << " of buffer " << nearest << ", which has "
         << buffer.bytes;
  }
  fault(text.str());
}

constexpr unsigned kThreadBits = 10;

// Threads of one launch may meet in device memory only inside a threadgroup and across a barrier: threadgroups run in
// any order. A write is remembered by its phase and thread.
void check_order(const Buffer& buffer, size_t offset, unsigned bytes, bool write) {
  unsigned step = bytes > kWordBytes ? 2 : 1;
  for (size_t word = offset / kWordBytes; word <= (offset + bytes - 1) / kWordBytes; word += step) {
    uint64_t last = buffer.last_writes[word], phase = last >> kThreadBits;
    unsigned thread = last & ((1u << kThreadBits) - 1);
    bool other_group = phase >= running.launch_start && phase < running.group_start;
    if (other_group || (phase == running.phase && thread != running.thread)) {
      std::ostringstream text;
      text << "a race in device memory: byte " << offset << " is " << (write ? "written" : "read") << " after "
           << (other_group ? "another threadgroup" : "another thread, with no barrier between,") << " wrote it";
      fault(text.str());
    }
    if (write) buffer.last_writes[word] = running.phase << kThreadBits | running.thread;
  }
}

// Number of the first buffer that holds the bytes; the count of buffers where none does.
size_t buffer_of(const void* address, unsigned bytes) {
  const std::vector<Buffer>& buffers = *running.buffers;
  const auto holds = [&](size_t index) { return inside(address, bytes, buffers[index].data, buffers[index].bytes); };
  if (running.last_buffer < buffers.size() && holds(running.last_buffer)) return running.last_buffer;
  size_t index = 0;
  while (index < buffers.size() && !holds(index)) ++index;
  running.last_buffer = index;
  return index;
}

void check(const void* address, unsigned bytes, bool write) {
  size_t offset = static_cast<const char*>(address) - running.threadgroup_memory;
  if (offset < running.threadgroup_bytes) return check_threadgroup(offset, address, bytes, write);
  if (on_a_stack(address)) return;
  size_t index = buffer_of(address, bytes);
  if (index < running.buffers->size()) {
    if (write) running.written |= 1u << index;
    if ((running.written >> index & 1) == 0) return;
    const Buffer& buffer = (*running.buffers)[index];
    return check_order(buffer, static_cast<const char*>(address) - buffer.data, bytes, write);
  }
  if (!write && inside(address, bytes, running.scalars, running.scalar_bytes)) return;
  out_of_bounds(address, bytes, write);
}

}  // namespace
}  // namespace software_metal

#define ACCESS(NAME, BYTES)                                                                 \
  __attribute__((visibility("default"))) void __tsan_read##NAME(void* address) {            \
    software_metal::check(address, BYTES, false);                                           \
  }                                                                                         \
  __attribute__((visibility("default"))) void __tsan_write##NAME(void* address) {           \
    software_metal::check(address, BYTES, true);                                            \
  }                                                                                         \
  __attribute__((visibility("default"))) void __tsan_unaligned_read##NAME(void* address) {  \
    software_metal::check(address, BYTES, false);                                           \
  }                                                                                         \
  __attribute__((visibility("default"))) void __tsan_unaligned_write##NAME(void* address) { \
    software_metal::check(address, BYTES, true);                                            \
  }

extern "C" {
ACCESS(1, 1)
ACCESS(2, 2)
ACCESS(4, 4)
ACCESS(8, 8)
ACCESS(16, 16)
__attribute__((visibility("default"))) void __tsan_init() {}
__attribute__((visibility("default"))) void __tsan_func_entry(void*) {}
__attribute__((visibility("default"))) void __tsan_func_exit() {}
}
