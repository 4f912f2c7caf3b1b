#include "api/http/error.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_writer.h"

namespace petrel::api {
namespace {

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Invalid:
      return 422;
    case ErrorKind::NotFound:
      return 404;
    case ErrorKind::Conflict:
      return 409;
    case ErrorKind::Unavailable:
      return 503;
    case ErrorKind::Corrupt:
      return 500;
  }
  return 500;
}

// The words that client libraries know; the space in the one for 403 is theirs.
constexpr std::array<std::pair<int, std::string_view>, 14> kCodes = {{
    {401, "authentication_failed"},
    {403, "insufficient access"},
    {404, "not_found"},
    {405, "method_not_allowed"},
    {408, "request_timeout"},
    {409, "conflict"},
    {413, "payload_too_large"},
    {414, "uri_too_long"},
    {417, "expectation_failed"},
    {429, "rate_limited"},
    {431, "headers_too_large"},
    {500, "internal_error"},
    {503, "unavailable"},
    {505, "version_not_supported"},
}};

std::string_view code_of(int status) {
  for (const auto& [known, code] : kCodes) {
    if (known == status) return code;
  }
  return "bad_request";
}

// What is Unavailable for reasons of our own. All else is what the store or the system says.
constexpr std::array<std::string_view, 8> kOwnReasons = {
    "the application is not there yet; try again",
    "the delivery keeps changing; try again",
    "too much is being taken in at the moment; try again shortly",
    "too many answers wait to be read; read them, and try again",
    "too many changes of the same thing wait; try again",
    "too many messages wait to be written; try again in a moment",
    "too many reads are under way; try again in a moment",
    "too many tasks are under way; try again later",
};

// "body.rules[2].on" as ["body", "rules", "[2]", "on"].
void write_location(std::string_view field, JsonWriter& json) {
  json.begin_array();
  while (!field.empty()) {
    std::size_t end = field.find_first_of(".[", 1);
    if (end == std::string_view::npos) end = field.size();
    json.value(field.substr(0, end));
    if (end < field.size() && field[end] == '.') ++end;
    field.remove_prefix(end);
  }
  json.end_array();
}

std::string_view type_of(const Error& error) {
  const bool is_about_all = error.field.empty() || error.field == "body";
  return is_about_all ? "value_error.jsondecode" : "value_error";
}

}  // namespace

net::HttpResponse typed_page(const Error& error, std::string_view type) {
  JsonWriter json;
  json.begin_object().key("detail").begin_array().begin_object().key("loc");
  write_location(error.field.empty() ? "body" : error.field, json);
  json.field("msg", error.detail);
  json.field("type", type);
  json.end_object().end_array().end_object();
  net::HttpResponse response;
  response.status = status_of(ErrorKind::Invalid);
  response.body = json.take();
  return response;
}

net::HttpResponse error_page(int status, std::string_view detail) {
  return coded_page(status, code_of(status), detail);
}

net::HttpResponse coded_page(int status, std::string_view code, std::string_view detail) {
  JsonWriter json;
  json.begin_object().field("code", code).field("detail", detail).end_object();
  net::HttpResponse response;
  response.status = status;
  response.body = json.take();
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

bool is_for_callers(const Error& error) {
  if (error.kind == ErrorKind::Corrupt) return false;
  if (error.kind != ErrorKind::Unavailable) return true;
  return std::find(kOwnReasons.begin(), kOwnReasons.end(), error.detail) != kOwnReasons.end();
}

net::HttpResponse error_response(const Error& error) {
  if (error.kind == ErrorKind::Invalid) return typed_page(error, type_of(error));
  if (error.kind == ErrorKind::Corrupt) return error_page(500, "what is stored cannot be read");
  if (!is_for_callers(error)) {
    return error_page(status_of(error.kind),
                      "the store cannot do this now; try again in a moment, with the same "
                      "idempotency key if this was a POST");
  }
  return error_page(status_of(error.kind), error.detail);
}

}  // namespace petrel::api
