// Evidence is what can be seen of a node from outside: what producers and people asked and were
// told, what receivers got and said, what is on disk, when the process lived and died, and what the
// clock and the disk did to it. Numbers, words and JSON text; nothing of the node's own.
//
// It comes in the order in which it happened. A PUT is told as a change that names every field.
// What the node changes by itself (a pause after 410) is asked and told too, with `is_own`.
//
// Thread: any. Values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace petrel::sim::judge {

// On both clocks, since the one on the wall may be set.
struct Moment {
  MonoTime mono;
  WallTime wall;
};

struct DeliveryName {
  EndpointId endpoint;
  MessageId message;

  friend auto operator<=>(const DeliveryName&, const DeliveryName&) = default;
};

enum class Act : std::uint8_t {
  Post,       // A message; `json` is its body, `key` its idempotency key if it has one.
  SetServer,  // The server's own retryPolicy, guards, maxInFlight, timeout.
  CreateApplication,
  ChangeApplication,
  DeleteApplication,
  CreateEndpoint,
  ChangeEndpoint,
  DeleteEndpoint,
  Pause,
  Resume,
  Probe,  // circuit/probe
  Close,  // circuit/close
  Resend,
  Discard,
  Expunge,  // The payload of one message; without one, a task that deletes all of the application.
  StartTask,
  PauseTask,
  ResumeTask,
  CancelTask,
};

// A producer or a person asks. The ids are those that the act is about, as far as the one who asks
// knows them: also those of an application, an endpoint or a task that is to be made.
struct Asked {
  std::uint64_t number = 0;
  Act act = Act::Post;
  ApplicationId application = {};
  EndpointId endpoint = {};
  MessageId message = {};
  TaskId task = {};
  std::string key = {};
  std::string json = {};
  bool is_own = false;
};

// The answer to it. There is none if the process died first; 5xx means that it may have happened.
struct Told {
  std::uint64_t number = 0;
  int status = 0;
  MessageId message = {};  // Of a post that was accepted.
};

// What became of a change whose asker was told 5xx, or nothing: it is on disk for good and the node
// goes by it, or never will be.
struct Resolved {
  std::uint64_t number = 0;
  bool has_happened = false;
};

// A request goes on the wire.
struct Requested {
  std::uint64_t request = 0;
  int life = 0;
  EndpointId endpoint;
  MessageId message;
  std::string url;
  std::string body_hash = {};
  std::size_t payload_bytes = 0;  // Of the bodies of all requests that are out, with this one.
  WallTime signed_at;             // `webhook-timestamp`, and the start of the attempt on record.
  // How long the payload's load took that ended now: limits may have been asked before it.
  Duration loading{};
};

enum class Reply : std::uint8_t {
  Answered,  // With a status.
  Dns,
  Connect,
  Tls,
  Timeout,
  Reset,
  StaleReset,  // On a connection that was used before.
  Protocol,
  Blocked,        // By the address guard; nothing was sent.
  OurFault,       // Cut off by us, or never properly tried.
  ResolverFault,  // Ours too: our resolver did not answer.
};

// The node is told what came of a request.
struct Replied {
  std::uint64_t request = 0;
  Reply kind = Reply::Answered;
  int status = 0;
  std::string retry_after = {};
  std::string date = {};
  std::string webhook_delivery = {};
};

struct RecordedAttempt {
  AttemptId id;
  int number = 0;
  Reply kind = Reply::Answered;
  int status = 0;
  std::string url;
  WallTime started_at;
  WallTime ended_at;
};

// Who wrote it.
enum class By : std::uint8_t { Intake, Lane, Person, Task, Upkeep };

// The record of a delivery, and with it perhaps an attempt, is on disk.
struct OnDisk {
  ApplicationId application;
  EndpointId endpoint;
  MessageId message;
  std::string state = {};   // pending, retrying, delivered, dead, discarded.
  std::string reason = {};  // Of a death.
  WallTime due_at = {};
  int attempts = 0;          // Spent in its present budget, as the record says.
  WallTime updated_at = {};  // As the record says; of a dead one, when it died.
  std::optional<RecordedAttempt> attempt = std::nullopt;
  By by = By::Lane;
  TaskId task = {};  // If a task wrote it.
  // When it was handed to the store, if that is known: for the first time, and when it was written.
  std::optional<MonoTime> handed_over = std::nullopt;
  std::optional<MonoTime> handed_over_last = std::nullopt;
};

// A payload is gone from the disk.
struct PayloadGone {
  ApplicationId application;
  MessageId message;
  By by = By::Person;
  TaskId task = {};  // If a task deleted it.
};

// Retention has dropped a delivery's record; without an endpoint, the message's.
struct Dropped {
  ApplicationId application;
  EndpointId endpoint = {};
  MessageId message;
};

// A task hands something that it does over to the store. Whether that comes on disk is seen later,
// or never.
struct TaskStep {
  TaskId task;
};

// A task's record is on disk, after what it did by the same commit.
struct TaskOnDisk {
  TaskId task = {};
  std::string state = {};  // running, paused, finished, cancelled, failed.
  std::optional<std::uint64_t> total = std::nullopt;
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;
  By by = By::Task;
  std::uint64_t overtaken = 0;  // What it was to do by this commit, and somebody else had changed.

  friend bool operator==(const TaskOnDisk&, const TaskOnDisk&) = default;
};

// What the node counts of itself.
struct Counted {
  std::size_t lanes = 0;
  std::size_t with_work = 0;
  std::size_t in_flight = 0;
  std::size_t unsettled = 0;
  std::size_t payload_bytes = 0;
  std::uint64_t store_reads = 0;  // In all lives.
  std::uint64_t turns = 0;        // Of its loops, in all lives.
};

struct Life {
  enum class Event : std::uint8_t {
    Started,
    Stopping,  // It was asked to drain.
    Stopped,   // It has drained, and is gone.
    Crashed,
  };
  int life = 0;
  Event event = Event::Started;
  Duration grace{};  // Of Stopping.
};

// The wall clock was set by this much; the moment is the one after.
struct ClockSet {
  Duration by{};
};

// The store refuses, stalls, or said of a write that it is not sure; or that is over.
struct StoreAway {
  std::string verb = {};
  bool is_over = false;
};

// Faults have stopped, and nothing happens any more: the catalogue, record by record, as it is on
// disk and as the node shows it.
struct Dump {
  std::vector<std::string> on_disk = {};
  std::vector<std::string> shown = {};
};

struct Evidence {
  Moment at;
  std::variant<Asked, Told, Resolved, Requested, Replied, OnDisk, PayloadGone, Dropped, TaskStep,
               TaskOnDisk, Counted, Life, ClockSet, StoreAway, Dump>
      what;
};

}  // namespace petrel::sim::judge
