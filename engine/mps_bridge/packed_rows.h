// A batch of sequences of unequal lengths as Metal Performance Shaders take it: one matrix per time step, whose rows
// are the members that still run, longest first, so that rows only ever drop off at the end. Knows no LSTM.
#pragma once
#include <stdint.h>

struct packed_rows {
  int64_t batch;
  int64_t steps;    // of the longest member
  int64_t rows;     // of all steps together
  int64_t *member;  // [batch] members by decreasing length
  int64_t *length;  // [batch] by member
  int64_t *active;  // [steps] rows of a step
  int64_t *first;   // [steps] rows of the steps before it
};

// Lengths below 0 or above `time` count as these. NULL members when there is no memory.
struct packed_rows pack_rows(const int32_t *lengths, int64_t batch, int64_t time);
void free_rows(struct packed_rows *packed);

// Which step of its sequence a member makes at this time step: backward, it starts at its own last.
int64_t step_of(const struct packed_rows *packed, int64_t member, int64_t time_step, int backward);
