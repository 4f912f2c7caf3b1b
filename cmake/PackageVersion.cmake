# Read by cpack: the version of the package, in an order that dpkg understands.
#
#   0.1.0                           at the tag v0.1.0
#   0.1.0+7.g56feb0e                seven commits after it
#   0.1.0~20260301120000.56feb0e    before it, by the time of the commit
#
# Without git it is the project's version. CPACK_PETREL_FIXED_VERSION says it for a test.

if(CPACK_PETREL_FIXED_VERSION)
  set(CPACK_PACKAGE_VERSION ${CPACK_PETREL_FIXED_VERSION})
  return()
endif()
set(CPACK_PACKAGE_VERSION ${CPACK_PETREL_RELEASE})
set(git git -C ${CPACK_PETREL_SOURCE})
set(asked OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND ${git} describe --tags --long --match v${CPACK_PETREL_RELEASE}
                OUTPUT_VARIABLE described ${asked})
if(described MATCHES "-([0-9]+)-(g[0-9a-f]+)$")
  if(CMAKE_MATCH_1 GREATER 0)
    string(APPEND CPACK_PACKAGE_VERSION "+${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
  endif()
else()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC
                          ${git} log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd.%h
                  OUTPUT_VARIABLE commit ${asked})
  if(commit MATCHES "^[0-9]+\\.[0-9a-f]+$")
    string(APPEND CPACK_PACKAGE_VERSION "~${commit}")
  endif()
endif()
