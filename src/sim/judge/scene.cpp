#include "sim/judge/scene.h"

#include <algorithm>
#include <variant>

#include "base/url.h"
#include "sim/judge/figures.h"
#include "sim/judge/json_field.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

// After a failure the last outcomes are written again at the latest after so long.
constexpr Duration kWritesAgain = std::chrono::seconds(2);

template <typename Map, typename Key>
auto* find_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

void Scene::enter(const Evidence& evidence) {
  now_ = evidence.at;
  if (!clocks_.has_begun()) clocks_.noted(evidence.at);
  std::visit([this](const auto& what) { enter(what); }, evidence.what);
}

void Scene::enter(const Asked& asked) {
  asked_.emplace(asked.number, asked);
  catalogue_.asked(asked, now_.mono);
  if (asked.act == Act::Resend || asked.act == Act::Discard || asked.act == Act::Expunge) {
    acts_.emplace(asked.message, ActOnMessage{asked.act, asked.endpoint, now_.mono});
  }
  if (asked.act == Act::Expunge) expunge(asked, false);
  if (asked.act != Act::Post) return;
  const JsonValue json = read_json(asked.json);
  posts_.emplace(asked.number, Post{.asked = asked,
                                    .at = now_,
                                    .event_type = text_field(json, "eventType").value_or(""),
                                    .channels = words_field(json, "channels"),
                                    .deliver_at = time_field(json, "deliverAt")});
}

// Without a message it is about all that the application has by then, and by that clock.
void Scene::expunge(const Asked& asked, bool is_told) {
  if (asked.message != MessageId()) {
    expunged_[asked.message] |= is_told;
    return;
  }
  WallTime& until = all_expunged_.try_emplace(asked.application, now_.wall).first->second;
  if (!is_told) until = std::max(until, now_.wall);
}

bool Scene::was_asked_for(WallTime deliver_at) const {
  return std::any_of(posts_.begin(), posts_.end(),
                     [&](const auto& post) { return post.second.deliver_at == deliver_at; });
}

bool Scene::may_be_expunged(MessageId message) const {
  if (expunged_.contains(message)) return true;
  const auto owner = owner_of(message);
  const WallTime* const until = owner ? find_in(all_expunged_, *owner) : nullptr;
  return until != nullptr && message.time() <= *until;
}

std::optional<ApplicationId> Scene::owner_of(MessageId message) const {
  const ApplicationId* const owner = find_in(owners_, message);
  return owner == nullptr ? std::nullopt : std::optional(*owner);
}

bool Scene::must_be_expunged(MessageId message) const {
  const auto found = expunged_.find(message);
  return found != expunged_.end() && found->second;
}

void Scene::enter(const Told& told) {
  const bool is_sure = told.status < 500;
  const Asked* const asked = find_in(asked_, told.number);
  if (asked != nullptr && asked->act == Act::Expunge && told.status / 100 == 2) {
    expunge(*asked, true);
  }
  if (is_sure) catalogue_.told(told.number, told.status / 100 == 2, now_.mono);
  Post* const post = find_in(posts_, told.number);
  if (post == nullptr) return;
  post->told = told;
  if (told.status / 100 != 2) return;
  post_numbers_.emplace(told.message, told.number);
  owners_.emplace(told.message, post->asked.application);
}

void Scene::enter(const Resolved& resolved) {
  catalogue_.told(resolved.number, resolved.has_happened, now_.mono);
}

void Scene::enter(const Requested& sent) {
  const auto [place, is_new] = requests_.try_emplace(sent.request);
  if (!is_new) return;
  Request& request = place->second;
  request.order = requests_.size();
  request.sent = sent;
  request.begun = now_;
  request.origin = origin_of(sent.url);
  in_flight_.insert(&request);
  count(sent.endpoint, request.origin, 1);
  Track* const track = find_in(tracks_, request.delivery());
  if (track == nullptr) return;
  track->requests.push_back(&request);
  if (track->first_try == nullptr) track->first_try = &request;
}

void Scene::enter(const Replied& reply) {
  Request* const request = find_in(requests_, reply.request);
  if (request == nullptr || !request->is_in_flight()) return;
  request->reply = reply;
  request->replied = now_;
  in_flight_.erase(request);
  count(request->sent.endpoint, request->origin, -1);
  // A fault of ours is no try, unless it was our resolver's.
  Track* const track = find_in(tracks_, request->delivery());
  if (track == nullptr || track->first_try != request) return;
  if (reply.kind == Reply::OurFault) track->first_try = nullptr;
}

void Scene::count(EndpointId endpoint, const std::string& origin, int by) {
  in_flight_to_[endpoint] += by;
  in_flight_at_[origin] += by;
}

void Scene::begin_budget(Track& track) {
  track.budget_since = now_;
  track.budget_from = track.requests.size();
  track.spent.clear();
  track.first_try = nullptr;
  track.released_from.reset();
}

void Scene::record_attempt(Track& track, const OnDisk& record, Request& request) {
  request.is_recorded = true;
  // What is over is counted in any case; what goes on is, unless the record says otherwise.
  const bool goes_on = record.state == "retrying" || record.state == "pending";
  request.is_spent = !goes_on || record.attempts > track.on_disk.attempts;
  if (request.is_spent) track.spent.push_back(&request);
  track.last_recorded = &request;
  if (track.first_try == nullptr) track.first_try = &request;
}

MonoTime Scene::decided_at(const Track& track, const OnDisk& record) const {
  if (track.recorded_now != nullptr) return track.recorded_now->replied.mono;
  return record.handed_over.value_or(now_.mono);
}

