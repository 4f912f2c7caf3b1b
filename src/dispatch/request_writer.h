// RequestWriter writes the requests of one endpoint: everything that stays the same is made once,
// and each attempt adds its id, its time and its signatures.
//
//   POST /hook HTTP/1.1
//   host: example.com
//   user-agent: Petrel/0.1.0
//   content-type: application/json   or the message's own
//   content-length: 17
//   webhook-id: msg_2gVp…            and the same three as svix-…
//   webhook-timestamp: 1700000000
//   webhook-signature: v1,K5oZ…
//   x-own: value                     the endpoint's own headers
//
// The endpoint's headers can add, but never replace or break out of their line: one that
// check_custom_header() objects to is left out.
//
// Thread: confined. A writer is for the endpoint as it was: make a new one when it changes.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "base/url.h"
#include "dispatch/tls_material.h"
#include "model/endpoint.h"
#include "signature/signer.h"

namespace petrel::dispatch {

using EndpointPtr = model::EndpointPtr;

class RequestWriter {
 public:
  // Fails with Invalid, at `url`, if the endpoint's URL cannot be used.
  static Result<RequestWriter> make(EndpointPtr endpoint, std::string_view user_agent);

  const EndpointPtr& endpoint() const { return endpoint_; }
  const Url& url() const { return url_; }

  // What the endpoint brings for its TLS; nothing if it goes without TLS.
  const TlsMaterial& tls() const { return tls_; }

  // Scheme, host, port and TLS material: what connections and sessions may be shared by.
  const std::string& pool_key() const { return pool_key_; }

  // Appends the head of the request, up to and with the empty line; the body comes right after it.
  // Signs with the secrets that are valid at `at`. An empty content type is application/json.
  void write_head(const MessageId& message, WallTime at, std::string_view body,
                  std::string_view content_type, std::string& out);

 private:
  RequestWriter(EndpointPtr endpoint, Url url, std::string_view user_agent);

  signature::Signer& signer_at(WallTime at);

  EndpointPtr endpoint_;
  Url url_;
  TlsMaterial tls_;
  std::string pool_key_;
  std::string beginning_;
  std::string own_headers_;
  std::optional<signature::Signer> signer_;
  WallTime signer_from_{};
  std::optional<WallTime> signer_until_;
};

}  // namespace petrel::dispatch
