// The numbers that Metal has vectors of.
#pragma once

#define OF_EVERY_NUMBER(DO) \
  DO(float) DO(half) DO(char) DO(uchar) DO(short) DO(ushort) DO(int) DO(uint) DO(long) DO(ulong)
