// The encodings of what people set up: applications, endpoints and event types.

#include <utility>

#include "policy/retry_policy_json.h"
#include "store/encoding.h"
#include "store/record_parts.h"

namespace petrel::store {
namespace {

// The newest form of each.
constexpr std::uint8_t kApplicationVersion = 4;
constexpr std::uint8_t kEndpointVersion = 3;
constexpr std::uint8_t kEventTypeVersion = 1;

void write_integer(ByteWriter& to, const std::optional<int>& value) {
  write_optional(to, value, [&](int number) { to.signed_number(number); });
}

std::optional<int> read_integer(ByteReader& in) {
  return read_optional(in, [&] { return in.integer(); });
}

void write_duration(ByteWriter& to, const std::optional<Duration>& value) {
  write_optional(to, value, [&](Duration duration) { to.duration(duration); });
}

std::optional<Duration> read_duration(ByteReader& in) {
  return read_optional(in, [&] { return in.duration(); });
}

void write_retention(ByteWriter& to, const model::RetentionSettings& retention) {
  for (const auto& period :
       {retention.ended, retention.payloads, retention.attempts, retention.dead_letters}) {
    write_duration(to, period);
  }
}

model::RetentionSettings read_retention(ByteReader& in) {
  model::RetentionSettings retention;
  retention.ended = read_duration(in);
  retention.payloads = read_duration(in);
  retention.attempts = read_duration(in);
  retention.dead_letters = read_duration(in);
  return retention;
}

void write_metadata(ByteWriter& to, const model::Metadata& metadata) {
  to.number(metadata.size());
  for (const auto& [key, value] : metadata) to.text(key).text(value);
}

model::Metadata read_metadata(ByteReader& in) {
  model::Metadata metadata;
  for (std::size_t left = in.count(); left > 0; --left) {
    std::string key = in.string();
    metadata.insert_or_assign(std::move(key), in.string());
  }
  return metadata;
}

// The whole policy next to its preset's name: what a preset means may change between versions, what
// an endpoint was promised does not.
void write_retry_policy(ByteWriter& to, const std::optional<policy::RetryPolicy>& value) {
  write_optional(to, value, [&](const policy::RetryPolicy& retry_policy) {
    JsonWriter json;
    policy::write_policy_whole(retry_policy, json);
    to.text(retry_policy.preset).text(json.text());
  });
}

std::optional<policy::RetryPolicy> read_retry_policy(ByteReader& in) {
  if (!in.flag()) return std::nullopt;
  std::string preset = in.string();
  Result<policy::RetryPolicy> parsed = policy::parse_policy(in.text());
  if (!parsed.ok()) {
    in.fail();
    return std::nullopt;
  }
  parsed->preset = std::move(preset);
  return *std::move(parsed);
}

void write_guards(ByteWriter& to, const std::optional<policy::Guards>& value) {
  write_optional(to, value, [&](const policy::Guards& guards) {
    JsonWriter json;
    policy::write_guards(guards, json);
    to.text(json.text());
  });
}

std::optional<policy::Guards> read_guards(ByteReader& in) {
  if (!in.flag()) return std::nullopt;
  const Result<JsonValue> json = parse_json(in.text());
  Result<policy::Guards> guards = json.ok() ? policy::guards_from_json(*json) : json.error();
  if (guards.ok()) return *std::move(guards);
  in.fail();
  return std::nullopt;
}

std::optional<signature::Secret> read_secret(ByteReader& in) {
  Result<signature::Secret> secret = signature::Secret::parse(in.text());
  if (secret.ok()) return *std::move(secret);
  in.fail();
  return std::nullopt;
}

void write_keys(ByteWriter& to, const signature::KeyRing& keys) {
  to.text(keys.current.reveal()).number(keys.old.size());
  for (const signature::ExpiringSecret& old : keys.old) {
    to.text(old.secret.reveal()).time(old.expires_at);
  }
}

std::optional<signature::KeyRing> read_keys(ByteReader& in) {
  std::optional<signature::Secret> current = read_secret(in);
  if (!current) return std::nullopt;
  signature::KeyRing keys{*std::move(current)};
  for (std::size_t left = in.count(); left > 0; --left) {
    std::optional<signature::Secret> old = read_secret(in);
    if (!old) return std::nullopt;
    keys.old.push_back({*std::move(old), in.time()});
  }
  return keys;
}

void read_settings(ByteReader& in, model::Endpoint& endpoint) {
  endpoint.metadata = read_metadata(in);
  endpoint.is_disabled = in.flag();
  endpoint.pause = read_optional(in, [&] {
    const WallTime since = in.time();
    return model::Pause{since, in.string()};
  });
  endpoint.throttle_rate = read_integer(in);
  endpoint.in_flight_max = read_integer(in);
  endpoint.timeout = read_duration(in);
  endpoint.retry_policy = read_retry_policy(in);
  endpoint.created_at = in.time();
  endpoint.updated_at = in.time();
}

// What an endpoint's secrets are bound to.
std::string context_of(EndpointId id) { return "endpoint " + id.text(); }

Error about(EndpointId id, Error error) {
  error.detail = "the secrets of the stored endpoint " + id.text() + ": " + error.detail;
  if (error.kind == ErrorKind::Corrupt) error.field = "endpoint " + id.text();
  return error;
}

}  // namespace

void encode(const model::Application& application, std::string& out) {
  ByteWriter to(out);
  to.byte(kApplicationVersion)
      .id(application.organisation)
      .text(application.uid)
      .text(application.name);
  write_metadata(to, application.metadata);
  write_integer(to, application.throttle_rate);
  write_retry_policy(to, application.retry_policy);
  write_integer(to, application.in_flight_max);
  write_duration(to, application.timeout);
  to.time(application.created_at).time(application.updated_at);
  write_moment(to, application.deleted_at);
  write_moment(to, application.tokens_valid_from);
  write_guards(to, application.guards);
  write_retention(to, application.retention);
}

Result<model::Application> decode_application(ApplicationId id, std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "application", kApplicationVersion);
  if (!version.ok()) return of(id.text(), version.error());
  model::Application application;
  application.id = id;
  application.organisation = in.id<OrganisationId>();
  application.uid = in.string();
  application.name = in.string();
  application.metadata = read_metadata(in);
  application.throttle_rate = read_integer(in);
  application.retry_policy = read_retry_policy(in);
  application.in_flight_max = read_integer(in);
  application.timeout = read_duration(in);
  application.created_at = in.time();
  application.updated_at = in.time();
  if (*version >= 2) {
    application.deleted_at = read_moment(in);
    application.tokens_valid_from = read_moment(in);
  }
  if (*version >= 3) application.guards = read_guards(in);
  if (*version >= 4) application.retention = read_retention(in);
  if (!in.ok()) return of(id.text(), broken("application"));
  return application;
}

