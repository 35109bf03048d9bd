// What the bridge uses of Apple's Metal Performance Shaders, declared from their documentation, for machines without
// Apple's headers.
#pragma once
#import <Metal/Metal.h>

typedef enum : uint32_t { MPSDataTypeFloat32 = 0x10000000 | 32 } MPSDataType;

typedef enum : int32_t {
  MPSCNNNeuronTypeNone = 0,
  MPSCNNNeuronTypeSigmoid = 3,
  MPSCNNNeuronTypeTanH = 5,
} MPSCNNNeuronType;

BOOL MPSSupportsMTLDevice(id<MTLDevice> device);

@interface MPSMatrixDescriptor : NSObject
+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType;
@end

@interface MPSMatrix : NSObject
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer
                        offset:(NSUInteger)offset
                    descriptor:(MPSMatrixDescriptor *)descriptor;
@end

@interface MPSNNNeuronDescriptor : NSObject
+ (MPSNNNeuronDescriptor *)cnnNeuronDescriptorWithType:(MPSCNNNeuronType)neuronType a:(float)a b:(float)b;
@end

@interface MPSCNNConvolutionDescriptor : NSObject
@property(readwrite, nonatomic, retain) MPSNNNeuronDescriptor *fusedNeuronDescriptor;
+ (instancetype)cnnConvolutionDescriptorWithKernelWidth:(NSUInteger)kernelWidth
                                           kernelHeight:(NSUInteger)kernelHeight
                                   inputFeatureChannels:(NSUInteger)inputFeatureChannels
                                  outputFeatureChannels:(NSUInteger)outputFeatureChannels;
@end

@protocol MPSCNNConvolutionDataSource <NSCopying, NSObject>
- (MPSDataType)dataType;
- (MPSCNNConvolutionDescriptor *)descriptor;
- (void *)weights;
- (float *)biasTerms;
- (BOOL)load;
- (void)purge;
- (NSString *)label;
@end

@interface MPSRNNDescriptor : NSObject
@property(readwrite, nonatomic) BOOL useFloat32Weights;
@end

@interface MPSLSTMDescriptor : MPSRNNDescriptor
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> inputGateInputWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> inputGateRecurrentWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> forgetGateInputWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> forgetGateRecurrentWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> outputGateInputWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> outputGateRecurrentWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> cellGateInputWeights;
@property(readwrite, retain, nonatomic) id<MPSCNNConvolutionDataSource> cellGateRecurrentWeights;
@property(readwrite, nonatomic) MPSCNNNeuronType cellToOutputNeuronType;
+ (instancetype)createLSTMDescriptorWithInputFeatureChannels:(NSUInteger)inputFeatureChannels
                                       outputFeatureChannels:(NSUInteger)outputFeatureChannels;
@end

@class MPSRNNRecurrentMatrixState;

@interface MPSRNNMatrixInferenceLayer : NSObject
- (instancetype)initWithDevice:(id<MTLDevice>)device rnnDescriptor:(const MPSRNNDescriptor *)rnnDescriptor;
- (void)encodeSequenceToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                       sourceMatrices:(NSArray<MPSMatrix *> *)sourceMatrices
                  destinationMatrices:(NSArray<MPSMatrix *> *)destinationMatrices
                  recurrentInputState:(MPSRNNRecurrentMatrixState *)recurrentInputState
                recurrentOutputStates:(NSMutableArray<MPSRNNRecurrentMatrixState *> *)recurrentOutputStates;
@end