// Its track stays for those who ask what became of it.
void Scene::enter(const Dropped& dropped) {
  if (dropped.endpoint == EndpointId()) {
    gone_.insert(dropped.message);
  } else {
    dropped_.insert({dropped.endpoint, dropped.message});
  }
}

void Scene::enter(const OnDisk& record) {
  const DeliveryName name{record.endpoint, record.message};
  if (dropped_.erase(name) > 0) tracks_.erase(name);
  const auto [place, is_new] = tracks_.try_emplace(name);
  changed_by_tasks_ += record.by == By::Task ? 1 : 0;
  Track& track = place->second;
  const bool was_live = !is_new && track.is_live();
  if (was_live) {
    Waiting& waiting = waiting_[record.endpoint];
    waiting.erase({track.on_disk.due_at, record.message});
    if (waiting.empty()) waiting_.erase(record.endpoint);
  }
  if (is_new) {
    track.name = name;
    track.application = record.application;
    track.accepted = now_;
    owners_.emplace(record.message, record.application);
    begin_budget(track);
    // The producer chose the time if it is one ahead, and the clock was not ahead before or the
    // very time was asked for.
    const bool is_ahead = record.by == By::Intake && record.due_at > now_.wall;
    if (is_ahead && (!clocks_.was_set() || was_asked_for(record.due_at))) {
      track.deliver_at = record.due_at;
    }
  }
  track.recorded_now = nullptr;
  if (record.attempt) {
    ++track.recorded;
    track.last_id = record.attempt->id;
    const Request* const request = request_of(record);
    track.recorded_now = request;
    if (request != nullptr) record_attempt(track, record, requests_.at(request->sent.request));
    track.record_ends = std::max(record.attempt->ended_at, record.attempt->id.time());
    // It was released, and is not again before the time at which it was due.
    if (track.released_from && *track.released_from <= now_.wall) track.released_from.reset();
  } else if (was_live && record.by == By::Lane && record.due_at < track.on_disk.due_at) {
    track.released_from = track.on_disk.due_at;
  }
  if (is_new || record.due_at != track.on_disk.due_at) {
    const bool is_as_before = track.released_from == record.due_at;
    track.due_since = is_as_before ? track.budget_since.mono : decided_at(track, record);
  }
  track.on_disk = record;
  track.written = now_;
  if (!is_new && !was_live && track.is_live()) begin_budget(track);
  if (track.is_live()) waiting_[record.endpoint].emplace(record.due_at, record.message);
}

void Scene::enter(const Life& life) {
  if (life.event == Life::Event::Started) {
    life_ = life.life;
    alive_since_ = now_.mono;
    is_stopping_ = false;
    return;
  }
  if (life.event == Life::Event::Stopping) {
    is_stopping_ = true;
    stopping_since_ = now_.mono;
    return;
  }
  const bool could_write = away_.empty() && store_back_at_ + kWritesAgain <= now_.mono;
  if (life.event == Life::Event::Stopped && could_write) stopped_.insert(life.life);
  life_.reset();
  is_stopping_ = false;
  away_.clear();
  for (const Request* const each : std::exchange(in_flight_, {})) {
    requests_.at(each->sent.request).is_lost = true;
  }
  in_flight_to_.clear();
  in_flight_at_.clear();
}

void Scene::enter(const ClockSet&) { clocks_.noted(now_); }

void Scene::enter(const StoreAway& away) {
  if (!away.is_over) {
    away_.insert(away.verb);
    return;
  }
  const auto found = away_.find(away.verb);
  if (found != away_.end()) away_.erase(found);
  store_back_at_ = now_.mono;
}

const Request* Scene::request(std::uint64_t number) const { return find_in(requests_, number); }

int Scene::in_flight_to(EndpointId endpoint) const {
  const int* const count = find_in(in_flight_to_, endpoint);
  return count == nullptr ? 0 : *count;
}

int Scene::in_flight_at(const std::string& origin) const {
  const int* const count = find_in(in_flight_at_, origin);
  return count == nullptr ? 0 : *count;
}

const Track* Scene::track(const DeliveryName& name) const { return find_in(tracks_, name); }

const Scene::Waiting& Scene::waiting(EndpointId endpoint) const {
  static const Waiting kNone;
  const Waiting* const waiting = find_in(waiting_, endpoint);
  return waiting == nullptr ? kNone : *waiting;
}

const Asked* Scene::asked(std::uint64_t number) const { return find_in(asked_, number); }

const Post* Scene::post_of(MessageId message) const {
  const std::uint64_t* const number = find_in(post_numbers_, message);
  return number == nullptr ? nullptr : find_in(posts_, *number);
}

// An attempt is on record from when it was signed on. Times on record only grow, so if the clock
// was behind what was there already it is moved right behind that.
bool Scene::fits(const Track& track, const Request& request, WallTime started_at) const {
  const WallTime signed_at = request.sent.signed_at;
  if (started_at == signed_at) return true;
  if (clocks_.was_set()) return started_at > signed_at;
  const WallTime ends = track.record_ends;
  return signed_at <= ends && started_at > ends && started_at <= ends + figures::kIdGrain;
}

const Request* Scene::request_of(const OnDisk& record) const {
  const Track* const track = find_in(tracks_, DeliveryName{record.endpoint, record.message});
  if (track == nullptr || !record.attempt) return nullptr;
  // There is one at a time: the last one that fits is meant.
  const Request* found = nullptr;
  for (const Request* const request : track->requests) {
    const bool may_be_meant = request->reply && !request->is_recorded;
    if (!may_be_meant || !fits(*track, *request, record.attempt->started_at)) continue;
    if (request->sent.signed_at == record.attempt->started_at) return request;
    if (!is_our_fault(request->reply->kind)) found = request;
  }
  return found;
}

}  // namespace petrel::sim::judge
