#include "commands.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>

#include "staging.h"

namespace software_metal {

namespace ffi = tvm::ffi;
using Lock = std::lock_guard<std::mutex>;

Commands& Commands::global() {
  static Commands* commands = new Commands();
  return *commands;
}

void Commands::behave(const Behaviour& behaviour) {
  Lock lock(mutex_);
  behaviour_ = behaviour;
  launches_since_reset_ = 0;
}

Counts Commands::counts() {
  Lock lock(mutex_);
  return counts_;
}

void Commands::count_anew() {
  Lock lock(mutex_);
  counts_ = Counts();
}

void Commands::request(const std::string& kernel) {
  Lock lock(mutex_);
  if (behaviour_.refused.count(kernel) != 0) {
    TVM_FFI_THROW(InternalError) << "cannot get state: for function " << kernel << ": it is refused";
  }
  ++counts_.kernels;
}

bool Commands::launch(const std::string& kernel) {
  Lock lock(mutex_);
  if (!error_.empty()) return false;
  pending_ = true;
  last_kernel_ = kernel;
  ++counts_.launches;
  counts_.max_buffer_launches = std::max(counts_.max_buffer_launches, ++buffer_launches_);
  if (++launches_since_reset_ == behaviour_.fail_launch && behaviour_.failures > 0) {
    --behaviour_.failures;
    failing_ = "the GPU was told to fail";
  }
  return failing_.empty();
}

void Commands::upload(size_t bytes) {
  Lock lock(mutex_);
  raise_if_failed();
  if (staging_is_full()) {
    commit();
    begin_staging_again();
  }
  stage(bytes);
  ++counts_.uploads;
  counts_.uploaded_bytes += bytes;
  pending_ = true;
}

// TVM looks for an error before it commits what is pending, and not after: what that failed at is read all the same.
void Commands::read_back() {
  Lock lock(mutex_);
  raise_if_failed();
  ++counts_.readings;
  commit();
}

void Commands::copy_on_device() {
  Lock lock(mutex_);
  raise_if_failed();
  pending_ = true;
}

void Commands::wait() {
  Lock lock(mutex_);
  finish();
  raise_if_failed();
}

// TVM waits before it frees memory that pending commands may use. It does so in destructors, where an error is the end.
void Commands::before_free() {
  Lock lock(mutex_);
  if (!pending_) return;
  finish();
  if (!error_.empty()) ++counts_.aborts;
}

// TVM commits what is pending and does not wait for it: a failure would be told to a stream that is gone.
void Commands::reset() {
  Lock lock(mutex_);
  error_.clear();
  commit();
  if (!error_.empty()) ++counts_.aborts;
  error_.clear();
  launches_since_reset_ = 0;
  ++counts_.resets;
}

void Commands::commit() {
  bool too_long = behaviour_.max_buffer_launches > 0 && buffer_launches_ > behaviour_.max_buffer_launches;
  if (too_long) failing_ = "Caused GPU Timeout Error";
  if (!failing_.empty()) error_ = "GPUError after kernel " + last_kernel_ + ": " + failing_;
  failing_.clear();
  buffer_launches_ = 0;
  pending_ = false;
}

void Commands::finish() {
  commit();
  begin_staging_again();
  ++counts_.syncs;
}

void Commands::raise_if_failed() const {
  if (!error_.empty()) TVM_FFI_THROW(InternalError) << "GPUError: " << error_;
}

static void behave(int64_t fail_launch, int64_t failures, int64_t max_buffer_launches,
                   const ffi::Array<ffi::String>& refused) {
  Behaviour behaviour{fail_launch, failures, max_buffer_launches, {}};
  for (const ffi::String& kernel : refused) behaviour.refused.insert(kernel);
  Commands::global().behave(behaviour);
}

static ffi::Map<ffi::String, int64_t> counts() {
  Counts counts = Commands::global().counts();
  return {{"launches", counts.launches},
          {"max_buffer_launches", counts.max_buffer_launches},
          {"syncs", counts.syncs},
          {"kernels", counts.kernels},
          {"uploads", counts.uploads},
          {"uploaded_bytes", counts.uploaded_bytes},
          {"readings", counts.readings},
          {"resets", counts.resets},
          {"aborts", counts.aborts},
          {"staging_buffers", staging_buffers()},
          {"staging_bytes", staging_bytes()}};
}

TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::GlobalDef()
      .def("software_metal.behave", behave)
      .def("software_metal.counts", counts)
      .def("software_metal.count_anew", [] { Commands::global().count_anew(); })
      .def("metal.ResetGlobalState", [] { Commands::global().reset(); });
}

}  // namespace software_metal
