// Attempt is one HTTP request of a delivery and what came back, as it is recorded; AttemptOrder and
// AttemptResult are what is handed to a Transport and what it hands back.
//
// Thread: any. Values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/message.h"
#include "policy/outcome.h"

namespace petrel::model {

struct Endpoint;

// What is kept of an answer's body. More of it is read (64 KiB), so that connections can be reused.
inline constexpr std::size_t kResponseKeptBytes = 16 * 1024;

// What stands in the place of an answer's body that was expunged.
inline constexpr std::string_view kExpunged = "EXPUNGED";

enum class Trigger : std::uint8_t { Scheduled, Manual };

// How long each phase took; zero for a phase that there was none of (a reused connection has no
// DNS, connect or TLS).
struct Timings {
  Duration dns{};
  Duration connect{};
  Duration tls{};
  Duration first_byte{};  // From the request's last byte out to the answer's first byte in.
  Duration total{};

  friend bool operator==(const Timings&, const Timings&) = default;
};

// Why an attempt was no attempt, for those who count our own faults.
enum class FaultCause : std::uint8_t {
  Other,
  Resolver,     // Our DNS resolver does not answer.
  Descriptors,  // There is no file descriptor left.
  Ports,        // Nor a local port.
  Memory,
  Proxy,    // The proxy that all deliveries go through.
  Store,    // The payload could not be read.
  Stopped,  // We are shutting down.
};

inline constexpr std::size_t kFaultCauses = static_cast<std::size_t>(FaultCause::Stopped) + 1;

// What came back.
struct AttemptResult {
  policy::Outcome outcome = policy::Outcome::our_fault();
  std::string response;     // The beginning of the answer's body.
  std::string error;        // In plain words, if there was no answer: "connection refused".
  std::string retry_after;  // The headers of that name, as they came.
  std::string date;
  std::string webhook_delivery;
  Timings timings;

  // The connection had carried an earlier request, and the receiver closed it without a response to
  // this one: it spends the attempt, but says nothing about how the receiver is.
  bool is_stale_connection = false;

  // Of a fault of ours: our DNS resolver did not answer for the receiver's name, which is not asked
  // for again for so long. `error` says so.
  std::optional<Duration> resolver_wait = std::nullopt;

  // Of an attempt that the address guard blocked: why, and what would let it through. It is not
  // kept: the owner of the endpoint must not learn what lies behind an address.
  std::string for_operator = {};
  FaultCause fault = FaultCause::Other;  // Of a fault of ours.
};

struct Attempt {
  AttemptId id;
  DeliveryKey delivery;
  ApplicationId application;
  int number = 1;  // Counts over all budgets of the delivery.
  Trigger trigger = Trigger::Scheduled;
  std::string url;
  policy::Outcome outcome = policy::Outcome::our_fault();
  std::string response;
  std::string error;
  Timings timings;
  WallTime started_at;
  WallTime ended_at;

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// What to send, and where.
struct AttemptOrder {
  DeliveryKey delivery;

  // The version of the endpoint that is sent to: its URL, secret and headers. The record of the
  // attempt names the same URL, whatever the endpoint becomes meanwhile.
  std::shared_ptr<const Endpoint> endpoint;
  Payload payload;
  WallTime started_at;            // Signed, and sent as the attempt's timestamp.
  Duration timeout;               // Over everything, from DNS to the last byte of the answer.
  std::string content_type = {};  // Of the payload. Empty: application/json.
  bool dials_anew = false;        // Not over a connection that was used before.
};

}  // namespace petrel::model
