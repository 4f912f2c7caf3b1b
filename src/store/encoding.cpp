#include "store/encoding.h"

#include <limits>
#include <utility>

#include "policy/retry_policy_json.h"
#include "store/bytes.h"

namespace petrel::store {
namespace {

constexpr std::uint8_t kVersion = 1;  // Of every kind of record, so far.

Error broken(std::string_view what) {
  return corrupt("the stored " + std::string(what) + " cannot be read: its bytes make no sense");
}

// Empty if the version is one that we know.
std::optional<Error> check_version(ByteReader& in, std::string_view what) {
  const std::uint8_t version = in.byte();
  if (version == 0) return broken(what);
  if (version <= kVersion) return std::nullopt;
  return corrupt("the stored " + std::string(what) + " has form " + std::to_string(version) +
                 ", this Petrel knows " + std::to_string(kVersion) +
                 ": it was written by a newer version");
}

template <typename T, typename Write>
void write_optional(ByteWriter& to, const std::optional<T>& value, Write write) {
  to.flag(value.has_value());
  if (value) write(*value);
}

template <typename Read>
auto read_optional(ByteReader& in, Read read) -> std::optional<decltype(read())> {
  if (!in.flag()) return std::nullopt;
  return read();
}

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

void write_texts(ByteWriter& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> read_texts(ByteReader& in) {
  std::vector<std::string> texts;
  for (std::size_t left = in.count(); left > 0; --left) texts.push_back(in.string());
  return texts;
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

void write_progress(ByteWriter& to, const policy::Progress& progress) {
  to.signed_number(progress.attempts);
  write_optional(to, progress.give_up_at, [&](WallTime at) { to.time(at); });
  to.duration(progress.delay_previous).number(progress.tally.entries().size());
  for (const policy::Tally::Entry& entry : progress.tally.entries()) {
    to.number(entry.way).number(entry.count);
  }
}

std::uint16_t read_short(ByteReader& in) {
  return static_cast<std::uint16_t>(in.number_up_to(std::numeric_limits<std::uint16_t>::max()));
}

policy::Progress read_progress(ByteReader& in) {
  policy::Progress progress;
  progress.attempts = in.integer();
  progress.give_up_at = read_optional(in, [&] { return in.time(); });
  progress.delay_previous = in.duration();
  std::vector<policy::Tally::Entry> entries;
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::uint16_t way = read_short(in);
    entries.push_back({way, read_short(in)});
  }
  progress.tally = policy::Tally(std::move(entries));
  return progress;
}

DeliveryHead read_head(ByteReader& in) {
  DeliveryHead head;
  head.state =
      static_cast<model::DeliveryState>(in.choice(std::uint8_t(model::DeliveryState::Dead)));
  head.due_at = in.time();
  head.updated_at = in.time();
  return head;
}

}  // namespace

void encode(const model::Application& application, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).id(application.organisation).text(application.uid).text(application.name);
  write_metadata(to, application.metadata);
  write_integer(to, application.throttle_rate);
  write_retry_policy(to, application.retry_policy);
  write_integer(to, application.in_flight_max);
  write_duration(to, application.timeout);
  to.time(application.created_at).time(application.updated_at);
}

Result<model::Application> decode_application(ApplicationId id, std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "application")) return *error;
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
  if (!in.ok()) return broken("application");
  return application;
}

void encode(const model::Endpoint& endpoint, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).id(endpoint.application);
  write_keys(to, endpoint.keys);
  to.text(endpoint.uid).text(endpoint.url).text(endpoint.description);
  write_texts(to, endpoint.event_types);
  write_texts(to, endpoint.channels);
  to.number(endpoint.headers.size());
  for (const auto& [name, value] : endpoint.headers) to.text(name).text(value);
  write_metadata(to, endpoint.metadata);
  to.flag(endpoint.is_disabled);
  write_optional(to, endpoint.pause,
                 [&](const model::Pause& pause) { to.time(pause.since).text(pause.why); });
  write_integer(to, endpoint.throttle_rate);
  write_integer(to, endpoint.in_flight_max);
  write_duration(to, endpoint.timeout);
  write_retry_policy(to, endpoint.retry_policy);
  to.time(endpoint.created_at).time(endpoint.updated_at);
}

Result<model::Endpoint> decode_endpoint(EndpointId id, std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "endpoint")) return *error;
  const auto application = in.id<ApplicationId>();
  std::optional<signature::KeyRing> keys = read_keys(in);
  if (!keys) return broken("endpoint");
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
    endpoint.headers.emplace_back(std::move(name), in.string());
  }
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
  if (!in.ok()) return broken("endpoint");
  return endpoint;
}

void encode(const model::Message& message, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).time(message.accepted_at).text(message.event_id).text(message.event_type);
  write_texts(to, message.channels);
  to.number(message.endpoints.size());
  for (const EndpointId& endpoint : message.endpoints) to.id(endpoint);
}

