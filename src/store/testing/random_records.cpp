#include "store/testing/random_records.h"

#include <limits>

#include "policy/presets.h"

namespace petrel::store {

RandomRecords::RandomRecords(std::uint64_t seed) : random_(seed), secure_(seed) {}

Ksuid RandomRecords::ksuid() {
  Ksuid::Bytes bytes;
  secure_.fill(bytes);
  return Ksuid(bytes);
}

WallTime RandomRecords::moment() {
  switch (random_.below(8)) {
    case 0:
      return WallTime::min();
    case 1:
      return WallTime::max();
    case 2:
      return WallTime();
    default:
      return WallTime(Duration(static_cast<std::int64_t>(random_.below(4'000'000'000'000'000))));
  }
}

Duration RandomRecords::duration() { return moment().time_since_epoch(); }

int RandomRecords::integer() {
  switch (random_.below(4)) {
    case 0:
      return std::numeric_limits<int>::min();
    case 1:
      return std::numeric_limits<int>::max();
    default:
      return static_cast<int>(random_.below(2000)) - 1000;
  }
}

std::string RandomRecords::text() {
  const std::uint64_t size = random_.below(random_.below(20) == 0 ? 2000 : 20);
  std::string drawn;
  for (std::uint64_t i = 0; i < size; ++i) drawn.push_back(static_cast<char>(random_.below(256)));
  return drawn;
}

model::Metadata RandomRecords::metadata() {
  model::Metadata drawn;
  for (std::uint64_t left = random_.below(4); left > 0; --left) drawn[text()] = text();
  return drawn;
}

signature::Secret RandomRecords::secret() {
  return chance() ? signature::Secret::generate(secure_)
                  : signature::Secret::generate_asymmetric(secure_);
}

policy::Outcome RandomRecords::outcome() {
  if (chance()) return policy::Outcome::answered(100 + static_cast<int>(random_.below(900)));
  return policy::Outcome::from_code(static_cast<std::uint16_t>(random_.below(10)));
}

policy::RetryPolicy RandomRecords::retry_policy() {
  const auto presets = policy::presets();
  policy::RetryPolicy drawn = presets[random_.below(presets.size())].policy;
  if (chance()) return drawn;
  drawn.preset = "";
  drawn.attempts_max = 1 + static_cast<int>(random_.below(1000));
  drawn.retry_after_cap = std::chrono::seconds(random_.below(86400));
  return drawn;
}

policy::Guards RandomRecords::guards() {
  policy::Guards drawn;
  drawn.open_after = maybe([&] { return 1 + static_cast<int>(random_.below(100)); });
  drawn.open_time = maybe([&] { return std::chrono::seconds(1 + random_.below(100)); });
  drawn.ramp_divisor = maybe([&] { return 1 + static_cast<int>(random_.below(100)); });
  drawn.release_after_outage = maybe([&] { return random_.below(2) == 0; });
  return drawn;
}

model::Application RandomRecords::application() {
  model::Application drawn;
  drawn.id = ApplicationId(ksuid());
  drawn.organisation = OrganisationId(ksuid());
  drawn.uid = text();
  drawn.name = text();
  drawn.tokens_valid_from = maybe([&] { return moment(); });
  drawn.metadata = metadata();
  drawn.throttle_rate = maybe([&] { return integer(); });
  drawn.in_flight_max = maybe([&] { return integer(); });
  drawn.timeout = maybe([&] { return duration(); });
  drawn.retry_policy = maybe([&] { return retry_policy(); });
  drawn.guards = maybe([&] { return guards(); });
  drawn.retention.ended = maybe([&] { return duration(); });
  drawn.retention.dead_letters = maybe([&] { return duration(); });
  drawn.created_at = moment();
  drawn.updated_at = moment();
  drawn.deleted_at = maybe([&] { return moment(); });
  return drawn;
}

model::Endpoint RandomRecords::endpoint() {
  model::Endpoint drawn(signature::KeyRing{secret()});
  for (std::uint64_t left = random_.below(3); left > 0; --left) {
    drawn.keys.old.push_back({secret(), moment()});
  }
  drawn.id = EndpointId(ksuid());
  drawn.application = ApplicationId(ksuid());
  drawn.uid = text();
  drawn.url = text();
  drawn.description = text();
  for (std::uint64_t left = random_.below(4); left > 0; --left) {
    drawn.event_types.push_back(text());
    drawn.channels.push_back(text());
    drawn.headers.emplace_back(text(), text());
  }
  drawn.metadata = metadata();
  drawn.ca_pem = text();
  drawn.client_certificate_pem = text();
  drawn.client_key_pem = text();
  drawn.is_disabled = chance();
  drawn.pause = maybe([&] { return model::Pause{moment(), text()}; });
  drawn.held = {maybe([&] { return moment(); }), duration()};
  drawn.throttle_rate = maybe([&] { return integer(); });
  drawn.in_flight_max = maybe([&] { return integer(); });
  drawn.timeout = maybe([&] { return duration(); });
  drawn.retry_policy = maybe([&] { return retry_policy(); });
  drawn.guards = maybe([&] { return guards(); });
  drawn.created_at = moment();
  drawn.updated_at = moment();
  drawn.deleted_at = maybe([&] { return moment(); });
  return drawn;
}

model::EventType RandomRecords::event_type() {
  model::EventType drawn;
  drawn.organisation = OrganisationId(ksuid());
  drawn.name = text();
  drawn.description = text();
  drawn.is_archived = chance();
  drawn.is_deprecated = chance();
  drawn.schemas = text();
  for (std::uint64_t left = random_.below(4); left > 0; --left) {
    drawn.feature_flags.push_back(text());
  }
  drawn.group_name = text();
  drawn.is_enforced = chance();
  drawn.created_at = moment();
  drawn.updated_at = moment();
  return drawn;
}

model::Message RandomRecords::message() {
  model::Message drawn;
  drawn.id = MessageId(ksuid());
  drawn.application = ApplicationId(ksuid());
  drawn.event_id = text();
  drawn.event_type = text();
  for (std::uint64_t left = random_.below(4); left > 0; --left) {
    drawn.channels.push_back(text());
    drawn.endpoints.emplace_back(ksuid());
  }
  drawn.accepted_at = moment();
  for (std::uint64_t left = random_.below(4); left > 0; --left) drawn.tags.push_back(text());
  drawn.deliver_at = maybe([&] { return moment(); });
  drawn.content_type = text();
  drawn.payload_expires_at = maybe([&] { return moment(); });
  return drawn;
}

model::Delivery RandomRecords::delivery() {
  model::Delivery drawn;
  drawn.key = {EndpointId(ksuid()), MessageId(ksuid())};
  drawn.application = ApplicationId(ksuid());
  drawn.state = static_cast<model::DeliveryState>(random_.below(5));
  drawn.reason = maybe([&] { return static_cast<policy::DeadReason>(random_.below(6)); });
  drawn.due_at = moment();
  drawn.progress.attempts = integer();
  drawn.progress.give_up_at = maybe([&] { return moment(); });
  drawn.progress.delay_previous = duration();
  for (std::uint64_t left = random_.below(6); left > 0; --left) {
    drawn.progress.tally.add(outcome());
  }
  drawn.attempts_total = integer();
  drawn.last_outcome = static_cast<std::uint16_t>(random_.below(65536));
  drawn.is_manual = chance();
  drawn.is_scheduled = chance();
  drawn.is_aborted = chance();
  drawn.next = maybe([&] {
    return model::Next{.basis = static_cast<model::NextBasis>(random_.below(6)),
                       .nominal = duration(),
                       .jitter = duration(),
                       .retry_after = maybe([&] { return duration(); }),
                       .not_before = maybe([&] { return moment(); }),
                       .released_from = maybe([&] { return moment(); })};
  });
  drawn.updated_at = moment();
  return drawn;
}

model::Attempt RandomRecords::attempt() {
  model::Attempt drawn;
  drawn.id = AttemptId(ksuid());
  drawn.delivery = {EndpointId(ksuid()), MessageId(ksuid())};
  drawn.application = ApplicationId(ksuid());
  drawn.number = integer();
  drawn.trigger = chance() ? model::Trigger::Scheduled : model::Trigger::Manual;
  drawn.url = text();
  drawn.outcome = outcome();
  drawn.response = text();
  drawn.error = text();
  drawn.timings = {duration(), duration(), duration(), duration(), duration()};
  drawn.started_at = moment();
  drawn.ended_at = moment();
  return drawn;
}

model::Task RandomRecords::task() {
  model::Task drawn;
  drawn.id = TaskId(ksuid());
  drawn.organisation = OrganisationId(ksuid());
  drawn.application = ApplicationId(ksuid());
  drawn.type = static_cast<model::TaskType>(random_.below(7));
  drawn.state = static_cast<model::TaskState>(random_.below(5));
  drawn.revision = random_.below(1000);
  drawn.selection.endpoint = maybe([&] { return EndpointId(ksuid()); });
  for (std::uint64_t left = random_.below(4); left > 0; --left) {
    drawn.selection.applications.emplace_back(ksuid());
    drawn.selection.event_types.push_back(text());
    drawn.selection.reasons.push_back(static_cast<policy::DeadReason>(random_.below(6)));
    drawn.progress.cursors.push_back({EndpointId(ksuid()), moment(), MessageId(ksuid())});
  }
  drawn.selection.channel = text();
  drawn.selection.tag = text();
  drawn.selection.is_delivered = maybe([&] { return chance(); });
  drawn.selection.status_class = maybe([&] { return integer(); });
  drawn.selection.since = moment();
  drawn.selection.until = moment();
  drawn.pacing = {integer(), integer(), chance()};
  drawn.progress.total = maybe([&] { return random_.below(1000); });
  drawn.progress.done = random_.below(1000);
  drawn.progress.skipped = random_.below(1000);
  drawn.progress.succeeded = random_.below(1000);
  drawn.progress.failed = random_.below(1000);
  drawn.progress.cursors_until = maybe([&] { return EndpointId(ksuid()); });
  drawn.progress.has_all_cursors = chance();
  drawn.progress.rate_per_minute = integer();
  drawn.progress.next_at = moment();
  drawn.progress.waits_for = text();
  drawn.data = text();
  drawn.why = text();
  drawn.created_at = moment();
  drawn.updated_at = moment();
  return drawn;
}

}  // namespace petrel::store
