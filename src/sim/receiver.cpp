#include "sim/receiver.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/http_date.h"

namespace petrel::sim {
namespace {

using policy::FailureKind;
using policy::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kHugeWish = 1'000'000'000'000;

// Which of its requests a behaviour goes wrong on.
std::optional<Fault> fault_of(const Behaviour& behaviour, MonoTime now, Dice& dice) {
  if (!behaviour.manner) return std::nullopt;
  if (behaviour.manner == Fault::Flapping) {
    const Duration into = now.time_since_epoch() % behaviour.period;
    return into < behaviour.period / 2 ? std::nullopt : behaviour.manner;
  }
  return dice.chance(behaviour.share) ? behaviour.manner : std::nullopt;
}

void wish_for(Reply& reply, const Behaviour& behaviour, WallTime receiver_wall) {
  model::AttemptResult& result = reply.result;
  const int status = behaviour.is_overload ? 503 : 429;
  result.outcome = Outcome::answered(behaviour.is_plain ? 500 : status);
  const Duration wish = seconds(behaviour.wish);
  switch (*reply.fault) {
    case Fault::RetryAfterSeconds:
      result.retry_after = fmt::format("{}", behaviour.wish);
      break;
    case Fault::RetryAfterDate:
      result.date = to_http_date(receiver_wall);
      result.retry_after = to_http_date(receiver_wall + wish);
      break;
    case Fault::RetryAfterZero:
      result.retry_after.assign(1, '0');
      break;
    case Fault::RetryAfterPast:
      result.date = to_http_date(receiver_wall);
      result.retry_after = to_http_date(receiver_wall - wish);
      break;
    case Fault::RetryAfterHuge:
      result.retry_after = fmt::format("{}", kHugeWish);
      break;
    default:
      result.retry_after =
          fmt::format("{}{}", behaviour.wish % 2 == 0 ? "in " : "-", behaviour.wish);
      break;
  }
}

// The faults that are an answer without more to it. 0 if it is not one of them.
int status_of(Fault fault, Dice& dice) {
  switch (fault) {
    case Fault::ServerError:
      return dice.one_of({500, 501, 502, 504, 599, 408});
    case Fault::Flapping:
      return dice.one_of({500, 503});
    case Fault::Throttling:
      return 429;
    case Fault::Overloaded:
      return 503;
    case Fault::Gone:
      return 410;
    case Fault::NotFound:
      return 404;
    case Fault::Rejected:
      return dice.one_of({400, 401, 403, 413, 422});
    case Fault::Redirected:
      return dice.one_of({301, 302, 307});
    default:
      return 0;
  }
}

std::optional<FailureKind> failure_of(Fault fault) {
  switch (fault) {
    case Fault::Refused:
      return FailureKind::Connect;
    case Fault::Lying:
      return FailureKind::Reset;
    case Fault::Dns:
      return FailureKind::Dns;
    case Fault::Tls:
      return FailureKind::Tls;
    case Fault::Garbage:
      return FailureKind::Protocol;
    default:
      return std::nullopt;
  }
}

void time_out(Reply& reply, Duration timeout) {
  reply.ends_after = timeout;
  reply.result = {};
  reply.result.outcome = Outcome::failed(FailureKind::Timeout);
}

}  // namespace

const Behaviour& Receiver::behaviour(MonoTime now) const {
  const auto after = std::upper_bound(plan_.phases.begin(), plan_.phases.end(), now,
                                      [](MonoTime time, const Phase& p) { return time < p.from; });
  return std::prev(after)->behaviour;
}

Reply Receiver::reply(MonoTime now, WallTime wall, Duration timeout, Dice& dice) const {
  Reply reply;
  const Behaviour& behaviour = this->behaviour(now);
  const Duration latency =
      dice.between(behaviour.latency / 2, std::max(behaviour.latency, Duration(2)));
  reply.ends_after = is_healed_ ? milliseconds(10) : latency;
  reply.fault = is_healed_ ? std::nullopt : fault_of(behaviour, now, dice);
  if (!reply.fault) {
    reply.result.outcome = Outcome::answered(dice.one_of({200, 201, 202, 204}));
  } else if (const int status = status_of(*reply.fault, dice); status != 0) {
    reply.result.outcome = Outcome::answered(status);
  } else if (const auto failure = failure_of(*reply.fault)) {
    reply.result.outcome = Outcome::failed(*failure);
  } else if (*reply.fault == Fault::Slow) {
    reply.ends_after = dice.spread(seconds(1), seconds(100));
    reply.result.outcome = Outcome::answered(200);
  } else if (*reply.fault == Fault::Hanging) {
    reply.ends_after = timeout;
  } else if (*reply.fault != Fault::OutOfDescriptors) {
    wish_for(reply, behaviour, wall + plan_.clock_skew);
  }
  if (reply.ends_after >= timeout) time_out(reply, timeout);
  return reply;
}

}  // namespace petrel::sim
