#import "stand_in_metal.h"
#import "tvm_call.h"

#include <objc/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the software device: the bytes behind a handle.
char *software_metal_data(void *handle, size_t *bytes);

void stand_in_refuses(const char *condition, const char *file, int line) {
  fprintf(stderr, "%s:%d: the documentation wants %s\n", file, line, condition);
  abort();
}

static atomic_long live_objects;
atomic_long stand_in_command_buffers, stand_in_matrices;

long stand_in_live_objects(void) { return live_objects; }

// References are counted behind an object's own memory.
static atomic_int *references(id object) { return (atomic_int *)object_getIndexedIvars(object); }

id stand_in_allocated(Class class) {
  id object = class_createInstance(class, sizeof(atomic_int));
  *references(object) = 1;
  ++live_objects;
  return object;
}

@interface NSAutoreleasePool : NSObject {
  NSAutoreleasePool *_outer;
  id *_objects;
  NSUInteger _count;
}
- (void)add:(id)object;
@end

static _Thread_local NSAutoreleasePool *pool;

@implementation NSObject
+ (instancetype)alloc {
  return stand_in_allocated(self);
}
+ (instancetype)new {
  return [[self alloc] init];
}
- (instancetype)init {
  return self;
}
- (void)dealloc {
  --live_objects;
  object_dispose(self);
}
- (instancetype)retain {
  ++*references(self);
  return self;
}
- (oneway void)release {
  REQUIRE(*references(self) > 0);
  if (--*references(self) == 0) [self dealloc];
}
- (instancetype)autorelease {
  REQUIRE(pool != nil);
  [pool add:self];
  return self;
}
@end

@implementation NSAutoreleasePool
- (instancetype)init {
  _outer = pool;
  pool = self;
  return self;
}
- (void)add:(id)object {
  _objects = realloc(_objects, ++_count * sizeof(id));
  _objects[_count - 1] = object;
}
- (void)drain {
  [self release];
}
- (void)dealloc {
  for (NSUInteger index = 0; index < _count; ++index) [_objects[index] release];
  free(_objects);
  pool = _outer;
  [super dealloc];
}
@end

@implementation NSString
@end

@implementation NSArray
- (NSUInteger)count {
  return 0;
}
- (id)objectAtIndex:(NSUInteger)index {
  return nil;
}
@end

@interface StandInArray : NSMutableArray {
  id *_objects;
  NSUInteger _count;
}
@end

@implementation NSMutableArray
+ (instancetype)arrayWithCapacity:(NSUInteger)capacity {
  return [[StandInArray new] autorelease];
}
- (void)addObject:(id)object {
}
@end

@implementation StandInArray
- (NSUInteger)count {
  return _count;
}
- (id)objectAtIndex:(NSUInteger)index {
  REQUIRE(index < _count);
  return _objects[index];
}
- (void)addObject:(id)object {
  REQUIRE(object != nil);
  _objects = realloc(_objects, ++_count * sizeof(id));
  _objects[_count - 1] = [object retain];
}
- (void)dealloc {
  for (NSUInteger index = 0; index < _count; ++index) [_objects[index] release];
  free(_objects);
  [super dealloc];
}
@end

@interface StandInDevice : NSObject <MTLDevice>
@end

@interface StandInQueue : NSObject <MTLCommandQueue>
@end

static id<MTLDevice> the_device(void) {
  static StandInDevice *device;
  if (device == nil) device = [StandInDevice new];
  return device;
}

@implementation StandInDevice
- (id<MTLCommandQueue>)newCommandQueue {
  return [StandInQueue new];
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  REQUIRE(length > 0);
  StandInBuffer *buffer = [StandInBuffer new];
  buffer->_data = malloc(length);
  memset(buffer->_data, 0xff, length);  // NaN
  buffer->_length = length;
  buffer->_private = options == MTLResourceStorageModePrivate;
  buffer->_owned = YES;
  return buffer;
}
@end

@implementation StandInBuffer
- (id<MTLDevice>)device {
  return the_device();
}
- (NSUInteger)length {
  return _length;
}
- (void *)contents {
  REQUIRE(!_private);
  return _data;
}
- (void)dealloc {
  if (_owned) free(_data);
  [super dealloc];
}
@end

