#include "api/http/openapi.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/embedded/embedded.h"
#include "base/json_writer.h"

namespace petrel::api {
namespace {

std::string lower(std::string_view method) {
  std::string text(method);
  for (char& c : text) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string_view> path_parameters_of(std::string_view pattern) {
  std::vector<std::string_view> names;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos;
       at = pattern.find('{', at + 1)) {
    names.push_back(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
  }
  return names;
}

void write_ref(std::string_view section, std::string_view name, JsonWriter& json) {
  json.begin_object();
  json.field("$ref", fmt::format("#/components/{}/{}", section, name));
  json.end_object();
}

void write_content(std::string_view media, std::string_view schema, JsonWriter& json) {
  json.key("content").begin_object().key(media).begin_object();
  json.key("schema");
  if (schema.empty()) {
    json.begin_object().field("type", "string").end_object();
  } else {
    write_ref("schemas", schema, json);
  }
  json.end_object().end_object();
}

void write_parameters(const Route& route, JsonWriter& json) {
  json.key("parameters").begin_array();
  for (const std::string_view name : path_parameters_of(route.pattern)) {
    json.begin_object().field("name", name).field("in", "path").field("required", true);
    json.key("schema").begin_object().field("type", "string").end_object().end_object();
  }
  for (const std::string_view name : words_of(route.about.shape.query)) {
    write_ref("parameters", name, json);
  }
  json.end_array();
}

std::string_view words_for(int status) {
  switch (status) {
    case 201:
      return "Made";
    case 202:
      return "Taken on";
    case 204:
      return "Done; no body";
    case 302:
      return "Look there";
    default:
      return "Fine";
  }
}

void write_error(std::string_view status, std::string_view words, std::string_view schema,
                 JsonWriter& json) {
  json.key(status).begin_object().field("description", words);
  write_content("application/json", schema, json);
  json.end_object();
}

void write_responses(const Route& route, JsonWriter& json) {
  const Operation& about = route.about;
  json.key("responses").begin_object();
  json.key(fmt::format("{}", about.shape.status)).begin_object();
  json.field("description", words_for(about.shape.status));
  const bool is_json = about.shape.media == "application/json";
  if (!about.shape.response.empty() || !is_json)
    write_content(about.shape.media, about.shape.response, json);
  json.end_object();
  if (is_json) {
    write_error("422", "The request is wrong; `loc` says where", "HTTPValidationError", json);
    write_error("default", "Something else is wrong; `code` says what", "HttpErrorOut", json);
  }
  json.end_object();
}

std::string_view words_for(Access::Scope scope) {
  using Scope = Access::Scope;
  switch (scope) {
    case Scope::Open:
      return "Needs no token.";
    case Scope::Application:
      return "For a token of the organisation, or of the application itself.";
    case Scope::Organisation:
    case Scope::NewApplication:
      return "For a token of the organisation.";
  }
  return "";
}

void write_operation(const Route& route, JsonWriter& json) {
  const Operation& about = route.about;
  json.key(lower(route.method)).begin_object();
  json.field("operationId", about.id).field("summary", about.summary);
  json.field("description", words_for(route.access.scope()));
  json.key("tags").begin_array().value(about.tag).end_array();
  write_parameters(route, json);
  if (!about.shape.request.empty()) {
    json.key("requestBody").begin_object().field("required", true);
    write_content("application/json", about.shape.request, json);
    json.end_object();
  }
  write_responses(route, json);
  if (route.access.scope() == Access::Scope::Open) json.key("security").begin_array().end_array();
  json.end_object();
}

}  // namespace

std::string openapi_document(std::span<const Route> routes) {
  // In the order of the table, which is that of the nouns.
  std::vector<std::pair<std::string_view, std::vector<const Route*>>> by_path;
  for (const Route& route : routes) {
    auto place = std::find_if(by_path.begin(), by_path.end(),
                              [&](const auto& each) { return each.first == route.pattern; });
    if (place == by_path.end()) place = by_path.insert(by_path.end(), {route.pattern, {}});
    place->second.push_back(&route);
  }

  JsonWriter json;
  json.begin_object().field("openapi", "3.1.0");
  json.key("info").begin_object().field("title", "Petrel").field("version", kServerVersion);
  json.field("description",
             "Webhooks delivered: accepted once they are on disk, sent until they "
             "arrive or are given up, and never lost in between.");
  json.end_object();
  json.key("servers").begin_array().begin_object().field("url", "/").end_object().end_array();
  json.key("security").begin_array().begin_object();
  json.key("HTTPBearer").begin_array().end_array().end_object().end_array();
  json.key("paths").begin_object();
  for (const auto& [path, operations] : by_path) {
    json.key(path).begin_object();
    for (const Route* route : operations) write_operation(*route, json);
    json.end_object();
  }
  json.end_object();
  json.key("components").raw(kOpenApiComponents);
  json.end_object();
  return json.take();
}

}  // namespace petrel::api
