// CHECK states what must be true if the program itself is right. It stays on in release builds: a
// process that has lost its footing stops, and recovery starts from the store.
//
// It is never for input, the network or the disk: those give a Result or an Outcome.

#pragma once

namespace petrel {

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace petrel

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::petrel::check_failed(__FILE__, __LINE__, #condition))
