# test_binary(TARGET NAME name [SHARDS count] [COST seconds])
#
# One entry of ctest for a binary of GoogleTest, or one for each of its shards: an entry for every
# test costs a process and, at each link, a run of the binary that lists them. What fails is named
# by the binary's own output, which ctest shows for an entry that failed.
#
# A test that skips itself fails its entry. What it needs belongs into scripts/packages.txt.

function(test_binary target)
  cmake_parse_arguments(arg "" "NAME;SHARDS;COST" "" ${ARGN})
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_COST)
    set(arg_COST 1)
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(index RANGE ${last})
    set(entry ${arg_NAME})
    if(arg_SHARDS GREATER 1)
      math(EXPR number "${index} + 1")
      set(entry ${arg_NAME}/${number})
    endif()
    add_test(NAME ${entry} COMMAND ${target})
    set(environment GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
    if(PETREL_SANITIZE MATCHES address)
      set(leaks ${PROJECT_SOURCE_DIR}/tests/sanitizers/leaks.txt)
      list(APPEND environment LSAN_OPTIONS=print_suppressions=0:suppressions=${leaks})
    endif()
    set_tests_properties(${entry} PROPERTIES
      ENVIRONMENT "${environment}"
      FAIL_REGULAR_EXPRESSION "\\[  SKIPPED \\]"
      COST ${arg_COST}
      TIMEOUT 900)
  endforeach()
endfunction()
