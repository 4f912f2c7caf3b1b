#include "api/http/metrics_gate.h"

#include <openssl/crypto.h>

#include "api/http/auth.h"
#include "api/http/error.h"

namespace petrel::api {
namespace {

// Takes as long whatever differs, so that nobody finds it letter by letter.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::optional<net::HttpResponse> MetricsGate::refusal(const net::HttpRequest& request) const {
  if (!closed_why.empty()) return error_page(403, closed_why);
  if (token.empty() || is_same(bearer_token(request.header("authorization")), token)) {
    return std::nullopt;
  }
  net::HttpResponse response =
      error_page(401, "the metrics want the metrics-token as a bearer token");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace petrel::api
