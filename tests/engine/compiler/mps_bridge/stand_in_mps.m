// The recurrent layer of Metal Performance Shaders on the processor, as Apple's documentation describes it: a gate's
// activation comes with the weights of its input and is none unless asked for, weights are halves unless asked for,
// a sequence may not gain or lose rows, and a matrix must lie within its buffer. Asked by the environment, it behaves as
// Apple's does on some systems: it ends the process at its nth call or at the first of another length, or is slow.
#import <MetalPerformanceShaders/MetalPerformanceShaders.h>
#include <math.h>
#include <objc/runtime.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#import "stand_in_metal.h"

enum { kGates = 4 };

BOOL MPSSupportsMTLDevice(id<MTLDevice> device) { return YES; }

@interface StandInDescriptor : MPSMatrixDescriptor {
 @public
  NSUInteger _rows, _columns, _rowBytes;
}
@end

@implementation MPSMatrixDescriptor
+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType {
  REQUIRE(dataType == MPSDataTypeFloat32 && rows > 0 && columns > 0);
  REQUIRE(rowBytes % sizeof(float) == 0 && rowBytes >= columns * sizeof(float));
  StandInDescriptor *descriptor = [[StandInDescriptor new] autorelease];
  descriptor->_rows = rows;
  descriptor->_columns = columns;
  descriptor->_rowBytes = rowBytes;
  return descriptor;
}
@end

@implementation StandInDescriptor
@end

@interface StandInMatrix : MPSMatrix {
 @public
  StandInBuffer *_buffer;
  NSUInteger _offset, _rows, _columns, _rowBytes;
}
@end

@implementation MPSMatrix
+ (instancetype)alloc {
  return stand_in_allocated(objc_getClass("StandInMatrix"));
}
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer
                        offset:(NSUInteger)offset
                    descriptor:(MPSMatrixDescriptor *)descriptor {
  return nil;
}
@end

@implementation StandInMatrix
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer
                        offset:(NSUInteger)offset
                    descriptor:(MPSMatrixDescriptor *)descriptor {
  StandInDescriptor *shape = (StandInDescriptor *)descriptor;
  REQUIRE(offset % sizeof(float) == 0 && offset + shape->_rows * shape->_rowBytes <= buffer.length);
  _buffer = [(StandInBuffer *)buffer retain];
  _offset = offset;
  _rows = shape->_rows;
  _columns = shape->_columns;
  _rowBytes = shape->_rowBytes;
  ++stand_in_matrices;
  return self;
}
- (float *)row:(NSUInteger)row {
  return (float *)(_buffer->_data + _offset + row * _rowBytes);
}
- (void)dealloc {
  [_buffer release];
  [super dealloc];
}
@end

@interface StandInNeuron : MPSNNNeuronDescriptor {
 @public
  MPSCNNNeuronType _type;
  float _a, _b;
}
@end

@implementation MPSNNNeuronDescriptor
+ (MPSNNNeuronDescriptor *)cnnNeuronDescriptorWithType:(MPSCNNNeuronType)type a:(float)a b:(float)b {
  StandInNeuron *neuron = [[StandInNeuron new] autorelease];
  neuron->_type = type;
  neuron->_a = a;
  neuron->_b = b;
  return neuron;
}
@end

@implementation StandInNeuron
@end

@interface StandInConvolution : MPSCNNConvolutionDescriptor {
 @public
  NSUInteger _inputs, _outputs;
  StandInNeuron *_neuron;
}
@end

@implementation MPSCNNConvolutionDescriptor
@dynamic fusedNeuronDescriptor;
+ (instancetype)cnnConvolutionDescriptorWithKernelWidth:(NSUInteger)width
                                           kernelHeight:(NSUInteger)height
                                   inputFeatureChannels:(NSUInteger)inputs
                                  outputFeatureChannels:(NSUInteger)outputs {
  REQUIRE(width == 1 && height == 1);
  StandInConvolution *descriptor = [[StandInConvolution new] autorelease];
  descriptor->_inputs = inputs;
  descriptor->_outputs = outputs;
  return descriptor;
}
@end

@implementation StandInConvolution
- (MPSNNNeuronDescriptor *)fusedNeuronDescriptor {
  return _neuron;
}
- (void)setFusedNeuronDescriptor:(MPSNNNeuronDescriptor *)neuron {
  [neuron retain];
  [_neuron release];
  _neuron = (StandInNeuron *)neuron;
}
- (void)dealloc {
  [_neuron release];
  [super dealloc];
}
@end

typedef id<MPSCNNConvolutionDataSource> Source;

@interface StandInLstm : MPSLSTMDescriptor {
 @public
  NSUInteger _inputs, _outputs;
  BOOL _singles;
  MPSCNNNeuronType _last;
  Source _ofInput[kGates], _ofHidden[kGates];
}
@end

