// MetricsGate says who may read the metrics at a listener. They name endpoints of all tenants, so
// they are for operators alone: no token of the API opens them.
//
//   metrics-token is set            whoever shows it, as a bearer token
//   the listener is on loopback     everybody who gets there
//   anything else                   nobody, and the answer says which setting changes that
//
// Thread: any. Does not change once it is made.

#pragma once

#include <optional>
#include <string>

#include "net/http_message.h"

namespace petrel::api {

struct MetricsGate {
  std::string token = {};       // Empty: none.
  std::string closed_why = {};  // Empty: not closed. A sentence for whoever asks.

  // The answer for whoever may not; empty if they may.
  std::optional<net::HttpResponse> refusal(const net::HttpRequest& request) const;
};

}  // namespace petrel::api
