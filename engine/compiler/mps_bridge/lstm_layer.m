#import "lstm_layer.h"

#include <stdlib.h>

// One gate's matrix. The activation is set with the input's weights: without one there, the gate would be linear.
@interface GateWeights : NSObject <MPSCNNConvolutionDataSource> {
  float *_weights;
  float *_bias;
  NSUInteger _inputs;
  NSUInteger _outputs;
  MPSCNNNeuronType _activation;
}
@end

@implementation GateWeights
- (instancetype)initWithWeights:(float *)weights
                           bias:(float *)bias
                         inputs:(NSUInteger)inputs
                        outputs:(NSUInteger)outputs
                     activation:(MPSCNNNeuronType)activation {
  self = [super init];
  _weights = weights;
  _bias = bias;
  _inputs = inputs;
  _outputs = outputs;
  _activation = activation;
  return self;
}
- (MPSDataType)dataType {
  return MPSDataTypeFloat32;
}
- (MPSCNNConvolutionDescriptor *)descriptor {
  MPSCNNConvolutionDescriptor *descriptor =
      [MPSCNNConvolutionDescriptor cnnConvolutionDescriptorWithKernelWidth:1
                                                              kernelHeight:1
                                                      inputFeatureChannels:_inputs
                                                     outputFeatureChannels:_outputs];
  descriptor.fusedNeuronDescriptor = [MPSNNNeuronDescriptor cnnNeuronDescriptorWithType:_activation a:1 b:1];
  return descriptor;
}
- (void *)weights {
  return _weights;
}
- (float *)biasTerms {
  return _bias;
}
- (BOOL)load {
  return YES;
}
- (void)purge {
}
- (NSString *)label {
  return nil;
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
@end

@interface LstmLayer : NSObject {
@public
  const void *_keys[3];
  uint64_t _offsets[3];
  id<MTLBuffer> _buffers[3];
  float *_values[3];  // in the order of `weights`; the layers read them in place
  MPSRNNMatrixInferenceLayer *_directions[kMostDirections];
  LstmLayer *_next;
}
@end

static LstmLayer *layers;  // all layers made so far; callers hold the lock that allows one LSTM at a time

static GateWeights *gate(float *weights, float *bias, NSUInteger inputs, NSUInteger outputs, NSUInteger index) {
  MPSCNNNeuronType activation = index == 2 ? MPSCNNNeuronTypeTanH : MPSCNNNeuronTypeSigmoid;
  return [[[GateWeights alloc] initWithWeights:weights + index * outputs * inputs
                                          bias:bias == NULL ? NULL : bias + index * outputs
                                        inputs:inputs
                                       outputs:outputs
                                    activation:bias == NULL ? MPSCNNNeuronTypeNone : activation] autorelease];
}

// A forward layer with the weights of one direction; for the backward direction the caller reverses the sequence.
static MPSRNNMatrixInferenceLayer *made(float *of_input, float *of_hidden, float *bias, NSUInteger inputs,
                                        NSUInteger hidden, id<MTLDevice> device) {
  MPSLSTMDescriptor *lstm = [MPSLSTMDescriptor createLSTMDescriptorWithInputFeatureChannels:inputs
                                                                      outputFeatureChannels:hidden];
  lstm.useFloat32Weights = YES;
  lstm.cellToOutputNeuronType = MPSCNNNeuronTypeTanH;
  lstm.inputGateInputWeights = gate(of_input, bias, inputs, hidden, 0);
  lstm.forgetGateInputWeights = gate(of_input, bias, inputs, hidden, 1);
  lstm.cellGateInputWeights = gate(of_input, bias, inputs, hidden, 2);
  lstm.outputGateInputWeights = gate(of_input, bias, inputs, hidden, 3);
  lstm.inputGateRecurrentWeights = gate(of_hidden, NULL, hidden, hidden, 0);
  lstm.forgetGateRecurrentWeights = gate(of_hidden, NULL, hidden, hidden, 1);
  lstm.cellGateRecurrentWeights = gate(of_hidden, NULL, hidden, hidden, 2);
  lstm.outputGateRecurrentWeights = gate(of_hidden, NULL, hidden, hidden, 3);
  return [[MPSRNNMatrixInferenceLayer alloc] initWithDevice:device rnnDescriptor:lstm];
}

@implementation LstmLayer
- (BOOL)isOf:(const DLTensor *const *)tensors {
  for (int part = 0; part < 3; ++part) {
    if (_keys[part] != tensors[part]->data || _offsets[part] != tensors[part]->byte_offset) return NO;
  }
  return YES;
}
- (BOOL)readFrom:(const DLTensor *const *)tensors {
  for (int part = 0; part < 3; ++part) {
    _keys[part] = tensors[part]->data;
    _offsets[part] = tensors[part]->byte_offset;
    _buffers[part] = [buffer_of(tensors[part]) retain];
    _values[part] = content_of(tensors[part]);
    if (_values[part] == NULL) return NO;
  }
  return YES;
}
- (BOOL)makeDirections:(NSUInteger)directions
                inputs:(NSUInteger)inputs
                hidden:(NSUInteger)hidden
                device:(id<MTLDevice>)device {
  for (NSUInteger direction = 0; direction < directions; ++direction) {
    NSUInteger first = direction * kGates * hidden;
    _directions[direction] =
        made(_values[0] + first * inputs, _values[1] + first * hidden, _values[2] + first, inputs, hidden, device);
    if (_directions[direction] == nil) {
      fail("Metal Performance Shaders made no LSTM");
      return NO;
    }
  }
  return YES;
}
- (void)dealloc {
  for (int direction = 0; direction < kMostDirections; ++direction) [_directions[direction] release];
  for (int part = 0; part < 3; ++part) {
    [_buffers[part] release];
    free(_values[part]);
  }
  [super dealloc];
}
@end

MPSRNNMatrixInferenceLayer *direction_of(LstmLayer *layer, NSUInteger direction) { return layer->_directions[direction]; }

LstmLayer *layer_with(struct weights weights, NSUInteger directions, id<MTLDevice> device) {
  const DLTensor *tensors[] = {weights.of_input, weights.of_hidden, weights.bias};
  for (LstmLayer *layer = layers; layer != nil; layer = layer->_next) {
    if ([layer isOf:tensors]) return layer;
  }
  NSUInteger inputs = weights.of_input->shape[1], hidden = weights.of_hidden->shape[1];
  LstmLayer *layer = [[LstmLayer alloc] init];
  if (![layer readFrom:tensors] || ![layer makeDirections:directions inputs:inputs hidden:hidden device:device]) {
    [layer release];
    return nil;
  }
  layer->_next = layers;
  layers = layer;
  return layer;
}

void forget_layers(void) {
  while (layers != nil) {
    LstmLayer *first = layers;
    layers = first->_next;
    [first release];
  }
}
