# room(NAME SOURCES … [TESTS …] [USES room…] [LIBRARIES target…])
#
# One static library and one test binary per room. USES is the room's line of the table in
# ARCHITECTURE.md: what is not listed there does not link.

function(room name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS;USES;LIBRARIES" ${ARGN})

  add_library(petrel_${name} STATIC ${arg_SOURCES})
  target_include_directories(petrel_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_USES PREPEND petrel_)
  target_link_libraries(petrel_${name} PUBLIC ${arg_USES} ${arg_LIBRARIES})
  target_precompile_headers(petrel_${name} REUSE_FROM petrel_precompiled)

  if(PETREL_TESTS AND arg_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test PRIVATE petrel_${name} GTest::gtest_main rapidcheck)
    target_precompile_headers(${name}_test REUSE_FROM petrel_precompiled_test)
    include(GoogleTest)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
