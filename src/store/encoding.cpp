#include "store/encoding.h"

#include <limits>
#include <utility>

#include "store/bytes.h"
#include "store/record_parts.h"

namespace petrel::store {
namespace {

// The newest form of each kind of record.
constexpr std::uint8_t kMessageVersion = 3;
constexpr std::uint8_t kPayloadVersion = 2;
constexpr std::uint8_t kDeliveryVersion = 5;
constexpr std::uint8_t kAttemptVersion = 1;
constexpr std::uint8_t kAttemptMarkVersion = 1;
constexpr std::uint8_t kAnswerVersion = 2;
constexpr std::uint8_t kExpiryVersion = 1;
constexpr std::uint8_t kTallyVersion = 1;

void write_progress(ByteWriter& to, const policy::Progress& progress) {
  to.signed_number(progress.attempts);
  write_moment(to, progress.give_up_at);
  to.duration(progress.delay_previous).number(progress.tally.entries().size());
  for (const policy::Tally::Entry& entry : progress.tally.entries()) {
    to.number(entry.code).number(entry.count);
  }
}

std::uint16_t read_short(ByteReader& in) {
  return static_cast<std::uint16_t>(in.number_up_to(std::numeric_limits<std::uint16_t>::max()));
}

policy::Progress read_progress(ByteReader& in) {
  policy::Progress progress;
  progress.attempts = in.integer();
  progress.give_up_at = read_moment(in);
  progress.delay_previous = in.duration();
  std::vector<policy::Tally::Entry> entries;
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::uint16_t code = read_short(in);
    entries.push_back({code, read_short(in)});
  }
  progress.tally = policy::Tally(std::move(entries));
  return progress;
}

void write_next(ByteWriter& to, const model::Next& next) {
  to.byte(static_cast<std::uint8_t>(next.basis)).duration(next.nominal).duration(next.jitter);
  write_optional(to, next.retry_after, [&](Duration wish) { to.duration(wish); });
  write_moment(to, next.not_before);
  write_moment(to, next.released_from);
}

model::Next read_next(ByteReader& in, std::uint8_t version) {
  model::Next next;
  next.basis = static_cast<model::NextBasis>(in.choice(std::uint8_t(model::NextBasis::Replay)));
  next.nominal = in.duration();
  next.jitter = in.duration();
  next.retry_after = read_optional(in, [&] { return in.duration(); });
  next.not_before = read_moment(in);
  if (version >= 5) next.released_from = read_moment(in);
  return next;
}

std::string text_of(const model::DeliveryKey& key) {
  return key.endpoint.text() + ' ' + key.message.text();
}

DeliveryHead read_head(ByteReader& in) {
  DeliveryHead head;
  head.state =
      static_cast<model::DeliveryState>(in.choice(std::uint8_t(model::DeliveryState::Discarded)));
  head.due_at = in.time();
  head.updated_at = in.time();
  head.application = in.id<ApplicationId>();
  head.reason = read_optional(in, [&] {
    return static_cast<policy::DeadReason>(in.choice(std::uint8_t(policy::DeadReason::Blocked)));
  });
  head.attempts_total = in.integer();
  return head;
}

}  // namespace

void encode(const StoredMessage& stored, std::string& out) {
  const model::Message& message = stored.message;
  ByteWriter to(out);
  to.byte(kMessageVersion)
      .time(message.accepted_at)
      .text(message.event_id)
      .text(message.event_type);
  write_texts(to, message.channels);
  to.number(message.endpoints.size());
  for (const EndpointId& endpoint : message.endpoints) to.id(endpoint);
  write_texts(to, message.tags);
  write_moment(to, message.deliver_at);
  to.text(message.content_type);
  write_moment(to, message.payload_expires_at);
  write_optional(to, stored.payload_bytes, [&](std::uint64_t bytes) { to.number(bytes); });
}

Result<model::Message> decode_message(ApplicationId application, MessageId id,
                                      std::string_view bytes) {
  Result<StoredMessage> stored = decode_stored_message(application, id, bytes);
  if (!stored.ok()) return stored.error();
  return std::move(stored->message);
}

