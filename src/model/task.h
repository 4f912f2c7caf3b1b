// Task is work that goes on after its request was answered: putting dead letters back on their
// lanes, discarding them, expunging payloads. It is kept in the store with how far it has come, so
// that a restart takes it up where it was.
//
//   Running ⇄ Paused ──▶ Cancelled
//      └───▶ Finished, Failed, Cancelled
//
// What it did and how far it has come are written in one piece, so nothing is skipped and nothing
// is done twice. Every writer says which revision it has read: of two that come at once
// one is refused, and looks again.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/message.h"
#include "policy/decision.h"

namespace petrel::model {

enum class TaskType : std::uint8_t {
  Recover,         // Dead letters are sent again.
  ReplayMissing,   // Messages that an endpoint has no delivery of are sent to it.
  BulkReplay,      // What an endpoint was sent is sent again.
  Discard,         // Dead letters are taken off their list.
  ExpungeContent,  // The payloads of an application are deleted.
  ApplicationStats,
  EventTypeAggregate,
};

// As client libraries know it. They refuse names that they do not know, so what they know nothing
// of goes by the name of what comes nearest; word_for() tells them apart.
std::string_view to_string(TaskType type);
std::string_view word_for(TaskType type);

enum class TaskState : std::uint8_t { Running, Paused, Finished, Cancelled, Failed };

std::string_view to_string(TaskState state);

// Which deliveries, or messages, a task is about.
struct Selection {
  std::vector<ApplicationId> applications = {};  // Of statistics: those that are counted.
  std::optional<EndpointId> endpoint = {};       // Empty: every one of the application.
  std::vector<std::string> event_types = {};     // Empty: any, as with those that follow.
  std::vector<policy::DeadReason> reasons = {};  // Of dead letters.
  std::string channel = {};
  std::string tag = {};
  std::optional<bool> is_delivered = {};  // Of a bulk replay: only what was, or was not.
  std::optional<int> status_class = {};   // 2 for 2xx, of the last answer; 0 if there was none.

  // Of the time of death for dead letters, else of the message's.
  WallTime since = WallTime::min();  // The first moment that counts.
  WallTime until = WallTime::max();  // The first one that does not.

  // What is asked of the message itself.
  bool looks_inside() const { return !event_types.empty() || !channel.empty() || !tag.empty(); }
  bool wants(const Message& message) const;

  friend bool operator==(const Selection&, const Selection&) = default;
};

// How fast deliveries are put back: at a rate that doubles each minute while the answers are good
// and is halved when they are not, up to a ceiling; or at a constant one.
struct Pacing {
  int rate_per_minute = 100;
  int rate_per_minute_max = 1000;
  bool has_ramp = true;

  friend bool operator==(const Pacing&, const Pacing&) = default;
};

// How far a task has come with one endpoint; a task of no endpoint has one cursor, without an
// endpoint.
struct EndpointCursor {
  EndpointId endpoint;
  WallTime died_at = WallTime::min();  // The last that was looked at, if it goes by death;
  MessageId message = {};              // then, or else, by message. Zeros: none.

  friend bool operator==(const EndpointCursor&, const EndpointCursor&) = default;
};

struct TaskProgress {
  std::optional<std::uint64_t> total = {};  // Empty until it has been counted.
  std::uint64_t done = 0;                   // Put back, discarded, expunged.
  std::uint64_t skipped = 0;                // Left alone: the payload is gone, or it moved on.

  // How the first attempts of what was put back ended, as far as was seen.
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;

  std::vector<EndpointCursor> cursors = {};      // Of the endpoints under way.
  std::optional<EndpointId> cursors_until = {};  // The last endpoint that got a cursor.
  bool has_all_cursors = false;                  // No endpoint follows it.

  int rate_per_minute = 0;  // As it is now.
  WallTime next_at = {};    // When the next one may be put back.

  // Why nothing is done at present, in plain words. Empty if something is.
  std::string waits_for = {};

  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};

struct Task {
  TaskId id;
  OrganisationId organisation;
  ApplicationId application;  // Zeros if it is about all of the organisation's.
  TaskType type = TaskType::Recover;
  TaskState state = TaskState::Running;
  std::uint64_t revision = 1;  // Each write is the next one.
  Selection selection = {};
  Pacing pacing = {};
  TaskProgress progress = {};
  std::string data = {};  // What it found out, as JSON. Empty: the progress says it all.
  std::string why = {};   // Why it failed.
  WallTime created_at = {};
  WallTime updated_at = {};

  bool has_ended() const { return state != TaskState::Running && state != TaskState::Paused; }

  friend bool operator==(const Task&, const Task&) = default;
};

}  // namespace petrel::model