void encode(const model::Endpoint& endpoint, const vault::Vault& vault, std::string& out) {
  std::string secrets;
  ByteWriter hidden(secrets);
  write_keys(hidden, endpoint.keys);
  for (const auto& [name, value] : endpoint.headers) hidden.text(value);
  hidden.text(endpoint.client_key_pem);

  ByteWriter to(out);
  to.byte(kEndpointVersion).id(endpoint.application);
  to.text(vault.seal(secrets, context_of(endpoint.id)));
  vault::wipe(secrets);
  to.text(endpoint.uid).text(endpoint.url).text(endpoint.description);
  write_texts(to, endpoint.event_types);
  write_texts(to, endpoint.channels);
  to.number(endpoint.headers.size());
  for (const auto& [name, value] : endpoint.headers) to.text(name);
  write_metadata(to, endpoint.metadata);
  to.flag(endpoint.is_disabled);
  write_optional(to, endpoint.pause,
                 [&](const model::Pause& pause) { to.time(pause.since).text(pause.why); });
  write_integer(to, endpoint.throttle_rate);
  write_integer(to, endpoint.in_flight_max);
  write_duration(to, endpoint.timeout);
  write_retry_policy(to, endpoint.retry_policy);
  to.time(endpoint.created_at).time(endpoint.updated_at);
  write_moment(to, endpoint.deleted_at);
  to.text(endpoint.ca_pem).text(endpoint.client_certificate_pem);
  write_moment(to, endpoint.held.since);
  to.duration(endpoint.held.total);
  write_guards(to, endpoint.guards);
}

