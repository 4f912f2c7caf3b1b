// How many file descriptors this process may have, and has.
//
// Thread: any, but raise_descriptor_limit() before there are others.

#pragma once

#include <cstddef>

namespace petrel::app {

// Raises the soft limit to the hard one, which is what an operator means: the soft one is usually
// 1,024 for the sake of old programs. How many there may be then.
std::size_t raise_descriptor_limit();

// How many are open. 0 if that cannot be found out.
std::size_t open_descriptors();

}  // namespace petrel::app
