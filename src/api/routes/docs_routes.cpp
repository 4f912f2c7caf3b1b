// The description of the API: for programs, and for people.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <openssl/evp.h>

#include "api/embedded/embedded.h"
#include "api/http/call.h"
#include "api/http/openapi.h"
#include "api/http/route_table.h"
#include "api/routes/routes.h"
#include "base/base64.h"
#include "base/check.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> openapi(Call&) {
  // The routes never change.
  static const std::string document = openapi_document(all_routes());
  net::HttpResponse response = json_response(200, document);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

// How a policy names what stands between two tags of the page: by its hash.
std::string source_of(std::string_view begin, std::string_view end) {
  const std::size_t from = kDocsPage.find(begin) + begin.size();
  const std::string_view text = kDocsPage.substr(from, kDocsPage.find(end, from) - from);
  std::array<std::uint8_t, 32> hash{};
  std::size_t size = 0;
  // Ours: what is hashed is a part of the program.
  CHECK(EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), hash.data(), &size) ==
        1);
  return "'sha256-" + to_base64(hash) + "'";
}

Result<net::HttpResponse> page(Call&) {
  net::HttpResponse response = json_response(200, std::string(kDocsPage));
  response.content_type = "text/html; charset=utf-8";
  // It is made of itself and of the document beside it, and nothing that gets into it can run.
  static const std::string policy =
      "default-src 'none'; style-src " + source_of("<style>", "</style>") + "; script-src " +
      source_of("<script>", "</script>") +
      "; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  response.headers.emplace_back("Content-Security-Policy", policy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace

std::vector<Route> docs_routes() {
  RouteTable table("Documentation");
  table.add("GET", "/api/v1/openapi.json", {kOpen, sync_route(openapi)},
            {"v1.documentation.openapi", "This document"}, {.response = "OpenApiDocument"});
  table.add("GET", "/docs", {kOpen, sync_route(page)},
            {"v1.documentation.page", "This document, for people"}, {.media = "text/html"});
  return table.take();
}

}  // namespace petrel::api
