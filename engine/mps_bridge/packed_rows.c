#include "packed_rows.h"

#include <stdlib.h>

static int64_t within(int64_t length, int64_t time) { return length < 0 ? 0 : length > time ? time : length; }

// Insertion sort, longest sequence first; batches are small.
static void sort_by_length(struct packed_rows *packed) {
  for (int64_t index = 0; index < packed->batch; ++index) {
    int64_t moved = index;
    for (; moved > 0 && packed->length[packed->batch_index[moved - 1]] < packed->length[index]; --moved) {
      packed->batch_index[moved] = packed->batch_index[moved - 1];
    }
    packed->batch_index[moved] = index;
  }
}

static void count_rows(struct packed_rows *packed) {
  int64_t active = packed->batch;
  for (int64_t step = 0; step < packed->steps; ++step) {
    while (packed->length[packed->batch_index[active - 1]] <= step) --active;
    packed->active[step] = active;
    packed->first[step] = packed->rows;
    packed->rows += active;
  }
}

struct packed_rows pack_rows(const int32_t *lengths, int64_t batch, int64_t time) {
  struct packed_rows packed = {.batch = batch};
  int64_t *space = calloc(2 * (batch + time) + 1, sizeof *space);
  if (space == NULL) return packed;
  packed.batch_index = space;
  packed.length = space + batch;
  packed.active = space + 2 * batch;
  packed.first = packed.active + time;
  for (int64_t batch_index = 0; batch_index < batch; ++batch_index) {
    packed.length[batch_index] = within(lengths[batch_index], time);
    if (packed.length[batch_index] > packed.steps) packed.steps = packed.length[batch_index];
  }
  sort_by_length(&packed);
  count_rows(&packed);
  return packed;
}

void free_rows(struct packed_rows *packed) { free(packed->batch_index); }

int64_t step_of(const struct packed_rows *packed, int64_t batch_index, int64_t time_step, int backward) {
  return backward ? packed->length[batch_index] - 1 - time_step : time_step;
}