Result<model::Message> decode_message(ApplicationId application, MessageId id,
                                      std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "message")) return *error;
  model::Message message;
  message.id = id;
  message.application = application;
  message.accepted_at = in.time();
  message.event_id = in.string();
  message.event_type = in.string();
  message.channels = read_texts(in);
  for (std::size_t left = in.count(); left > 0; --left) {
    message.endpoints.push_back(in.id<EndpointId>());
  }
  if (!in.ok()) return broken("message");
  return message;
}

void encode(const model::Delivery& delivery, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).byte(static_cast<std::uint8_t>(delivery.state));
  to.time(delivery.due_at).time(delivery.updated_at).id(delivery.application);
  write_optional(to, delivery.reason,
                 [&](policy::DeadReason reason) { to.byte(static_cast<std::uint8_t>(reason)); });
  to.signed_number(delivery.attempts_total).number(delivery.last_way);
  write_progress(to, delivery.progress);
}

Result<model::Delivery> decode_delivery(const model::DeliveryKey& key, std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "delivery")) return *error;
  const DeliveryHead head = read_head(in);
  model::Delivery delivery;
  delivery.key = key;
  delivery.state = head.state;
  delivery.due_at = head.due_at;
  delivery.updated_at = head.updated_at;
  delivery.application = in.id<ApplicationId>();
  delivery.reason = read_optional(in, [&] {
    return static_cast<policy::DeadReason>(in.choice(std::uint8_t(policy::DeadReason::Blocked)));
  });
  delivery.attempts_total = in.integer();
  delivery.last_way = read_short(in);
  delivery.progress = read_progress(in);
  if (!in.ok()) return broken("delivery");
  return delivery;
}

DeliveryHead head_of(const model::Delivery& delivery) {
  return {delivery.state, delivery.due_at, delivery.updated_at};
}

Result<DeliveryHead> decode_delivery_head(std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "delivery")) return *error;
  const DeliveryHead head = read_head(in);
  in.remainder();
  if (!in.ok()) return broken("delivery");
  return head;
}

void encode(const model::Attempt& attempt, std::string& out) {
  ByteWriter to(out);
  to.byte(kVersion).id(attempt.delivery.endpoint).id(attempt.application);
  to.signed_number(attempt.number).byte(static_cast<std::uint8_t>(attempt.trigger));
  to.text(attempt.url).number(attempt.outcome.way()).text(attempt.response).text(attempt.error);
  const model::Timings& timings = attempt.timings;
  to.duration(timings.dns).duration(timings.connect).duration(timings.tls);
  to.duration(timings.first_byte).duration(timings.total);
  to.time(attempt.started_at).time(attempt.ended_at);
}

Result<model::Attempt> decode_attempt(MessageId message, AttemptId id, std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "attempt")) return *error;
  model::Attempt attempt;
  attempt.id = id;
  attempt.delivery = {in.id<EndpointId>(), message};
  attempt.application = in.id<ApplicationId>();
  attempt.number = in.integer();
  attempt.trigger = static_cast<model::Trigger>(in.choice(std::uint8_t(model::Trigger::Manual)));
  attempt.url = in.string();
  attempt.outcome = policy::Outcome::from_way(read_short(in));
  attempt.response = in.string();
  attempt.error = in.string();
  attempt.timings.dns = in.duration();
  attempt.timings.connect = in.duration();
  attempt.timings.tls = in.duration();
  attempt.timings.first_byte = in.duration();
  attempt.timings.total = in.duration();
  attempt.started_at = in.time();
  attempt.ended_at = in.time();
  if (!in.ok()) return broken("attempt");
  return attempt;
}

void encode(const IdempotencyRecord& record, std::string& out) {
  ByteWriter(out).byte(kVersion).id(record.message).time(record.expires_at).text(record.body_hash);
}

Result<IdempotencyRecord> decode_idempotency(std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "idempotency key")) return *error;
  IdempotencyRecord record;
  record.message = in.id<MessageId>();
  record.expires_at = in.time();
  record.body_hash = in.string();
  if (!in.ok()) return broken("idempotency key");
  return record;
}

void encode(const AttemptMark& mark, std::string& out) {
  ByteWriter(out).byte(kVersion).id(mark.message).number(mark.way);
}

Result<AttemptMark> decode_attempt_mark(std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "attempt index")) return *error;
  AttemptMark mark;
  mark.message = in.id<MessageId>();
  mark.way = read_short(in);
  if (!in.ok()) return broken("attempt index");
  return mark;
}

void encode(const PayloadView& payload, std::string& out) {
  ByteWriter(out).byte(kVersion).id(payload.application).raw(payload.content);
}

Result<PayloadView> decode_payload(std::string_view bytes) {
  ByteReader in(bytes);
  if (auto error = check_version(in, "payload")) return *error;
  PayloadView payload;
  payload.application = in.id<ApplicationId>();
  payload.content = in.remainder();
  if (!in.ok()) return broken("payload");
  return payload;
}

}  // namespace petrel::store
