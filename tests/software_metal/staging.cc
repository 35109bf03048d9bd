#include "staging.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace software_metal {

constexpr size_t kMostBuffers = 64;

static thread_local std::vector<size_t> sizes;
static thread_local size_t next = 0;

int64_t staging_buffers() { return static_cast<int64_t>(sizes.size()); }
int64_t staging_bytes() { return std::accumulate(sizes.begin(), sizes.end(), int64_t(0)); }
bool staging_is_full() { return next >= kMostBuffers; }
void begin_staging_again() { next = 0; }

void stage(size_t bytes) {
  if (next == sizes.size()) sizes.push_back(0);
  sizes[next] = std::max(sizes[next], bytes);
  ++next;
}

}  // namespace software_metal
