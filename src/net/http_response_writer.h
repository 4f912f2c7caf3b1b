// A response as it goes over the wire.
//
// Thread: any.

#pragma once

#include <string>

#include "base/time.h"
#include "net/http_message.h"

namespace petrel::net {

struct HttpResponseForm {
  bool keeps_alive = false;
  bool is_for_head = false;  // All but the body, with the length that it would have.
};

std::string http_response_text(const HttpResponse& response, HttpResponseForm form, WallTime now);

}  // namespace petrel::net
