// The description of the API: for programs, and for people.

#include "api/call.h"
#include "api/embedded.h"
#include "api/openapi.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> openapi(Call&) {
  // The routes never change.
  static const std::string document = openapi_document(all_routes());
  return json_response(200, document);
}

Result<net::HttpResponse> page(Call&) {
  net::HttpResponse response = json_response(200, std::string(kDocsPage));
  response.content_type = "text/html; charset=utf-8";
  // It is made of itself and of the document beside it.
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; "
                                "script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'");
  return response;
}

Result<net::HttpResponse> front_door(Call&) {
  net::HttpResponse response = json_response(302, "");
  response.headers.emplace_back("Location", "/docs");
  return response;
}

}  // namespace

std::vector<Route> docs_routes() {
  constexpr std::string_view kTag = "Documentation";
  return {
      {"GET",
       "/api/v1/openapi.json",
       Scope::Open,
       at_once(openapi),
       {.id = "v1.documentation.openapi",
        .summary = "This document",
        .tag = kTag,
        .response = "OpenApiDocument"}},
      {"GET",
       "/docs",
       Scope::Open,
       at_once(page),
       {.id = "v1.documentation.page",
        .summary = "This document, for people",
        .tag = kTag,
        .media = "text/html"}},
      {"GET",
       "/",
       Scope::Open,
       at_once(front_door),
       {.id = "v1.documentation.front-door",
        .summary = "Leads to the page for people",
        .tag = kTag,
        .status = 302}},
  };
}

}  // namespace petrel::api
