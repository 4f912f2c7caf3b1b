// How the C library's allocator gives memory back to the system. Left alone it keeps what was
// freed: after a rush the process would stay as large as it ever was.
//
// Thread: any, but keep_heap_small() before there are others.

#pragma once

#include <cstddef>

namespace petrel::app {

// Large buffers are mapped one by one and returned when they are freed, and so many threads share
// few arenas, each of which keeps holes of its own.
void keep_heap_small(std::size_t loops);

// Returns what is free within the arenas. Takes milliseconds for each 100 MiB.
void return_free_memory();

// What the process takes of the machine's memory. 0 if that cannot be found out.
std::size_t resident_bytes();

}  // namespace petrel::app