Result<model::Endpoint> decode_endpoint(EndpointId id, std::string_view bytes,
                                        const vault::Vault& vault) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "endpoint", kEndpointVersion);
  if (!version.ok()) return of(id.text(), version.error());
  const bool is_sealed = *version >= 2;
  const auto application = in.id<ApplicationId>();
  std::string secrets;
  if (is_sealed) {
    Result<std::string> opened = vault.open(in.text(), context_of(id));
    if (!opened.ok()) return about(id, opened.error());
    secrets = *std::move(opened);
  }
  ByteReader hidden(secrets);
  std::optional<signature::KeyRing> keys = read_keys(is_sealed ? hidden : in);
  if (!keys) return of(id.text(), broken("endpoint"));
  model::Endpoint endpoint(*std::move(keys));
  endpoint.id = id;
  endpoint.application = application;
  endpoint.uid = in.string();
  endpoint.url = in.string();
  endpoint.description = in.string();
  endpoint.event_types = read_texts(in);
  endpoint.channels = read_texts(in);
  for (std::size_t left = in.count(); left > 0; --left) {
    std::string name = in.string();
    endpoint.headers.emplace_back(std::move(name), (is_sealed ? hidden : in).string());
  }
  read_settings(in, endpoint);
  if (is_sealed) {
    endpoint.client_key_pem = hidden.string();
    endpoint.deleted_at = read_moment(in);
    endpoint.ca_pem = in.string();
    endpoint.client_certificate_pem = in.string();
    endpoint.held.since = read_moment(in);
    endpoint.held.total = in.duration();
  }
  if (*version >= 3) endpoint.guards = read_guards(in);
  vault::wipe(secrets);
  if (!in.ok() || !hidden.ok()) return of(id.text(), broken("endpoint"));
  return endpoint;
}

bool is_sealed_now(std::string_view bytes, const vault::Vault& vault) {
  ByteReader in(bytes);
  if (in.byte() < 2) return false;
  (void)in.id<ApplicationId>();
  return vault.is_current(in.text());
}

Result<ApplicationId> decode_endpoint_owner(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "endpoint", kEndpointVersion);
  if (!version.ok()) return version.error();
  const auto application = in.id<ApplicationId>();
  in.remainder();
  if (!in.ok()) return broken("endpoint");
  return application;
}

void encode(const model::EventType& event_type, std::string& out) {
  ByteWriter to(out);
  to.byte(kEventTypeVersion).text(event_type.description);
  to.flag(event_type.is_archived).flag(event_type.is_deprecated).flag(event_type.is_enforced);
  to.text(event_type.schemas).text(event_type.group_name);
  write_texts(to, event_type.feature_flags);
  to.time(event_type.created_at).time(event_type.updated_at);
}

Result<model::EventType> decode_event_type(OrganisationId organisation, std::string_view name,
                                           std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "event type", kEventTypeVersion);
  if (!version.ok()) return of(name, version.error());
  model::EventType event_type;
  event_type.organisation = organisation;
  event_type.name = name;
  event_type.description = in.string();
  event_type.is_archived = in.flag();
  event_type.is_deprecated = in.flag();
  event_type.is_enforced = in.flag();
  event_type.schemas = in.string();
  event_type.group_name = in.string();
  event_type.feature_flags = read_texts(in);
  event_type.created_at = in.time();
  event_type.updated_at = in.time();
  if (!in.ok()) return of(name, broken("event type"));
  return event_type;
}

}  // namespace petrel::store
