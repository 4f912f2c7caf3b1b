// What the control socket gives to commands on this machine: where the server is, and a token that
// is good for a few minutes, of the organisation that they name.
//
//   access             →  http://127.0.0.1:8071 eyJ…
//   access org_2gVp…   →  likewise, for that organisation
//
// Who may open the socket may read the secret that signs tokens, so nothing is given away by it.
//
// Thread: any.

#pragma once

#include <string>

#include "api/http/auth.h"
#include "base/result.h"
#include "base/time.h"

namespace petrel::app {

bool asks_for_access(const std::string& line);

// The URL and the token, with a space between. Invalid if the line names no organisation's id.
//
// REQUIRES: asks_for_access(line).
Result<std::string> grant_access(const std::string& line, const std::string& url, api::Auth auth,
                                 WallTime now);

}  // namespace petrel::app
