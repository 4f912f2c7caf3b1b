// Notices are what the server tells an organisation about its endpoints and deliveries. Here is
// what they are about, and how they read:
//
//   {"type": "endpoint.disabled",
//    "data": {"appId": "app_…", "appUid": "acme", "endpointId": "ep_…", "endpointUid": null,
//             "failSince": "…", "trigger": "automatic", "why": "the receiver answered 410"}}
//
// What has no uid has null there.
//
// Thread: any. Values and pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/application.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/settlement.h"
#include "notice/notice_type.h"
#include "policy/decision.h"
#include "store/catalogue.h"

namespace petrel::notice {

// From this failure of a delivery on it is failing, and its success after that a recovery.
inline constexpr int kFailingAttempts = 4;

enum class Author : std::uint8_t { Person, Server };

// A change to an endpoint that is committed.
struct EndpointChange {
  store::EndpointPtr before;  // Null if it is new.
  store::EndpointPtr after;   // With deleted_at if it was deleted.
  Author by = Author::Person;
};

// In the order in which they are told. None if it changed nothing that a person set.
std::vector<NoticeType> types_of(const EndpointChange& change);

// REQUIRES: the type is one of types_of(change), and the endpoint is the application's.
std::string notice_of(NoticeType type, const EndpointChange& change,
                      const model::Application& application);

struct LastAttempt {
  AttemptId id;
  int status = 0;  // 0 if there was no answer.
  WallTime at;

  static LastAttempt of(const model::Attempt& attempt);
  friend bool operator==(const LastAttempt&, const LastAttempt&) = default;
};

// What became of a delivery that is worth telling.
struct AttemptNews {
  NoticeType type = NoticeType::AttemptFailing;
  model::DeliveryKey delivery = {};
  ApplicationId application = {};
  std::optional<policy::DeadReason> reason = {};
  std::optional<LastAttempt> last_attempt = {};  // Empty if the delivery ended while it waited.
  std::string event_id = {};                     // Of the message. A settlement does not know it.

  friend bool operator==(const AttemptNews&, const AttemptNews&) = default;
};

// Empty for nearly all settlements.
std::optional<AttemptNews> news_of(const model::Settlement& settlement);

// REQUIRES: the news are of this endpoint, which is the application's.
std::string notice_of(const AttemptNews& news, const model::Application& application,
                      const model::Endpoint& endpoint);

}  // namespace petrel::notice
