#import "step_rows.h"

static const NSUInteger kFewestSteps = 64;

@interface StepRows : NSObject {
@public
  NSUInteger _inputs, _hidden, _directions, _capacity;
  id<MTLBuffer> _input, _output;
  NSMutableArray<MPSMatrix *> *_sources;
  NSMutableArray<MPSMatrix *> *_targets[kMostDirections];
  StepRows *_next;
}
@end

static StepRows *kept;  // one of each shape; callers hold the lock that allows one LSTM at a time

// A matrix for each row of `columns` floats, which begins at column `first` of a buffer that is `width` floats wide.
static NSMutableArray<MPSMatrix *> *new_matrices(id<MTLBuffer> buffer, NSUInteger rows, NSUInteger width,
                                                 NSUInteger first, NSUInteger columns) {
  NSMutableArray<MPSMatrix *> *matrices = [[NSMutableArray arrayWithCapacity:rows] retain];
  MPSMatrixDescriptor *descriptor = [MPSMatrixDescriptor matrixDescriptorWithRows:1
                                                                          columns:columns
                                                                         rowBytes:columns * sizeof(float)
                                                                         dataType:MPSDataTypeFloat32];
  for (NSUInteger row = 0; row < rows; ++row) {
    MPSMatrix *matrix = [[MPSMatrix alloc] initWithBuffer:buffer
                                                   offset:(row * width + first) * sizeof(float)
                                               descriptor:descriptor];
    [matrices addObject:matrix];
    [matrix release];
  }
  return matrices;
}

static NSArray<MPSMatrix *> *in_order(NSArray<MPSMatrix *> *matrices, NSUInteger steps, BOOL backward) {
  NSMutableArray<MPSMatrix *> *chosen = [NSMutableArray arrayWithCapacity:steps];
  for (NSUInteger step = 0; step < steps; ++step) {
    [chosen addObject:[matrices objectAtIndex:backward ? steps - 1 - step : step]];
  }
  return chosen;
}

@implementation StepRows
- (void)makeFor:(NSUInteger)steps device:(id<MTLDevice>)device {
  NSUInteger width = _directions * _hidden, rows = kFewestSteps;
  while (rows < steps) rows *= 2;
  _input = [device newBufferWithLength:rows * _inputs * sizeof(float) options:MTLResourceStorageModePrivate];
  _output = [device newBufferWithLength:rows * width * sizeof(float) options:MTLResourceStorageModePrivate];
  if (_input == nil || _output == nil) return;
  _sources = new_matrices(_input, rows, _inputs, 0, _inputs);
  for (NSUInteger direction = 0; direction < _directions; ++direction) {
    _targets[direction] = new_matrices(_output, rows, width, direction * _hidden, _hidden);
  }
  _capacity = rows;
}
- (void)drop {
  [_input release];
  [_output release];
  [_sources release];
  _input = _output = nil;
  _sources = nil;
  for (NSUInteger direction = 0; direction < _directions; ++direction) {
    [_targets[direction] release];
    _targets[direction] = nil;
  }
  _capacity = 0;
}
- (void)dealloc {
  [self drop];
  [super dealloc];
}
@end

static StepRows *kept_rows(NSUInteger inputs, NSUInteger hidden, NSUInteger directions) {
  for (StepRows *rows = kept; rows != nil; rows = rows->_next) {
    if (rows->_inputs == inputs && rows->_hidden == hidden && rows->_directions == directions) return rows;
  }
  StepRows *rows = [[StepRows alloc] init];
  rows->_inputs = inputs;
  rows->_hidden = hidden;
  rows->_directions = directions;
  rows->_next = kept;
  kept = rows;
  return rows;
}

StepRows *rows_with(NSUInteger steps, NSUInteger inputs, NSUInteger hidden, NSUInteger directions,
                    id<MTLDevice> device) {
  StepRows *rows = kept_rows(inputs, hidden, directions);
  if (rows->_capacity < steps) {
    [rows drop];
    [rows makeFor:steps device:device];
  }
  return rows->_capacity < steps ? nil : rows;
}

void forget_rows(void) {
  while (kept != nil) {
    StepRows *first = kept;
    kept = first->_next;
    [first release];
  }
}

id<MTLBuffer> input_of(StepRows *rows) { return rows->_input; }

id<MTLBuffer> output_of(StepRows *rows) { return rows->_output; }

NSArray<MPSMatrix *> *sources_of(StepRows *rows, NSUInteger steps, BOOL backward) {
  return in_order(rows->_sources, steps, backward);
}

NSArray<MPSMatrix *> *targets_of(StepRows *rows, NSUInteger steps, NSUInteger direction, BOOL backward) {
  return in_order(rows->_targets[direction], steps, backward);
}
