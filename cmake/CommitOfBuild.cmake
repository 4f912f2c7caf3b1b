# cmake -D SOURCE=… -D VERSION=… -D OUTPUT=… -P CommitOfBuild.cmake
#
# Writes the C++ file that says which commit is being built, if it is another than the last time:
# then that one file is compiled, and nothing else. Without git, outside of a checkout, and at the
# tag of the release there is nothing to say beyond the version.

execute_process(COMMAND git -C ${SOURCE} describe --always --tags --match v[0-9]* --dirty
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failed)
if(failed OR commit STREQUAL "v${VERSION}" OR NOT commit MATCHES "^[A-Za-z0-9._+-]+$")
  set(commit "")
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "app/version.h"

namespace petrel::app {

std::string_view build_commit() { return "@commit@"; }

std::string version_text() {
  const std::string version(kVersion);
  return build_commit().empty() ? version : version + " (" + std::string(build_commit()) + ")";
}

}  // namespace petrel::app
]])
