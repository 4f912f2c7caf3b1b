#include "sim/judge/judge.h"

#include <variant>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {

Judge::Judge(const JudgeSettings& settings)
    : settings_(settings),
      lanes_(settings_, scene_),
      accusers_(make_accusers({settings_, scene_, lanes_, accusations_})) {}

Judge::~Judge() = default;

void Judge::hear(const Evidence& evidence) {
  if (scene_.now().mono < evidence.at.mono) {
    lanes_.pass(evidence.at.mono);
    for (const auto& accuser : accusers_) accuser->passed(evidence.at);
  }
  if (const auto* const record = std::get_if<OnDisk>(&evidence.what)) {
    scene_.move_to(evidence.at);
    show_record(*record);
  }
  scene_.enter(evidence);
  std::visit([this](const auto& what) { show(what); }, evidence.what);
  lanes_.enter(evidence);
}

void Judge::show(const Asked& asked) {
  for (const auto& accuser : accusers_) accuser->asked(asked);
}

void Judge::show(const Told& told) {
  const Asked* const asked = scene_.asked(told.number);
  if (asked == nullptr) return;
  for (const auto& accuser : accusers_) accuser->told(told, *asked);
}

void Judge::show(const Requested& sent) {
  const Request* const request = scene_.request(sent.request);
  for (const auto& accuser : accusers_) accuser->requested(*request);
}

void Judge::show(const Replied& reply) {
  const Request* const request = scene_.request(reply.request);
  if (request == nullptr || !request->reply) return;
  for (const auto& accuser : accusers_) accuser->replied(*request);
}

void Judge::show_record(const OnDisk& record) {
  const DeliveryName name{record.endpoint, record.message};
  const Track* const before = scene_.is_dropped(name) ? nullptr : scene_.track(name);
  const Request* const request = scene_.request_of(record);
  for (const auto& accuser : accusers_) accuser->on_disk(before, record, request);
}

void Judge::show(const PayloadGone& gone) {
  for (const auto& accuser : accusers_) accuser->payload_gone(gone);
}

void Judge::show(const Dropped& dropped) {
  for (const auto& accuser : accusers_) accuser->dropped(dropped);
}

void Judge::show(const TaskStep& step) {
  for (const auto& accuser : accusers_) accuser->task_step(step);
}

void Judge::show(const TaskOnDisk& record) {
  for (const auto& accuser : accusers_) accuser->task_on_disk(record);
}

void Judge::show(const Counted& counted) {
  for (const auto& accuser : accusers_) accuser->counted(counted);
}

void Judge::show(const Life& life) {
  for (const auto& accuser : accusers_) accuser->life(life);
}

void Judge::show(const ClockSet& set) {
  for (const auto& accuser : accusers_) accuser->clock_set(set);
}

void Judge::show(const StoreAway& away) {
  for (const auto& accuser : accusers_) accuser->store_away(away);
}

void Judge::show(const Dump& dump) {
  for (const auto& accuser : accusers_) accuser->rested(dump);
}

}  // namespace petrel::sim::judge
