// The encoding of tasks.

#include <limits>

#include "store/encoding.h"
#include "store/record_parts.h"

namespace petrel::store {
namespace {

constexpr std::uint8_t kTaskVersion = 1;

void write_selection(ByteWriter& to, const model::Selection& selection) {
  to.number(selection.applications.size());
  for (const ApplicationId& application : selection.applications) to.id(application);
  write_optional(to, selection.endpoint, [&](const EndpointId& id) { to.id(id); });
  write_texts(to, selection.event_types);
  to.number(selection.reasons.size());
  for (const policy::DeadReason reason : selection.reasons) {
    to.byte(static_cast<std::uint8_t>(reason));
  }
  to.text(selection.channel).text(selection.tag);
  write_optional(to, selection.is_delivered, [&](bool is_delivered) { to.flag(is_delivered); });
  write_optional(to, selection.status_class, [&](int status) { to.signed_number(status); });
  to.time(selection.since).time(selection.until);
}

model::Selection read_selection(ByteReader& in) {
  model::Selection selection;
  for (std::size_t left = in.count(); left > 0; --left) {
    selection.applications.push_back(in.id<ApplicationId>());
  }
  selection.endpoint = read_optional(in, [&] { return in.id<EndpointId>(); });
  selection.event_types = read_texts(in);
  for (std::size_t left = in.count(); left > 0; --left) {
    selection.reasons.push_back(
        static_cast<policy::DeadReason>(in.choice(std::uint8_t(policy::DeadReason::Blocked))));
  }
  selection.channel = in.string();
  selection.tag = in.string();
  selection.is_delivered = read_optional(in, [&] { return in.flag(); });
  selection.status_class = read_optional(in, [&] { return in.integer(); });
  selection.since = in.time();
  selection.until = in.time();
  return selection;
}

void write_progress(ByteWriter& to, const model::TaskProgress& progress) {
  write_optional(to, progress.total, [&](std::uint64_t total) { to.number(total); });
  to.number(progress.done).number(progress.skipped);
  to.number(progress.succeeded).number(progress.failed);
  to.number(progress.cursors.size());
  for (const model::EndpointCursor& cursor : progress.cursors) {
    to.id(cursor.endpoint).time(cursor.died_at).id(cursor.message);
  }
  write_optional(to, progress.cursors_until, [&](const EndpointId& id) { to.id(id); });
  to.flag(progress.has_all_cursors).signed_number(progress.rate_per_minute).time(progress.next_at);
  to.text(progress.waits_for);
}

model::TaskProgress read_task_progress(ByteReader& in) {
  model::TaskProgress progress;
  progress.total = read_optional(in, [&] { return in.number(); });
  progress.done = in.number();
  progress.skipped = in.number();
  progress.succeeded = in.number();
  progress.failed = in.number();
  for (std::size_t left = in.count(); left > 0; --left) {
    model::EndpointCursor cursor;
    cursor.endpoint = in.id<EndpointId>();
    cursor.died_at = in.time();
    cursor.message = in.id<MessageId>();
    progress.cursors.push_back(cursor);
  }
  progress.cursors_until = read_optional(in, [&] { return in.id<EndpointId>(); });
  progress.has_all_cursors = in.flag();
  progress.rate_per_minute = in.integer();
  progress.next_at = in.time();
  progress.waits_for = in.string();
  return progress;
}

}  // namespace

void encode(const model::Task& task, std::string& out) {
  ByteWriter to(out);
  to.byte(kTaskVersion).id(task.application);
  to.byte(static_cast<std::uint8_t>(task.type)).byte(static_cast<std::uint8_t>(task.state));
  to.number(task.revision);
  write_selection(to, task.selection);
  to.signed_number(task.pacing.rate_per_minute).signed_number(task.pacing.rate_per_minute_max);
  to.flag(task.pacing.has_ramp);
  write_progress(to, task.progress);
  to.text(task.data).text(task.why).time(task.created_at).time(task.updated_at);
}

Result<model::Task> decode_task(OrganisationId organisation, TaskId id, std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "task", kTaskVersion);
  if (!version.ok()) return of(id.text(), version.error());
  model::Task task;
  task.id = id;
  task.organisation = organisation;
  task.application = in.id<ApplicationId>();
  task.type =
      static_cast<model::TaskType>(in.choice(std::uint8_t(model::TaskType::EventTypeAggregate)));
  task.state = static_cast<model::TaskState>(in.choice(std::uint8_t(model::TaskState::Failed)));
  task.revision = in.number();
  task.selection = read_selection(in);
  task.pacing.rate_per_minute = in.integer();
  task.pacing.rate_per_minute_max = in.integer();
  task.pacing.has_ramp = in.flag();
  task.progress = read_task_progress(in);
  task.data = in.string();
  task.why = in.string();
  task.created_at = in.time();
  task.updated_at = in.time();
  if (!in.ok()) return of(id.text(), broken("task"));
  return task;
}

}  // namespace petrel::store
