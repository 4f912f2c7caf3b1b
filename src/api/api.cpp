#include "api/api.h"

#include <string>

#include "base/json_writer.h"

namespace petrel::api {
namespace {

std::string_view code_of(int status) {
  switch (status) {
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 408:
      return "request_timeout";
    case 413:
      return "payload_too_large";
    case 431:
      return "headers_too_large";
    case 503:
      return "unavailable";
    default:
      return "bad_request";
  }
}

// Without the query, and without the slash that older client libraries end every path with.
std::string_view path_of(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

net::HttpResponse Api::error_page(int status, std::string_view detail) {
  JsonWriter json;
  json.begin_object().field("code", code_of(status)).field("detail", detail).end_object();
  net::HttpResponse response;
  response.status = status;
  response.body = json.take();
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

void Api::handle(const net::HttpRequest& request, const net::Responder& respond) const {
  if (path_of(request.target) != "/api/v1/health/ping") {
    return respond(error_page(404, "there is no such route"));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    net::HttpResponse response = error_page(405, "this route takes GET and HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return respond(response);
  }
  net::HttpResponse response;
  response.status = 204;
  respond(response);
}

}  // namespace petrel::api
