#include "node/tasks.h"

#include <utility>

#include "node/log_lines.h"

namespace petrel::node {

Tasks::Tasks(const Parts& parts)
    : parts_(parts),
      answers_(parts.control, [this](std::vector<Answer> answers) { read(answers); }) {}

replay::TaskRun::Parts Tasks::ports(Changes& changes) {
  const Seams& seams = parts_.seams;
  return {.loop = parts_.control,
          .clock = seams.clock,
          .browse = seams.browse,
          .pool = seams.pool,
          .commit =
              [&changes](store::ChangeSet set, Function<void(Status)> done) {
                changes.write(std::move(set), Author::Task, std::move(done));
              },
          .ask =
              [this](EndpointId id, std::function<void(replay::Readiness)> answer) {
                ask_readiness(id, std::move(answer));
              },
          .endpoint = [&seams](EndpointId id) { return seams.catalogue.endpoint(id); },
          .count = [this](std::size_t under_way) { under_way_ = under_way; },
          .ended =
              [this](const model::Task& task) {
                log_task_ended(parts_.seams.log, task);
                parts_.mail.send_to_shard(0, TaskNews{task});
              }};
}

void Tasks::start(Changes& changes) {
  if (!replayer_) replayer_ = std::make_unique<replay::Replayer>(ports(changes));
  replayer_->start();
}

void Tasks::stop() { replayer_.reset(); }

void Tasks::wake(OrganisationId organisation, TaskId task) {
  parts_.control.post([this, organisation, task] {
    if (replayer_) replayer_->wake(organisation, task);
  });
}

void Tasks::answered(const model::DeliveryKey& delivery, std::optional<bool> is_good) {
  if (under_way_ > 0) answers_.send({delivery, is_good});
}

void Tasks::read(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    if (!replayer_) return;
    if (answer.is_good) {
      replayer_->answered(answer.delivery, *answer.is_good);
    } else {
      replayer_->unsent(answer.delivery);
    }
  }
}

void Tasks::ask_readiness(EndpointId id, std::function<void(replay::Readiness)> answer) {
  const store::EndpointPtr endpoint = parts_.seams.catalogue.endpoint(id);
  if (!endpoint || endpoint->deleted_at) return answer(replay::Readiness::Deleted);
  if (!endpoint->may_send()) return answer(replay::Readiness::Blocked);
  parts_.lanes.health(id, [answer = std::move(answer)](const Result<engine::LaneHealth>& lane) {
    if (!lane.ok()) return answer(replay::Readiness::Deleted);
    const bool is_closed = lane->circuit.state == lane::CircuitBreaker::State::Closed;
    answer(is_closed ? replay::Readiness::Ready : replay::Readiness::Blocked);
  });
}

}  // namespace petrel::node
