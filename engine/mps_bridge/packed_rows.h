// A batch of sequences of unequal lengths as Metal Performance Shaders take it: one matrix per time step, whose rows
// are the sequences that still run, longest first, so that rows only ever drop off at the end.
#pragma once
#include <stdint.h>

struct packed_rows {
  int64_t batch;
  int64_t steps;         // of the longest sequence
  int64_t rows;          // of all steps together
  int64_t *batch_index;  // [batch] of the sequences, longest first
  int64_t *length;       // [batch] of the sequence at each batch index
  int64_t *active;       // [steps] rows of a step
  int64_t *first;        // [steps] rows of the steps before it
};

// Lengths are clamped to 0 to `time`. `batch_index` is NULL when there is no memory.
struct packed_rows pack_rows(const int32_t *lengths, int64_t batch, int64_t time);
void free_rows(struct packed_rows *packed);

// The step that a sequence takes at this time step; the backward direction starts at the sequence's own last step.
int64_t step_of(const struct packed_rows *packed, int64_t batch_index, int64_t time_step, int backward);
