// The input and the output of one sequence, a row for each step, and each row as a matrix of Metal Performance Shaders.
//
// An LSTM of 400 steps takes 1200 matrices. They are made once, for buffers that are kept, and a sequence is copied
// there and back.
#pragma once
#import "lstm_layer.h"

@class StepRows;

// Rows for at least so many steps, from the cache or made now; nil when there is no memory. No command that uses others
// of this shape may be running.
StepRows *rows_with(NSUInteger steps, NSUInteger inputs, NSUInteger hidden, NSUInteger directions,
                    id<MTLDevice> device);

void forget_rows(void);

id<MTLBuffer> input_of(StepRows *rows);   // [steps, inputs]
id<MTLBuffer> output_of(StepRows *rows);  // [steps, directions * hidden]

// The matrices of the first steps; backward, the last of these steps comes first.
NSArray<MPSMatrix *> *sources_of(StepRows *rows, NSUInteger steps, BOOL backward);
NSArray<MPSMatrix *> *targets_of(StepRows *rows, NSUInteger steps, NSUInteger direction, BOOL backward);
