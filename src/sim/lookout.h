// Lookout recognises the rare turns of a day in what the judge hears. It reads the judge's models
// and counts a turn only if every one of them shows it; it accuses nobody.
//
//   lookout.before(evidence);
//   judge.hear(evidence);
//   lookout.after(evidence);
//
// Thread: confined.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/id.h"
#include "sim/judge/judge.h"
#include "sim/reached.h"

namespace petrel::sim {

class Lookout {
 public:
  explicit Lookout(const judge::Judge& judge) : judge_(judge) {}

  void before(const judge::Evidence& evidence);
  void after(const judge::Evidence& evidence);

  // What only somebody else can see.
  void saw(Landmark landmark, const judge::DeliveryName& about = {}) {
    reached_.add(landmark);
    if (listener_) listener_(landmark, about);
  }

  // Told of each, in the midst of it, with the endpoint and the message if they are known.
  using Listener = std::function<void(Landmark, const judge::DeliveryName&)>;
  void on_seen(Listener listener) { listener_ = std::move(listener); }

  const Reached& reached() const { return reached_; }

 private:
  void see(const judge::Asked& asked);
  void see(const judge::Requested& sent);
  void see(const judge::Replied& reply);
  void see(const judge::Life& life);
  void see_death();
  void see_start();
  void see_probe_end(const judge::Replied& reply, const judge::Request& request);
  void see_release(const judge::OnDisk& record);
  void see_opening(EndpointId endpoint, bool is_of_reply);
  void see_late(const judge::OnDisk& record);

  bool is_surely_open(EndpointId endpoint) const;
  bool is_surely_closed(EndpointId endpoint) const;
  bool is_surely_probing(EndpointId endpoint) const;

  const judge::Judge& judge_;
  Reached reached_;
  Listener listener_;

  // Of the endpoint that the evidence is about, as it was before.
  bool was_closed_ = false;
  bool was_streak_ = false;  // One more failure makes it long enough.
  bool was_released_ = false;

  // When the last of the attempts that are on record ended.
  std::map<EndpointId, MonoTime> recorded_until_;

  // Of the process that ended last.
  std::set<EndpointId> died_moving_;
  bool has_died_unsettled_ = false;
};

}  // namespace petrel::sim
