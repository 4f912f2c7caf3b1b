#include "api/json/endpoint.h"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "api/json/header_rules.h"
#include "api/json/settings.h"
#include "api/json/tls_material.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "base/url.h"
#include "intake/names.h"

namespace petrel::api {
namespace {

using Texts = std::vector<std::string>;

constexpr TextReading kReadDescription{.bytes_min = 0, .bytes_max = 4096};
constexpr IntegerReading kReadVersion{1, 65'535};

Result<std::string> read_url(const JsonValue& value) {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "a URL as a string");
  ASSIGN_OR_RETURN(const Url url, Url::parse(*text));
  return url.text();
}

Result<std::string> read_uid(const JsonValue& value) {
  Result<std::string> uid = TextReading{}(value);
  if (!uid.ok()) return uid;
  TRY(intake::check_uid(*uid, EndpointId::kPrefix));
  return uid;
}

// They are sets: each name counts once.
Texts without_doubles(const Texts& texts) {
  std::set<std::string_view> seen;
  Texts result;
  for (const std::string& text : texts) {
    if (seen.insert(text).second) result.push_back(text);
  }
  return result;
}

Result<Texts> read_event_types(const JsonValue& value) {
  ASSIGN_OR_RETURN(const Texts names, read_texts(value));
  if (names.empty()) return invalid("", "must be null, for all event types, or name at least one");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Status status = intake::check_event_type(names[i]);
    if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
  }
  return without_doubles(names);
}

Result<Texts> read_channels(const JsonValue& value) {
  ASSIGN_OR_RETURN(const Texts channels, read_texts(value));
  TRY(intake::check_channels(channels));
  return without_doubles(channels);
}

Result<std::string> read_pem(const JsonValue& value, Status (*check)(const std::string&)) {
  const std::string* text = value.as_string();
  if (text == nullptr) return wrong_kind(value, "PEM as a string");
  TRY(check(*text));
  return *text;
}

Result<std::string> read_certificates(const JsonValue& value) {
  return read_pem(value, check_certificates);
}

Result<std::string> read_private_key(const JsonValue& value) {
  return read_pem(value, check_private_key);
}

Status take_tls(const Fields& fields, model::Endpoint& endpoint) {
  TRY(first_error({
      take_or_clear(fields, "caCertificate", endpoint.ca_pem, read_certificates),
      take_or_clear(fields, "clientCertificate", endpoint.client_certificate_pem,
                    read_certificates),
      take_or_clear(fields, "clientKey", endpoint.client_key_pem, read_private_key),
  }));
  const std::string& certificate = endpoint.client_certificate_pem;
  const std::string& key = endpoint.client_key_pem;
  if (certificate.empty() && !key.empty()) {
    return invalid("clientCertificate", "is missing: there is a clientKey");
  }
  if (!certificate.empty() && key.empty()) {
    return invalid("clientKey", "is missing: there is a clientCertificate");
  }
  if (!key.empty() && !is_key_of(key, certificate)) {
    return invalid("clientKey", "is not the key of the clientCertificate");
  }
  return Done{};
}

void write_if_any(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.field(name, text);
}

void write_texts(const Texts& texts, JsonWriter& json) {
  if (texts.empty()) {
    json.null();
    return;
  }
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_pause(const std::optional<model::Pause>& pause, JsonWriter& json) {
  json.key("pause");
  if (!pause) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("since", to_rfc3339(pause->since)).field("reason", pause->why);
  json.end_object();
}

}  // namespace

Status read_endpoint(const JsonValue& body, model::Endpoint& endpoint) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  int version = 1;  // Checked, as clients expect, and otherwise without meaning.
  const std::string_view event_types = fields.first_of({"eventTypes", "filterTypes"});
  Status status = first_error({
      take(fields, "url", endpoint.url, read_url),
      take(fields, "description", endpoint.description, kReadDescription),
      take_or_clear(fields, "uid", endpoint.uid, read_uid),
      take(fields, "disabled", endpoint.is_disabled, read_bool),
      take_or_clear(fields, event_types, endpoint.event_types, read_event_types),
      take_or_clear(fields, "channels", endpoint.channels, read_channels),
      take(fields, "metadata", endpoint.metadata, read_metadata),
      take_or_clear(fields, "version", version, kReadVersion),
      take_settings(fields, endpoint),
      take_tls(fields, endpoint),
  });
  if (status.ok() && endpoint.url.empty()) return invalid("url", "is missing");
  return status;
}

std::string_view event_types_field(const JsonValue& body) {
  const Result<Fields> fields = Fields::of(body);
  if (!fields.ok()) return {};
  const std::string_view name = fields->first_of({"eventTypes", "filterTypes"});
  const JsonValue* value = fields->find(name);
  return value == nullptr || value->is_null() ? std::string_view() : name;
}

Result<std::optional<signature::Secret>> read_secret(const Fields& fields, std::string_view name) {
  const JsonValue* value = fields.find(name);
  if (value == nullptr || value->is_null()) return std::optional<signature::Secret>();
  const std::string* text = value->as_string();
  if (text == nullptr) return wrong_kind(*value, "a string").under(name);
  ASSIGN_OR_RETURN(const signature::Secret secret, under(name, signature::Secret::parse(*text)));
  return std::optional(secret);
}

Result<std::optional<signature::Secret>> read_endpoint_secret(const JsonValue& body) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  return read_secret(fields, "secret");
}

Status read_endpoint_headers(const JsonValue& body, model::Endpoint& endpoint) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  return take(fields, "headers", endpoint.headers, read_headers);
}

void write_endpoint(const model::Endpoint& endpoint, JsonWriter& json) {
  json.begin_object();
  json.field("id", endpoint.id.text()).field("url", endpoint.url);
  json.field("description", endpoint.description);
  if (!endpoint.uid.empty()) json.field("uid", endpoint.uid);
  json.field("version", 1).field("disabled", endpoint.is_disabled);
  write_pause(endpoint.pause, json);
  for (const std::string_view name : {"eventTypes", "filterTypes"}) {
    json.key(name);
    write_texts(endpoint.event_types, json);
  }
  json.key("channels");
  write_texts(endpoint.channels, json);
  write_settings_of(endpoint, json);
  write_if_any("caCertificate", endpoint.ca_pem, json);
  write_if_any("clientCertificate", endpoint.client_certificate_pem, json);
  json.key("metadata");
  write_metadata(endpoint.metadata, json);
  json.field("createdAt", to_rfc3339(endpoint.created_at));
  json.field("updatedAt", to_rfc3339(endpoint.updated_at));
  json.end_object();
}

void write_endpoint_secret(const model::Endpoint& endpoint, JsonWriter& json) {
  const signature::Secret& secret = endpoint.keys.current;
  json.begin_object()
      .field("key", secret.public_text() ? *secret.public_text() : secret.reveal())
      .end_object();
}

}  // namespace petrel::api