@implementation MPSRNNDescriptor
@dynamic useFloat32Weights;
@end

@implementation MPSLSTMDescriptor
@dynamic inputGateInputWeights, inputGateRecurrentWeights, forgetGateInputWeights, forgetGateRecurrentWeights;
@dynamic outputGateInputWeights, outputGateRecurrentWeights, cellGateInputWeights, cellGateRecurrentWeights;
@dynamic cellToOutputNeuronType;
+ (instancetype)createLSTMDescriptorWithInputFeatureChannels:(NSUInteger)inputs
                                       outputFeatureChannels:(NSUInteger)outputs {
  StandInLstm *lstm = [[StandInLstm new] autorelease];
  lstm->_inputs = inputs;
  lstm->_outputs = outputs;
  lstm->_last = MPSCNNNeuronTypeTanH;
  return lstm;
}
@end

#define SETTER(name, place)         \
  -(void)set##name : (Source)source { \
    [source retain];                \
    [place release];                \
    place = source;                 \
  }

@implementation StandInLstm
SETTER(InputGateInputWeights, _ofInput[0])
SETTER(ForgetGateInputWeights, _ofInput[1])
SETTER(CellGateInputWeights, _ofInput[2])
SETTER(OutputGateInputWeights, _ofInput[3])
SETTER(InputGateRecurrentWeights, _ofHidden[0])
SETTER(ForgetGateRecurrentWeights, _ofHidden[1])
SETTER(CellGateRecurrentWeights, _ofHidden[2])
SETTER(OutputGateRecurrentWeights, _ofHidden[3])
- (void)setUseFloat32Weights:(BOOL)singles {
  _singles = singles;
}
- (void)setCellToOutputNeuronType:(MPSCNNNeuronType)type {
  _last = type;
}
- (void)dealloc {
  for (int gate = 0; gate < kGates; ++gate) {
    [_ofInput[gate] release];
    [_ofHidden[gate] release];
  }
  [super dealloc];
}
@end

struct gate {
  float *of_input, *of_hidden, *bias;
  MPSCNNNeuronType activation;
};

@interface StandInLayer : MPSRNNMatrixInferenceLayer {
 @public
  NSUInteger _inputs, _outputs;
  MPSCNNNeuronType _last;
  struct gate _gates[kGates];
}
- (void)step:(const float *)x hidden:(float *)hidden cell:(float *)cell;
@end

static float activated(MPSCNNNeuronType type, float value) {
  if (type == MPSCNNNeuronTypeSigmoid) return 1 / (1 + expf(-value));
  return type == MPSCNNNeuronTypeTanH ? tanhf(value) : value;
}

// A copy of a source's weights, which it may drop afterwards; coarse unless singles were asked for.
static float *copied(Source source, NSUInteger inputs, NSUInteger outputs, BOOL singles) {
  StandInConvolution *shape = (StandInConvolution *)[source descriptor];
  REQUIRE(shape->_inputs == inputs && shape->_outputs == outputs && [source dataType] == MPSDataTypeFloat32);
  const float *weights = [source weights];
  float *copy = malloc(inputs * outputs * sizeof *copy);
  for (NSUInteger index = 0; index < inputs * outputs; ++index) {
    copy[index] = singles ? weights[index] : (float)(short)(weights[index] * 1024) / 1024;
  }
  return copy;
}

@implementation MPSRNNMatrixInferenceLayer
+ (instancetype)alloc {
  return stand_in_allocated(objc_getClass("StandInLayer"));
}
- (instancetype)initWithDevice:(id<MTLDevice>)device rnnDescriptor:(const MPSRNNDescriptor *)descriptor {
  return nil;
}
- (void)encodeSequenceToCommandBuffer:(id<MTLCommandBuffer>)commands
                       sourceMatrices:(NSArray<MPSMatrix *> *)sources
                  destinationMatrices:(NSArray<MPSMatrix *> *)targets
                  recurrentInputState:(MPSRNNRecurrentMatrixState *)before
                recurrentOutputStates:(NSMutableArray<MPSRNNRecurrentMatrixState *> *)after {
}
@end

@interface StandInSequence : StandInCommand {
 @public
  StandInLayer *_layer;
  NSArray<MPSMatrix *> *_sources, *_targets;
}
@end

@implementation StandInSequence
- (void)run {
  NSUInteger outputs = _layer->_outputs, sequences = ((StandInMatrix *)[_sources objectAtIndex:0])->_rows;
  float *hidden = calloc(2 * sequences * outputs, sizeof *hidden), *cell = hidden + sequences * outputs;
  for (NSUInteger step = 0; step < _sources.count; ++step) {
    StandInMatrix *source = (StandInMatrix *)[_sources objectAtIndex:step];
    StandInMatrix *target = (StandInMatrix *)[_targets objectAtIndex:step];
    for (NSUInteger row = 0; row < source->_rows; ++row) {
      [_layer step:[source row:row] hidden:hidden + row * outputs cell:cell + row * outputs];
      memcpy([target row:row], hidden + row * outputs, outputs * sizeof *hidden);
    }
  }
  free(hidden);
}
- (void)dealloc {
  [_layer release];
  [_sources release];
  [_targets release];
  [super dealloc];
}
@end