Result<StoredMessage> decode_stored_message(ApplicationId application, MessageId id,
                                            std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "message", kMessageVersion);
  if (!version.ok()) return of(id.text(), version.error());
  StoredMessage stored;
  model::Message& message = stored.message;
  message.id = id;
  message.application = application;
  message.accepted_at = in.time();
  message.event_id = in.string();
  message.event_type = in.string();
  message.channels = read_texts(in);
  for (std::size_t left = in.count(); left > 0; --left) {
    message.endpoints.push_back(in.id<EndpointId>());
  }
  if (*version >= 2) {
    message.tags = read_texts(in);
    message.deliver_at = read_moment(in);
    message.content_type = in.string();
    message.payload_expires_at = read_moment(in);
  }
  stored.knows_payload = *version >= 3;
  if (stored.knows_payload) {
    stored.payload_bytes = read_optional(in, [&] { return in.number(); });
  }
  if (!in.ok()) return of(id.text(), broken("message"));
  return stored;
}

void encode(const model::Delivery& delivery, std::string& out) {
  ByteWriter to(out);
  to.byte(kDeliveryVersion).byte(static_cast<std::uint8_t>(delivery.state));
  to.time(delivery.due_at).time(delivery.updated_at).id(delivery.application);
  write_optional(to, delivery.reason,
                 [&](policy::DeadReason reason) { to.byte(static_cast<std::uint8_t>(reason)); });
  to.signed_number(delivery.attempts_total).number(delivery.last_outcome);
  write_progress(to, delivery.progress);
  to.flag(delivery.is_manual).flag(delivery.is_scheduled).flag(delivery.is_aborted);
  write_optional(to, delivery.next, [&](const model::Next& next) { write_next(to, next); });
}

Result<model::Delivery> decode_delivery(const model::DeliveryKey& key, std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "delivery", kDeliveryVersion);
  if (!version.ok()) return of(text_of(key), version.error());
  const DeliveryHead head = read_head(in);
  model::Delivery delivery;
  delivery.key = key;
  delivery.state = head.state;
  delivery.due_at = head.due_at;
  delivery.updated_at = head.updated_at;
  delivery.application = head.application;
  delivery.reason = head.reason;
  delivery.attempts_total = head.attempts_total;
  delivery.last_outcome = read_short(in);
  delivery.progress = read_progress(in);
  if (*version >= 2) {
    delivery.is_manual = in.flag();
    delivery.is_scheduled = in.flag();
  }
  if (*version >= 3) delivery.is_aborted = in.flag();
  if (*version >= 4) delivery.next = read_optional(in, [&] { return read_next(in, *version); });
  if (!in.ok()) return of(text_of(key), broken("delivery"));
  return delivery;
}

DeliveryHead head_of(const model::Delivery& delivery) {
  return {delivery.state,       delivery.due_at, delivery.updated_at,
          delivery.application, delivery.reason, delivery.attempts_total};
}

Result<DeliveryHead> decode_delivery_head(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "delivery", kDeliveryVersion);
  if (!version.ok()) return version.error();
  const DeliveryHead head = read_head(in);
  in.remainder();
  if (!in.ok()) return broken("delivery");
  return head;
}

void encode(const model::Attempt& attempt, std::string& out) {
  ByteWriter to(out);
  to.byte(kAttemptVersion).id(attempt.delivery.endpoint).id(attempt.application);
  to.signed_number(attempt.number).byte(static_cast<std::uint8_t>(attempt.trigger));
  to.text(attempt.url).number(attempt.outcome.code()).text(attempt.response).text(attempt.error);
  const model::Timings& timings = attempt.timings;
  to.duration(timings.dns).duration(timings.connect).duration(timings.tls);
  to.duration(timings.first_byte).duration(timings.total);
  to.time(attempt.started_at).time(attempt.ended_at);
}

