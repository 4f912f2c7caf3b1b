#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace petrel {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "petrel: CHECK failed at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace petrel
