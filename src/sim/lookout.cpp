#include "sim/lookout.h"

#include <algorithm>
#include <variant>

#include "sim/judge/figures.h"
#include "sim/judge/json_field.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim {
namespace {

using judge::Act;
using judge::CircuitState;
using judge::LaneModel;
using judge::Request;
using Phase = CircuitState::Phase;

template <typename Condition>
bool is_surely(const LaneModel* lane, Condition holds) {
  if (lane == nullptr) return false;
  const auto& states = lane->circuit.states();
  return std::all_of(states.begin(), states.end(), holds);
}

}  // namespace

bool Lookout::is_surely_open(EndpointId endpoint) const {
  const LaneModel* const lane = judge_.lanes().lane(endpoint);
  return lane != nullptr && !lane->circuit.may_be_closed();
}

bool Lookout::is_surely_closed(EndpointId endpoint) const {
  const LaneModel* const lane = judge_.lanes().lane(endpoint);
  return lane == nullptr || lane->circuit.must_be_closed();
}

bool Lookout::is_surely_probing(EndpointId endpoint) const {
  return is_surely(judge_.lanes().lane(endpoint),
                   [](const auto& state) { return state.phase == Phase::Probing; });
}

void Lookout::before(const judge::Evidence& evidence) {
  if (const auto* const asked = std::get_if<judge::Asked>(&evidence.what)) return see(*asked);
  if (const auto* const sent = std::get_if<judge::Requested>(&evidence.what)) return see(*sent);
  if (const auto* const reply = std::get_if<judge::Replied>(&evidence.what)) return see(*reply);
  if (const auto* const life = std::get_if<judge::Life>(&evidence.what)) return see(*life);
  if (const auto* const record = std::get_if<judge::OnDisk>(&evidence.what)) {
    was_closed_ = is_surely_closed(record->endpoint);
    const judge::Track* const track = judge_.scene().track({record->endpoint, record->message});
    was_released_ = track != nullptr && track->released_from.has_value();
  }
}

void Lookout::after(const judge::Evidence& evidence) {
  if (const auto* const reply = std::get_if<judge::Replied>(&evidence.what)) {
    const Request* const request = judge_.scene().request(reply->request);
    if (request != nullptr) see_opening(request->sent.endpoint, true);
  }
  if (const auto* const record = std::get_if<judge::OnDisk>(&evidence.what)) {
    see_opening(record->endpoint, false);
    see_release(*record);
    see_late(*record);
  }
}

void Lookout::see(const judge::Asked& asked) {
  reached_.add(asked.act);
  if (asked.act == Act::Pause && asked.is_own) saw(Landmark::PausedByItself);
  if (asked.endpoint == EndpointId() || judge_.scene().in_flight_to(asked.endpoint) == 0) return;
  const bool moves =
      asked.act == Act::ChangeEndpoint && judge::text_field(judge::read_json(asked.json), "url");
  if (moves) saw(Landmark::MovedInFlight, {asked.endpoint, {}});
  if (asked.act == Act::DeleteEndpoint) saw(Landmark::DeletedInFlight);
  if (asked.act == Act::Pause && !asked.is_own) saw(Landmark::PausedInFlight);
  const judge::Track* const track = judge_.scene().track({asked.endpoint, asked.message});
  if (asked.act == Act::Resend && track != nullptr && track->is_in_flight()) {
    saw(Landmark::ResentInFlight);
    if (is_surely_probing(asked.endpoint)) saw(Landmark::ResentProbe);
  }
}

void Lookout::see(const judge::Requested& sent) {
  const judge::Track* const track = judge_.scene().track({sent.endpoint, sent.message});
  if (track == nullptr || !is_surely_open(sent.endpoint)) return;
  if (sent.signed_at >= track->on_disk.due_at) return;
  saw(Landmark::ProbeEarly, {sent.endpoint, sent.message});
}

