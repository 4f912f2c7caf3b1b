# room(NAME SOURCES … [TESTS …] [SHARDS count] [COST seconds] [USES room…] [LIBRARIES target…])
#
# One static library and one test binary per room. USES is the room's line of the table in
# ARCHITECTURE.md: what is not listed there does not link. SHARDS and COST are for tests that take
# long; see TestBinary.cmake.

function(room name)
  cmake_parse_arguments(arg "" "SHARDS;COST" "SOURCES;TESTS;USES;LIBRARIES" ${ARGN})

  add_library(petrel_${name} STATIC ${arg_SOURCES})
  target_include_directories(petrel_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_USES PREPEND petrel_)
  target_link_libraries(petrel_${name} PUBLIC ${arg_USES} ${arg_LIBRARIES})
  target_precompile_headers(petrel_${name} REUSE_FROM petrel_precompiled)
  set_target_properties(petrel_${name} PROPERTIES UNITY_BUILD ${PETREL_UNITY})

  if(PETREL_TESTS AND arg_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test PRIVATE petrel_${name} GTest::gtest_main rapidcheck)
    target_precompile_headers(${name}_test REUSE_FROM petrel_precompiled_test)
    test_binary(${name}_test NAME ${name} SHARDS ${arg_SHARDS} COST ${arg_COST})
  endif()
endfunction()