static long asked(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? 0 : atol(value);
}

static void misbehave(NSUInteger steps) {
  static NSUInteger calls, first_steps;
  if (++calls == 1) first_steps = steps;
  if (calls == (NSUInteger)asked("STAND_IN_ABORTS_AT_CALL")) abort();
  if (asked("STAND_IN_ABORTS_AT_OTHER_LENGTH") && steps != first_steps) abort();
  usleep(1000 * asked("STAND_IN_TAKES_MS"));
}

@implementation StandInLayer
- (instancetype)initWithDevice:(id<MTLDevice>)device rnnDescriptor:(const MPSRNNDescriptor *)descriptor {
  StandInLstm *lstm = (StandInLstm *)descriptor;
  _inputs = lstm->_inputs;
  _outputs = lstm->_outputs;
  _last = lstm->_last;
  for (int gate = 0; gate < kGates; ++gate) {
    Source of_input = lstm->_ofInput[gate], of_hidden = lstm->_ofHidden[gate];
    REQUIRE([of_input load] && [of_hidden load]);
    StandInNeuron *neuron = (StandInNeuron *)((StandInConvolution *)[of_input descriptor])->_neuron;
    _gates[gate].of_input = copied(of_input, _inputs, _outputs, lstm->_singles);
    _gates[gate].of_hidden = copied(of_hidden, _outputs, _outputs, lstm->_singles);
    _gates[gate].bias = calloc(_outputs, sizeof(float));
    if ([of_input biasTerms] != NULL) memcpy(_gates[gate].bias, [of_input biasTerms], _outputs * sizeof(float));
    _gates[gate].activation = neuron == nil ? MPSCNNNeuronTypeNone : neuron->_type;
    REQUIRE(neuron == nil || (neuron->_a == 1 && neuron->_b == 1));
    [of_input purge];
    [of_hidden purge];
  }
  return self;
}
- (void)step:(const float *)x hidden:(float *)hidden cell:(float *)cell {
  float *sums = malloc(kGates * _outputs * sizeof *sums);
  for (NSUInteger place = 0; place < kGates * _outputs; ++place) {
    const struct gate *gate = &_gates[place / _outputs];
    NSUInteger unit = place % _outputs;
    float sum = gate->bias[unit];
    for (NSUInteger input = 0; input < _inputs; ++input) sum += gate->of_input[unit * _inputs + input] * x[input];
    for (NSUInteger input = 0; input < _outputs; ++input) {
      sum += gate->of_hidden[unit * _outputs + input] * hidden[input];
    }
    sums[place] = activated(gate->activation, sum);
  }
  for (NSUInteger unit = 0; unit < _outputs; ++unit) {
    cell[unit] = sums[_outputs + unit] * cell[unit] + sums[unit] * sums[2 * _outputs + unit];
    hidden[unit] = sums[3 * _outputs + unit] * activated(_last, cell[unit]);
  }
  free(sums);
}
- (void)encodeSequenceToCommandBuffer:(id<MTLCommandBuffer>)commands
                       sourceMatrices:(NSArray<MPSMatrix *> *)sources
                  destinationMatrices:(NSArray<MPSMatrix *> *)targets
                  recurrentInputState:(MPSRNNRecurrentMatrixState *)before
                recurrentOutputStates:(NSMutableArray<MPSRNNRecurrentMatrixState *> *)after {
  misbehave(sources.count);
  REQUIRE(sources.count > 0 && sources.count == targets.count);
  for (NSUInteger step = 0; step < sources.count; ++step) {
    StandInMatrix *source = (StandInMatrix *)[sources objectAtIndex:step];
    StandInMatrix *target = (StandInMatrix *)[targets objectAtIndex:step];
    REQUIRE(source->_columns == _inputs && target->_columns == _outputs && source->_rows == target->_rows);
    REQUIRE(step == 0 || source->_rows == ((StandInMatrix *)[sources objectAtIndex:step - 1])->_rows);
    REQUIRE(source->_buffer->_data != target->_buffer->_data);
  }
  StandInSequence *sequence = [[StandInSequence new] autorelease];
  sequence->_layer = [self retain];
  sequence->_sources = [sources retain];
  sequence->_targets = [targets retain];
  [(StandInCommandBuffer *)commands add:sequence];
}
- (void)dealloc {
  for (int gate = 0; gate < kGates; ++gate) {
    free(_gates[gate].of_input);
    free(_gates[gate].of_hidden);
    free(_gates[gate].bias);
  }
  [super dealloc];
}
@end
