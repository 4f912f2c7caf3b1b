#include "node/log_lines.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/rfc3339.h"
#include "base/url.h"

namespace petrel::node {
namespace {

using engine::OpenCircuit;
using log::Field;
using log::Kind;
using log::Words;
using model::DeliveryState;

std::string origin_of(const model::Endpoint& endpoint) {
  const Result<Url> url = Url::parse(endpoint.url);
  return url.ok() ? url->origin() : "an endpoint whose URL is not well-formed";
}

std::vector<Field> fields_of(const engine::LaneConfig& lane,
                             const std::optional<OpenCircuit>& circuit) {
  std::vector<Field> fields = {{"appId", lane.application.text()},
                               {"endpointId", lane.endpoint.text()}};
  if (circuit && !circuit->why.empty()) fields.emplace_back("why", circuit->why);
  if (circuit && circuit->next_probe_at) {
    fields.emplace_back("nextProbeAt", to_rfc3339(*circuit->next_probe_at));
  }
  return fields;
}

std::vector<Field> fields_of(const model::DeliveryKey& delivery) {
  return {{"endpointId", delivery.endpoint.text()}, {"msgId", delivery.message.text()}};
}

std::vector<Field> fields_of(const model::Delivery& delivery) {
  return {{"appId", delivery.application.text()},
          {"endpointId", delivery.key.endpoint.text()},
          {"msgId", delivery.key.message.text()}};
}

void log_attempt(log::Log& log, const model::Attempt& attempt, const model::Delivery& delivery) {
  log.tell(Kind::AttemptEnded, [&] {
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    Words words{fmt::format("attempt {} of the delivery: {}", attempt.number,
                            attempt.error.empty() ? attempt.outcome.text() : attempt.error),
                fields_of(delivery)};
    words.fields.emplace_back("attemptId", attempt.id.text());
    words.fields.emplace_back("outcome", attempt.outcome.text());
    words.fields.emplace_back("ms", duration_cast<milliseconds>(attempt.timings.total).count());
    words.fields.emplace_back("state", to_string(delivery.state));
    return words;
  });
}

void log_dead(log::Log& log, const model::Delivery& delivery) {
  log.tell(Kind::DeliveryDead, [&] {
    const std::string_view reason = delivery.reason ? to_string(*delivery.reason) : "dead";
    Words words{fmt::format("the delivery is a dead letter: {}", reason), fields_of(delivery)};
    words.fields.emplace_back("reason", reason);
    words.fields.emplace_back("attempts", delivery.attempts_total);
    if (delivery.last_outcome != 0) {
      words.fields.emplace_back("outcome",
                                policy::Outcome::from_code(delivery.last_outcome).text());
    }
    return words;
  });
}

Words words_for(const notice::EndpointChange& change, std::string_view what) {
  const model::Endpoint& endpoint = *change.after;
  const bool is_by_server = change.by == notice::Author::Server;
  return {fmt::format("{} {}", origin_of(endpoint), what),
          {{"appId", endpoint.application.text()},
           {"endpointId", endpoint.id.text()},
           {"by", is_by_server ? "server" : "person"}}};
}

// Of an endpoint that was there before, and is.
void log_switched(log::Log& log, const notice::EndpointChange& change) {
  const model::Endpoint& before = *change.before;
  const model::Endpoint& after = *change.after;
  if (!before.pause && after.pause) {
    log.tell(Kind::EndpointPaused, [&] {
      Words words = words_for(change, "is paused: " + after.pause->why);
      words.fields.emplace_back("why", after.pause->why);
      return words;
    });
  } else if (before.pause && !after.pause) {
    log.tell(Kind::EndpointResumed, [&] { return words_for(change, "is resumed"); });
  }
  if (before.is_disabled != after.is_disabled) {
    const Kind kind = after.is_disabled ? Kind::EndpointDisabled : Kind::EndpointEnabled;
    log.tell(kind,
             [&] { return words_for(change, after.is_disabled ? "is disabled" : "is enabled"); });
  }
}

Words words_for(const model::Task& task, std::string_view what) {
  Words words{fmt::format("the task {} {}", word_for(task.type), what),
              {{"taskId", task.id.text()}}};
  if (task.application != ApplicationId()) {
    words.fields.emplace_back("appId", task.application.text());
  }
  if (task.selection.endpoint) {
    words.fields.emplace_back("endpointId", task.selection.endpoint->text());
  }
  return words;
}

void add_figures(const model::TaskProgress& progress, Words& words) {
  words.fields.emplace_back("done", progress.done);
  words.fields.emplace_back("skipped", progress.skipped);
  words.fields.emplace_back("succeeded", progress.succeeded);
  words.fields.emplace_back("failed", progress.failed);
}

}  // namespace

void log_circuit(log::Log& log, const engine::LaneConfig& lane,
                 const std::optional<OpenCircuit>& before, const std::optional<OpenCircuit>& after,
                 LaneIs is) {
  if (!before && !after) return;
  const std::string& receiver = lane.authority;
  if (!before) {
    const bool is_new = is == LaneIs::New;
    log.tell(is_new ? Kind::CircuitRestored : Kind::CircuitOpened, [&] {
      return Words{fmt::format("nothing is sent to {} until a probe succeeds{}: {}", receiver,
                               is_new ? ", as before the start" : "", after->why),
                   fields_of(lane, after)};
    });
  } else if (!after) {
    log.tell(Kind::CircuitClosed, [&] {
      return Words{fmt::format("{} is sent to again", receiver), fields_of(lane, after)};
    });
  } else if (before->next_probe_at && !after->next_probe_at) {
    log.tell(Kind::CircuitHalfOpen, [&] {
      return Words{fmt::format("a probe is sent to {}", receiver), fields_of(lane, after)};
    });
  } else if (!before->next_probe_at && after->next_probe_at) {
    log.tell(Kind::CircuitProbeFailed, [&] {
      return Words{fmt::format("the probe sent to {} failed", receiver), fields_of(lane, after)};
    });
  }
}

void log_settlement(log::Log& log, const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  if (settlement.attempt) log_attempt(log, *settlement.attempt, delivery);
  if (delivery.state == DeliveryState::Dead) log_dead(log, delivery);
}

void log_refused(log::Log& log, const model::DeliveryKey& delivery, const Error& error) {
  log.tell(Kind::DeliveryDamaged, [&] {
    return Words{fmt::format("the delivery of {} to {} is left alone, as what is stored of it is "
                             "damaged ({}); petrel inspect --verify says what else is",
                             delivery.message.text(), delivery.endpoint.text(), error.text()),
                 fields_of(delivery)};
  });
}

void log_fault(log::Log& log, const model::DeliveryKey& delivery,
               const model::AttemptResult& result) {
  log.tell(Kind::AttemptFault, [&] {
    return Words{fmt::format("an attempt could not be made, which costs its delivery nothing: {}",
                             result.error),
                 fields_of(delivery)};
  });
}

void log_blocked(log::Log& log, const model::DeliveryKey& delivery,
                 const model::AttemptResult& result) {
  log.tell(Kind::ReceiverBlocked, [&] {
    return Words{result.for_operator.empty() ? result.error : result.for_operator,
                 fields_of(delivery)};
  });
}

void log_change(log::Log& log, const notice::EndpointChange& change) {
  using notice::NoticeType;
  if (change.before && change.before->deleted_at) return;  // Its record goes, too.
  const std::vector<NoticeType> types = notice::types_of(change);
  const auto is = [&](NoticeType type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (is(NoticeType::EndpointCreated)) {
    log.tell(Kind::EndpointCreated, [&] { return words_for(change, "is a new endpoint"); });
  } else if (is(NoticeType::EndpointDeleted)) {
    log.tell(Kind::EndpointDeleted, [&] { return words_for(change, "is deleted"); });
  } else {
    const bool is_switched = change.before->is_disabled != change.after->is_disabled;
    if (is(NoticeType::EndpointUpdated) && !is_switched) {
      log.tell(Kind::EndpointChanged, [&] { return words_for(change, "is changed"); });
    }
    log_switched(log, change);
  }
}

void log_task_begun(log::Log& log, const model::Task& task) {
  log.tell(Kind::TaskBegun, [&] { return words_for(task, "begins"); });
}

void log_task_edited(log::Log& log, const model::Task& task) {
  using model::TaskState;
  if (task.state == TaskState::Paused) {
    log.tell(Kind::TaskPaused, [&] { return words_for(task, "is paused"); });
  } else if (task.state == TaskState::Running) {
    log.tell(Kind::TaskResumed, [&] { return words_for(task, "goes on"); });
  } else if (task.state == TaskState::Cancelled) {
    log.tell(Kind::TaskCancelled, [&] {
      Words words = words_for(task, "is cancelled");
      add_figures(task.progress, words);
      return words;
    });
  }
}

void log_task_ended(log::Log& log, const model::Task& task) {
  const bool is_failed = task.state == model::TaskState::Failed;
  log.tell(is_failed ? Kind::TaskFailed : Kind::TaskFinished, [&] {
    Words words = words_for(task, is_failed ? "has failed: " + task.why : "has finished");
    add_figures(task.progress, words);
    return words;
  });
}

void log_released(log::Log& log, const model::Suspect& suspect) {
  log.tell(Kind::DeliveryReleased, [&] {
    Words words{fmt::format("the delivery, held after {} crashes, is sent again", suspect.crashes),
                fields_of(suspect.delivery)};
    words.fields.emplace_back("appId", suspect.application.text());
    return words;
  });
}

}  // namespace petrel::node
