// Many stacks inside one system thread, each entered and left by hand. Knows nothing of kernels.
//
// ucontext makes a stack's first frame; after that setjmp and longjmp change stacks, because swapcontext would make a
// system call at every change.
#pragma once
#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <vector>

#ifdef __x86_64__  // the compiler's own, which keep three registers and have it look after the others
using Place = void*[5];
#define KEEP(place) __builtin_setjmp(place)
#define GO_BACK(place) __builtin_longjmp(place, 1)
#else
#include <setjmp.h>
using Place = jmp_buf;
#define KEEP(place) _setjmp(place)
#define GO_BACK(place) _longjmp(place, 1)
#endif

namespace software_metal {

class Fibers {
 public:
  using Body = void (*)(unsigned fiber);
  static constexpr size_t kStackBytes = (64 << 10) + 320;  // no power of two: stacks would share the same cache lines
  static constexpr unsigned kMost = 1024;

  explicit Fibers(Body body) : body_(body) {
    stacks_ = static_cast<char*>(
        mmap(nullptr, kStackBytes * kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    fibers_.resize(kMost);
  }

  // Runs one fiber until it pauses. A fiber whose body has ended starts its body anew.
  void resume(unsigned fiber) {
    current_ = fiber;
    if (KEEP(outside_) != 0) return;
    if (fibers_[fiber].started) GO_BACK(fibers_[fiber].inside);
    start(fiber);
  }

  // Called inside a fiber: back to the caller of resume().
  void pause() {
    if (KEEP(fibers_[current_].inside) == 0) GO_BACK(outside_);
  }

  // Called inside a fiber: back to the caller of resume(), never to return here.
  [[noreturn]] void leave() { GO_BACK(outside_); }

  // Forgets what every fiber was doing; their next resume() starts the body.
  void forget() {
    for (Fiber& fiber : fibers_) fiber.started = false;
  }

  const char* stack(unsigned fiber) const { return stacks_ + fiber * kStackBytes; }
  unsigned current() const { return current_; }
  bool holds(const void* address) const { return address >= stacks_ && address < stacks_ + kStackBytes * kMost; }

 private:
  struct Fiber {
    Place inside;
    bool started = false;
  };

  void start(unsigned number) {
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks_ + number * kStackBytes;
    context.uc_stack.ss_size = kStackBytes;
    context.uc_link = nullptr;
    starting_ = this;
    makecontext(&context, &Fibers::live, 0);
    fibers_[number].started = true;
    setcontext(&context);
  }

  static void live() {
    Fibers* self = starting_;
    for (;;) {
      self->body_(self->current_);
      self->pause();
    }
  }

  inline static Fibers* starting_ = nullptr;
  Body body_;
  char* stacks_;
  std::vector<Fiber> fibers_;
  unsigned current_ = 0;
  Place outside_;
};

}  // namespace software_metal
