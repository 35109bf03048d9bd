// The staging buffers through which TVM copies to a Metal device, of each thread its own: every upload between two waits
// takes the next one, up to the 64th. A buffer that is too small is replaced; none is given back while its thread lives.
#pragma once
#include <cstddef>
#include <cstdint>

namespace software_metal {

// Each of these is about the calling thread.
int64_t staging_buffers();
int64_t staging_bytes();
bool staging_is_full();  // the thread must commit its commands and begin again
void begin_staging_again();
void stage(size_t bytes);

}  // namespace software_metal
