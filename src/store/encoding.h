// The records of the store as bytes.
//
// A record begins with a byte that says the version of its form, so that a form can change without
// rewriting what is stored: a newer Petrel reads all older ones, and an older one says plainly that
// it does not know a newer one. What stands in a record's key is not repeated in it; the decoder is
// handed it.
//
// What is secret of an endpoint (its keys, the values of its headers, its client key) is sealed
// within its record, and bound to its id.
//
//   Delivery  version state due_at updated_at application reason? attempts_total last_outcome
//   progress
//             is_manual is_scheduled is_aborted next?
//
// Decoding never trusts its input: whatever is cut short, left over or out of range is Corrupt.
//
// Thread: any.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/application.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event_type.h"
#include "model/message.h"
#include "model/suspect.h"
#include "model/task.h"
#include "store/change.h"
#include "vault/vault.h"

namespace petrel::store {

// Each appends to `out`.
void encode(const model::Application& application, std::string& out);
void encode(const model::Endpoint& endpoint, const vault::Vault& vault, std::string& out);
void encode(const model::EventType& event_type, std::string& out);

// A message as it is stored: with what is known of its payload, which is kept apart.
struct StoredMessage {
  model::Message message;
  std::optional<std::uint64_t> payload_bytes = {};  // Empty if the payload is gone, or never was.
  bool knows_payload = true;                        // False in records of older versions.
};
void encode(const StoredMessage& stored, std::string& out);
void encode(const model::Delivery& delivery, std::string& out);
void encode(const model::Attempt& attempt, std::string& out);
void encode(const model::Task& task, std::string& out);
void encode(const model::Suspect& suspect, std::string& out);

Result<model::Application> decode_application(ApplicationId id, std::string_view bytes);
Result<model::Endpoint> decode_endpoint(EndpointId id, std::string_view bytes,
                                        const vault::Vault& vault);
Result<model::EventType> decode_event_type(OrganisationId organisation, std::string_view name,
                                           std::string_view bytes);
Result<model::Message> decode_message(ApplicationId application, MessageId id,
                                      std::string_view bytes);
Result<StoredMessage> decode_stored_message(ApplicationId application, MessageId id,
                                            std::string_view bytes);
Result<model::Delivery> decode_delivery(const model::DeliveryKey& key, std::string_view bytes);
Result<model::Attempt> decode_attempt(MessageId message, AttemptId id, std::string_view bytes);
Result<model::Task> decode_task(OrganisationId organisation, TaskId id, std::string_view bytes);
Result<model::Suspect> decode_suspect(const model::DeliveryKey& key, std::string_view bytes);

// The beginning of a delivery, without reading the rest: its place in the indexes.
struct DeliveryHead {
  model::DeliveryState state = model::DeliveryState::Pending;
  WallTime due_at;
  WallTime updated_at;
  ApplicationId application;
  std::optional<policy::DeadReason> reason;
  int attempts_total = 0;

  bool is_live() const {
    return state == model::DeliveryState::Pending || state == model::DeliveryState::Retrying;
  }

  friend bool operator==(const DeliveryHead&, const DeliveryHead&) = default;
};

DeliveryHead head_of(const model::Delivery& delivery);
Result<DeliveryHead> decode_delivery_head(std::string_view bytes);

// Whom the attempt was for, without reading the rest.
Result<EndpointId> decode_attempt_endpoint(std::string_view bytes);

// Whether the endpoint's secrets are sealed with the key that the vault seals with now. False for a
// record of a form that did not seal them.
bool is_sealed_now(std::string_view bytes, const vault::Vault& vault);

// The beginning of an endpoint, without reading the rest.
Result<ApplicationId> decode_endpoint_owner(std::string_view bytes);

void encode(const KnownAnswer& answer, std::string& out);
Result<KnownAnswer> decode_answer(std::string_view bytes);

// All that is kept of a token that was taken back.
struct Expiry {
  WallTime at;

  friend bool operator==(const Expiry&, const Expiry&) = default;
};

void encode(const Expiry& expiry, std::string& out);
Result<Expiry> decode_expiry(std::string_view bytes);

// What the index of attempts by endpoint says of one: enough to filter without reading its record.
struct AttemptMark {
  MessageId message;
  std::uint16_t code = 0;

  friend bool operator==(const AttemptMark&, const AttemptMark&) = default;
};

void encode(const AttemptMark& mark, std::string& out);
Result<AttemptMark> decode_attempt_mark(std::string_view bytes);

// Numbers that are kept in step with what they count; see rocksdb/tallies.h.
using TallyCounts = std::array<std::uint64_t, 6>;

void encode(const TallyCounts& counts, std::string& out);
Result<TallyCounts> decode_tally(std::string_view bytes);

// A payload carries its application, by which the rest of its message is found. That stays when the
// content is gone.
struct PayloadView {
  ApplicationId application;
  std::optional<WallTime> expires_at = {};
  std::string_view content_type = {};
  bool is_gone = false;
  std::string_view content = {};  // This and content_type: within the bytes that were decoded.

  // Whether there is anything to send.
  bool is_there(WallTime now) const { return !is_gone && (!expires_at || *expires_at > now); }
};

void encode(const PayloadView& payload, std::string& out);
Result<PayloadView> decode_payload(std::string_view bytes);

}  // namespace petrel::store