// Replaces the bridge's own function: the software device's handles are not objects.
id<MTLBuffer> buffer_of(const DLTensor *tensor) {
  StandInBuffer *buffer = [StandInBuffer new];
  size_t bytes = 0;
  buffer->_data = software_metal_data(tensor->data, &bytes);
  buffer->_length = bytes;
  buffer->_private = YES;
  return [buffer autorelease];
}

@implementation StandInQueue
- (id<MTLDevice>)device {
  return the_device();
}
- (id<MTLCommandBuffer>)commandBuffer {
  ++stand_in_command_buffers;
  return [[StandInCommandBuffer new] autorelease];
}
@end

@implementation StandInCommand
- (void)run {
}
@end

@interface StandInCopy : StandInCommand {
 @public
  StandInBuffer *_from, *_to;
  NSUInteger _start, _place, _size;
}
@end

@implementation StandInCopy
- (void)run {
  memcpy(_to->_data + _place, _from->_data + _start, _size);
}
- (void)dealloc {
  [_from release];
  [_to release];
  [super dealloc];
}
@end

@interface StandInFill : StandInCommand {
 @public
  StandInBuffer *_buffer;
  NSRange _range;
  uint8_t _value;
}
@end

@implementation StandInFill
- (void)run {
  memset(_buffer->_data + _range.location, _value, _range.length);
}
- (void)dealloc {
  [_buffer release];
  [super dealloc];
}
@end

@interface StandInEncoder : NSObject <MTLBlitCommandEncoder> {
 @public
  StandInCommandBuffer *_commands;
}
@end


@implementation StandInEncoder
- (void)copyFromBuffer:(id<MTLBuffer>)from
          sourceOffset:(NSUInteger)start
              toBuffer:(id<MTLBuffer>)to
     destinationOffset:(NSUInteger)place
                  size:(NSUInteger)size {
  REQUIRE(start % 4 == 0 && place % 4 == 0 && size % 4 == 0);
  REQUIRE(start + size <= from.length && place + size <= to.length);
  StandInCopy *copy = [[StandInCopy new] autorelease];
  copy->_from = [(StandInBuffer *)from retain];
  copy->_to = [(StandInBuffer *)to retain];
  copy->_start = start;
  copy->_place = place;
  copy->_size = size;
  [_commands encode:copy];
}
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  REQUIRE(range.location % 4 == 0 && range.length % 4 == 0 && range.length > 0);
  REQUIRE(range.location + range.length <= buffer.length);
  StandInFill *fill = [[StandInFill new] autorelease];
  fill->_buffer = [(StandInBuffer *)buffer retain];
  fill->_range = range;
  fill->_value = value;
  [_commands encode:fill];
}
- (void)endEncoding {
  [_commands endEncoding];
}
@end

@implementation StandInCommandBuffer
- (instancetype)init {
  _recorded = [[NSMutableArray arrayWithCapacity:0] retain];
  return self;
}
- (void)encode:(StandInCommand *)command {
  REQUIRE(_encoding && !_committed);
  [_recorded addObject:command];
}
- (void)add:(StandInCommand *)command {
  REQUIRE(!_encoding && !_committed);
  [_recorded addObject:command];
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  REQUIRE(!_encoding && !_committed);
  _encoding = YES;
  StandInEncoder *encoder = [[StandInEncoder new] autorelease];
  encoder->_commands = self;
  return encoder;
}
- (void)endEncoding {
  REQUIRE(_encoding);
  _encoding = NO;
}
- (void)commit {
  REQUIRE(!_encoding && !_committed);
  _committed = YES;
}
- (void)waitUntilCompleted {
  REQUIRE(_committed);
  for (NSUInteger index = 0; !_completed && index < _recorded.count; ++index) [[_recorded objectAtIndex:index] run];
  _completed = YES;
}
- (MTLCommandBufferStatus)status {
  return _completed ? MTLCommandBufferStatusCompleted : 0;
}
- (void)dealloc {
  REQUIRE(_completed);
  [_recorded release];
  [super dealloc];
}
@end
