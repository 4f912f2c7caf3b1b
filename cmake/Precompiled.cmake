# The headers that nearly every file includes, compiled once: most of a file's compile time is
# reading them. Sources still include what they use; nothing relies on this list.

set(precompiled_headers
    <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <functional> <map> <memory> <mutex>
    <optional> <set> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant>
    <vector> <fmt/format.h>)

file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")

add_library(petrel_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(petrel_precompiled PUBLIC fmt::fmt)
target_precompile_headers(petrel_precompiled PRIVATE ${precompiled_headers})

if(PETREL_TESTS)
  add_library(petrel_precompiled_test OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(petrel_precompiled_test PUBLIC fmt::fmt GTest::gtest rapidcheck)
  target_precompile_headers(petrel_precompiled_test PRIVATE ${precompiled_headers} <gtest/gtest.h>)
endif()
