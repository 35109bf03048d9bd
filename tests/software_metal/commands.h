// The commands of TVM's Metal runtime, as that hands them to a GPU, and a GPU that fails as it is told to.
//
// TVM records launches and copies in a command buffer. It commits that when it waits, when it reads back, and when it
// uses the first of its 64 staging buffers again. What a GPU fails at is noticed once its buffer is committed; from then
// on launches are skipped, and copies and waits raise, until the state is reset.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace software_metal {

struct Behaviour {
  int64_t fail_launch = 0;     // counted since the last reset, from 1; what its buffer holds after it is not run either
  int64_t failures = 0;        // how many times that still happens
  int64_t max_buffer_launches = 0;  // launches; longer ones are killed, unless this is 0
  std::set<std::string> refused;  // kernels for which there is no pipeline
};

struct Counts {
  int64_t launches = 0;
  int64_t max_buffer_launches = 0;  // the most launches in one command buffer
  int64_t syncs = 0;           // waits, among them those before memory is freed
  int64_t kernels = 0;         // requested for the first time: TVM then compiles them
  int64_t uploads = 0;
  int64_t uploaded_bytes = 0;
  int64_t readings = 0;  // copies to the host
  int64_t resets = 0;
  int64_t aborts = 0;  // times that TVM would have ended the process
};

class Commands {
 public:
  static Commands& global();

  void behave(const Behaviour& behaviour);
  Counts counts();
  void count_anew();

  void request(const std::string& kernel);  // throws for a refused one
  bool launch(const std::string& kernel);   // whether it is to be run
  void upload(size_t bytes);
  void read_back();
  void copy_on_device();
  void wait();
  void before_free();
  void reset();

 private:
  void commit();
  void finish();
  void raise_if_failed() const;

  std::mutex mutex_;
  Behaviour behaviour_;
  Counts counts_;
  bool pending_ = false;         // whether a buffer has begun
  int64_t buffer_launches_ = 0;  // of the pending buffer
  int64_t launches_since_reset_ = 0;
  std::string last_kernel_;
  std::string failing_;  // what will be known of the pending buffer once it is committed
  std::string error_;    // what is known
};

}  // namespace software_metal
