// The head of a response as it goes over the wire.
//
// Thread: any.

#pragma once

#include <string>

#include "base/time.h"
#include "net/http_message.h"

namespace petrel::net {

struct HttpResponseForm {
  bool keeps_alive = false;
};

bool may_have_body(int status);

// All but the body, which follows unless it was a HEAD that is answered, or the status has none.
std::string http_response_head(const HttpResponse& response, HttpResponseForm form, WallTime now);

}  // namespace petrel::net
