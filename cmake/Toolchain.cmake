# Flags that hold for every target: warnings, sanitizers, coverage, ccache.

find_program(CCACHE ccache)
if(CCACHE)
  # Without these words ccache passes by everything that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# Line tables and function names: enough for a stack trace, and a quarter less to compile.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fpch-preprocess)  # Lets ccache see through precompiled headers.
  # From a precompiled header g++ 12 reports what its own std::string looks like to the optimiser:
  # false alarms, which it keeps to itself otherwise.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(PETREL_WERROR)
  add_compile_options(-Werror)
endif()

if(PETREL_SANITIZE)
  add_compile_options(-fsanitize=${PETREL_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PETREL_SANITIZE})
  if(PETREL_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)
  endif()
endif()

if(PETREL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "PETREL_FUZZ needs clang: use the preset `asan`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(PETREL_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
