#include "sim/judge/evidence_text.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/rfc3339.h"
#include "sim/judge/policy_reading.h"

namespace petrel::sim::judge {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, static_cast<std::size_t>(Act::CancelTask) + 1> kActs = {
    "post",
    "set server",
    "create application",
    "change application",
    "delete application",
    "create endpoint",
    "change endpoint",
    "delete endpoint",
    "pause",
    "resume",
    "probe",
    "close",
    "resend",
    "discard",
    "expunge",
    "start task",
    "pause task",
    "resume task",
    "cancel task"};

constexpr std::array<std::string_view, 5> kAuthors = {"intake", "lane", "person", "task", "upkeep"};

constexpr std::array<std::string_view, 4> kEvents = {"STARTED", "STOPPING", "STOPPED", "CRASHED"};

std::string outcome(Reply kind, int status) {
  const std::string word = word_of(kind, status);
  if (!word.empty()) return word;
  return kind == Reply::Blocked ? "blocked" : "a fault of ours";
}

std::string text_of(const Asked& asked) {
  return fmt::format("asked {}{} {} {}{}", asked.number, asked.is_own ? " by the node itself" : "",
                     to_string(asked.act), asked.json,
                     asked.task == TaskId() ? "" : " " + asked.task.text());
}

std::string text_of(const Told& told) {
  return fmt::format("told {} {}{}", told.number, told.status,
                     told.message == MessageId() ? "" : " " + told.message.text());
}

std::string text_of(const Resolved& resolved) {
  return fmt::format("resolved {}: {}", resolved.number,
                     resolved.has_happened ? "happened" : "did not happen");
}

std::string text_of(const Requested& sent) {
  return fmt::format("request {}{}", sent.request,
                     sent.loading == Duration::zero()
                         ? ""
                         : fmt::format(" after a load of {} us", sent.loading.count()));
}

std::string text_of(const Replied& reply) {
  return fmt::format("reply {} {}{}", reply.request, outcome(reply.kind, reply.status),
                     reply.retry_after.empty() ? "" : ", Retry-After: " + reply.retry_after);
}

std::string by(By author, TaskId task) {
  const std::string_view word = kAuthors[static_cast<std::size_t>(author)];
  return author == By::Task ? fmt::format("{} {}", word, task.text()) : std::string(word);
}

std::string text_of(const OnDisk& record) {
  std::string text = fmt::format(
      "on disk by {}: {}{}{}, due {}, {} spent", by(record.by, record.task), record.state,
      record.reason.empty() ? "" : " ", record.reason, to_rfc3339(record.due_at), record.attempts);
  if (!record.attempt) return text;
  return text + fmt::format(", attempt {} {} from {} to {}", record.attempt->number,
                            outcome(record.attempt->kind, record.attempt->status),
                            to_rfc3339(record.attempt->started_at),
                            to_rfc3339(record.attempt->ended_at));
}

std::string text_of(const PayloadGone& gone) {
  return fmt::format("payload is gone by {}", by(gone.by, gone.task));
}

std::string text_of(const Dropped& dropped) {
  return dropped.endpoint == EndpointId() ? "message is dropped" : "delivery is dropped";
}

std::string text_of(const TaskStep& step) {
  return fmt::format("task {} hands over", step.task.text());
}

std::string text_of(const TaskOnDisk& record) {
  return fmt::format("task {} on disk by {}: {}, {} done, {} skipped of {}{}", record.task.text(),
                     kAuthors[static_cast<std::size_t>(record.by)], record.state, record.done,
                     record.skipped, record.total ? std::to_string(*record.total) : "?",
                     record.overtaken > 0 ? fmt::format(", {} overtaken", record.overtaken) : "");
}

std::string text_of(const Counted& counted) {
  return fmt::format("counted {} lanes, {} in flight, {} unsettled, {} reads", counted.lanes,
                     counted.in_flight, counted.unsettled, counted.store_reads);
}

std::string text_of(const Life& life) {
  return fmt::format("{} life {}", kEvents[static_cast<std::size_t>(life.event)], life.life);
}

std::string text_of(const ClockSet& set) {
  return fmt::format("CLOCK SET by {} us", set.by.count());
}

std::string text_of(const StoreAway& away) {
  return fmt::format("store {}: {}", away.verb, away.is_over ? "is back" : "is away");
}

std::string text_of(const Dump&) { return "at rest"; }

template <typename What>
About about_of(const What&) {
  return {};
}
About about_of(const Asked& asked) {
  About about;
  if (asked.endpoint != EndpointId()) about.endpoint = asked.endpoint;
  if (asked.message != MessageId()) about.message = asked.message;
  return about;
}
About about_of(const Requested& sent) { return {sent.endpoint, sent.message}; }
About about_of(const OnDisk& record) { return {record.endpoint, record.message}; }
About about_of(const Dropped& dropped) {
  if (dropped.endpoint == EndpointId()) return {std::nullopt, dropped.message};
  return {dropped.endpoint, dropped.message};
}
About about_of(const PayloadGone& gone) { return {std::nullopt, gone.message}; }

}  // namespace

std::string_view to_string(Act act) { return kActs[static_cast<std::size_t>(act)]; }

std::string to_line(const Evidence& evidence) {
  const double seconds = static_cast<double>(evidence.at.mono.time_since_epoch().count()) / 1e6;
  const About who = about(evidence);
  return fmt::format("{:>14.6f} s  {}  {}{}{}", seconds, to_rfc3339(evidence.at.wall),
                     std::visit([](const auto& what) { return text_of(what); }, evidence.what),
                     who.endpoint ? " " + who.endpoint->text() : "",
                     who.message ? " " + who.message->text() : "");
}

About about(const Evidence& evidence) {
  return std::visit([](const auto& what) { return about_of(what); }, evidence.what);
}

}  // namespace petrel::sim::judge