Result<model::Attempt> decode_attempt(MessageId message, AttemptId id, std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "attempt", kAttemptVersion);
  if (!version.ok()) return of(id.text(), version.error());
  model::Attempt attempt;
  attempt.id = id;
  attempt.delivery = {in.id<EndpointId>(), message};
  attempt.application = in.id<ApplicationId>();
  attempt.number = in.integer();
  attempt.trigger = static_cast<model::Trigger>(in.choice(std::uint8_t(model::Trigger::Manual)));
  attempt.url = in.string();
  attempt.outcome = policy::Outcome::from_code(read_short(in));
  attempt.response = in.string();
  attempt.error = in.string();
  attempt.timings.dns = in.duration();
  attempt.timings.connect = in.duration();
  attempt.timings.tls = in.duration();
  attempt.timings.first_byte = in.duration();
  attempt.timings.total = in.duration();
  attempt.started_at = in.time();
  attempt.ended_at = in.time();
  if (!in.ok()) return of(id.text(), broken("attempt"));
  return attempt;
}

Result<EndpointId> decode_attempt_endpoint(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "attempt", kAttemptVersion);
  if (!version.ok()) return version.error();
  const auto endpoint = in.id<EndpointId>();
  in.remainder();
  if (!in.ok()) return broken("attempt");
  return endpoint;
}

void encode(const KnownAnswer& answer, std::string& out) {
  ByteWriter to(out);
  to.byte(kAnswerVersion).time(answer.expires_at).text(answer.body_hash);
  write_optional(to, answer.message, [&](const MessageId& message) { to.id(message); });
  if (!answer.message) to.signed_number(answer.status).text(answer.body);
}

Result<KnownAnswer> decode_answer(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "idempotency key", kAnswerVersion);
  if (!version.ok()) return version.error();
  KnownAnswer answer;
  if (*version == 1) answer.message = in.id<MessageId>();
  answer.expires_at = in.time();
  answer.body_hash = in.string();
  if (*version >= 2) answer.message = read_optional(in, [&] { return in.id<MessageId>(); });
  if (!answer.message) {
    answer.status = in.integer();
    answer.body = in.string();
  }
  if (!in.ok()) return broken("idempotency key");
  return answer;
}

void encode(const Expiry& expiry, std::string& out) {
  ByteWriter(out).byte(kExpiryVersion).time(expiry.at);
}

Result<Expiry> decode_expiry(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "revoked token", kExpiryVersion);
  if (!version.ok()) return version.error();
  const Expiry expiry{in.time()};
  if (!in.ok()) return broken("revoked token");
  return expiry;
}

void encode(const AttemptMark& mark, std::string& out) {
  ByteWriter(out).byte(kAttemptMarkVersion).id(mark.message).number(mark.code);
}

Result<AttemptMark> decode_attempt_mark(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "attempt index", kAttemptMarkVersion);
  if (!version.ok()) return version.error();
  AttemptMark mark;
  mark.message = in.id<MessageId>();
  mark.code = read_short(in);
  if (!in.ok()) return broken("attempt index");
  return mark;
}

// Without the zeros at their end.
void encode(const TallyCounts& counts, std::string& out) {
  std::size_t size = counts.size();
  while (size > 0 && counts[size - 1] == 0) --size;
  ByteWriter to(out);
  to.byte(kTallyVersion).number(size);
  for (std::size_t i = 0; i < size; ++i) to.number(counts[i]);
}

Result<TallyCounts> decode_tally(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "tally", kTallyVersion);
  if (!version.ok()) return version.error();
  TallyCounts counts{};
  const std::uint64_t size = in.number_up_to(counts.size());
  for (std::uint64_t i = 0; i < size; ++i) counts[i] = in.number();
  if (!in.ok()) return broken("tally");
  return counts;
}

void encode(const PayloadView& payload, std::string& out) {
  ByteWriter to(out);
  to.byte(kPayloadVersion).id(payload.application).flag(payload.is_gone);
  write_moment(to, payload.expires_at);
  to.text(payload.content_type).raw(payload.content);
}

Result<PayloadView> decode_payload(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "payload", kPayloadVersion);
  if (!version.ok()) return version.error();
  PayloadView payload;
  payload.application = in.id<ApplicationId>();
  if (*version >= 2) {
    payload.is_gone = in.flag();
    payload.expires_at = read_moment(in);
    payload.content_type = in.text();
  }
  payload.content = in.remainder();
  if (!in.ok()) return broken("payload");
  return payload;
}

}  // namespace petrel::store
