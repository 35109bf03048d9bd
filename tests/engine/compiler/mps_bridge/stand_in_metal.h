// Foundation and Metal as far as the bridge uses them, in this computer's memory, as Apple's documentation has them.
// Objects are counted, commands run when they are waited for, and what the documentation forbids ends the process.
#pragma once
#import <Metal/Metal.h>
#include <stdatomic.h>

#define REQUIRE(condition) \
  if (!(condition)) stand_in_refuses(#condition, __FILE__, __LINE__)

void stand_in_refuses(const char *condition, const char *file, int line);

// Command buffers and matrices made so far.
extern atomic_long stand_in_command_buffers, stand_in_matrices;

// A new object of a class, whatever its own `alloc` gives.
id stand_in_allocated(Class class);

@interface StandInBuffer : NSObject <MTLBuffer> {
 @public
  char *_data;
  NSUInteger _length;
  BOOL _private;
  BOOL _owned;
}
@end

// Something to be done once the command buffer that has it is waited for.
@interface StandInCommand : NSObject
- (void)run;
@end

@interface StandInCommandBuffer : NSObject <MTLCommandBuffer> {
  NSMutableArray<StandInCommand *> *_recorded;
  BOOL _encoding, _committed, _completed;
}
// With an encoder open, and with none.
- (void)encode:(StandInCommand *)command;
- (void)add:(StandInCommand *)command;
- (void)endEncoding;
@end