void Lookout::see(const judge::Replied& reply) {
  const Request* const request = judge_.scene().request(reply.request);
  if (request == nullptr) return;
  was_closed_ = is_surely_closed(request->sent.endpoint);
  was_streak_ = is_surely(judge_.lanes().lane(request->sent.endpoint), [](const auto& state) {
    return state.streak + 1 >= judge::figures::kOpenAfter;
  });
  see_probe_end(reply, *request);
  const bool is_gone = reply.kind == judge::Reply::Answered && reply.status == 410;
  if (is_gone && judge_.scene().waiting(request->sent.endpoint).size() > 1) {
    saw(Landmark::ToldGone, request->delivery());
  }
}

void Lookout::see_probe_end(const judge::Replied& reply, const Request& request) {
  const bool is_probe =
      is_surely(judge_.lanes().lane(request.sent.endpoint), [&](const auto& state) {
        return state.phase == Phase::Probing && state.probe == request.order;
      });
  if (!is_probe || judge::is_our_fault(reply.kind)) return;
  const bool is_answer = reply.kind == judge::Reply::Answered;
  if (is_answer && reply.status == 429) return saw(Landmark::ProbeThrottled);
  if (!is_answer || reply.status / 100 == 5) saw(Landmark::ProbeFailed);
}

void Lookout::see_opening(EndpointId endpoint, bool is_of_reply) {
  if (!was_closed_ || !is_surely_open(endpoint)) return;
  if (!is_of_reply) return saw(Landmark::OpenedByExhaustion);
  saw(was_streak_ ? Landmark::OpenedByStreak : Landmark::OpenedByWindow);
}

void Lookout::see_release(const judge::OnDisk& record) {
  const judge::Track* const track = judge_.scene().track({record.endpoint, record.message});
  const bool is_released = track != nullptr && track->released_from.has_value();
  if (!was_released_ && is_released) saw(Landmark::Released, {record.endpoint, record.message});
}

void Lookout::see_late(const judge::OnDisk& record) {
  const judge::Track* const track = judge_.scene().track({record.endpoint, record.message});
  const Request* const request = track == nullptr ? nullptr : track->recorded_now;
  if (request == nullptr) return;
  MonoTime& latest = recorded_until_.try_emplace(record.endpoint).first->second;
  const bool is_late = request->replied.mono < latest;
  latest = std::max(latest, request->replied.mono);
  if (is_late && is_surely_open(record.endpoint)) {
    saw(Landmark::WrittenLate, {record.endpoint, record.message});
  }
}

void Lookout::see(const judge::Life& life) {
  if (life.event == judge::Life::Event::Started) see_start();
  if (life.event == judge::Life::Event::Crashed) see_death();
}

void Lookout::see_death() {
  const judge::Scene& scene = judge_.scene();
  for (const EndpointId endpoint : scene.catalogue().endpoints()) {
    const LaneModel* const lane = judge_.lanes().lane(endpoint);
    if (lane == nullptr) continue;
    has_died_unsettled_ = has_died_unsettled_ || lane->unsettled > 0;
    const bool is_out = scene.in_flight_to(endpoint) > 0;
    if (is_out && judge_.lanes().is_moving(endpoint)) died_moving_.insert(endpoint);
    if (is_out && is_surely_probing(endpoint)) saw(Landmark::ProbeLost);
  }
}

void Lookout::see_start() {
  const judge::Scene& scene = judge_.scene();
  for (const EndpointId endpoint : scene.catalogue().endpoints()) {
    const LaneModel* const lane = judge_.lanes().lane(endpoint);
    const bool is_there = scene.catalogue().must_exist(endpoint, scene.now().mono);
    if (lane == nullptr || !is_there || !lane->has_ever_sent) continue;
    const bool has_ramp = is_surely(
        lane, [](const auto& state) { return state.is_closed() && state.ramp.has_value(); });
    if (is_surely_open(endpoint)) saw(Landmark::StartedWithOpenCircuit);
    if (lane->hold.surely_until() > scene.now().mono) saw(Landmark::StartedWithHold);
    if (has_ramp) saw(Landmark::StartedWithRamp);
    if (!lane->may_send) saw(Landmark::StartedWithPausedLane);
    if (died_moving_.contains(endpoint)) saw(Landmark::StartedWithMove);
  }
  if (has_died_unsettled_) saw(Landmark::StartedWithOutcome);
  died_moving_.clear();
  has_died_unsettled_ = false;
}

}  // namespace petrel::sim
