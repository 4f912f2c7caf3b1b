// Scene is what the evidence so far adds up to: the catalogue, every request and what came of it,
// every delivery as it is on disk, which lives there were, and how the clocks went. It draws no
// conclusions; that is for the models and the accusers.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "sim/judge/catalogue.h"
#include "sim/judge/evidence.h"
#include "sim/judge/two_clocks.h"

namespace petrel::sim::judge {

// One request on the wire.
struct Request {
  std::uint64_t order = 0;  // Counts requests as they were seen.
  Requested sent;
  Moment begun;
  std::string origin;
  std::optional<Replied> reply = std::nullopt;
  Moment replied = {};       // When the node was told.
  bool is_lost = false;      // The process was gone before it was told.
  bool is_recorded = false;  // As an attempt, on disk.
  bool is_spent = false;     // It counts, says the record.

  DeliveryName delivery() const { return {sent.endpoint, sent.message}; }
  bool is_in_flight() const { return !reply && !is_lost; }
};

// The life of one delivery.
struct Track {
  DeliveryName name;
  ApplicationId application;
  Moment accepted;       // When it was first written.
  OnDisk on_disk;        // As it was last written …
  Moment written;        // … and when.
  MonoTime due_since{};  // When its due time was decided on, at the earliest.
  std::vector<const Request*> requests = {};
  const Request* last_recorded = nullptr;
  const Request* recorded_now = nullptr;  // With what is on disk, if an attempt is.
  std::optional<AttemptId> last_id = std::nullopt;
  // What is on record goes up to here: the next attempt has to follow.
  WallTime record_ends = WallTime::min();
  int recorded = 0;  // Attempts, in all budgets.
  // Of the present budget: since when it is, the attempts that count, and the first try of all.
  Moment budget_since = {};
  std::size_t budget_from = 0;  // Among the requests.
  std::vector<const Request*> spent = {};
  const Request* first_try = nullptr;
  // Due sooner by a release after an outage: the time at which it was due before.
  std::optional<WallTime> released_from = std::nullopt;
  std::optional<WallTime> deliver_at = std::nullopt;

  bool is_live() const { return on_disk.state == "pending" || on_disk.state == "retrying"; }
  bool is_in_flight() const { return !requests.empty() && requests.back()->is_in_flight(); }
};

// A message that was posted.
struct Post {
  Asked asked;
  Moment at;
  std::optional<Told> told = std::nullopt;
  std::string event_type;
  std::vector<std::string> channels;
  std::optional<WallTime> deliver_at;
};

class Scene {
 public:
  // To be told of everything in order.
  void enter(const Evidence& evidence);

  // Time has come to this moment, of which nothing is entered yet.
  void move_to(const Moment& now) { now_ = now; }

  const Moment& now() const { return now_; }
  const Catalogue& catalogue() const { return catalogue_; }
  const TwoClocks& clocks() const { return clocks_; }

  // The process: which life it is in, and since when. Empty while there is none.
  std::optional<int> life() const { return life_; }
  MonoTime alive_since() const { return alive_since_; }
  bool is_stopping() const { return is_stopping_; }
  MonoTime stopping_since() const { return stopping_since_; }

  // It drained and did not die, and the store took what there was to write.
  bool was_stopped(int life) const { return stopped_.contains(life); }

  bool is_store_away() const { return !away_.empty(); }
  MonoTime store_back_at() const { return store_back_at_; }

  const Request* request(std::uint64_t number) const;
  const std::map<std::uint64_t, Request>& requests() const { return requests_; }
  const std::set<const Request*>& in_flight() const { return in_flight_; }
  int in_flight_to(EndpointId endpoint) const;
  int in_flight_at(const std::string& origin) const;

  const Track* track(const DeliveryName& name) const;
  const std::map<DeliveryName, Track>& tracks() const { return tracks_; }

  // How often a task changed a delivery.
  std::uint64_t changed_by_tasks() const { return changed_by_tasks_; }

  // Live deliveries of an endpoint by due time, in flight or not.
  using Waiting = std::set<std::pair<WallTime, MessageId>>;
  const Waiting& waiting(EndpointId endpoint) const;
  std::size_t lanes_with_work() const { return waiting_.size(); }

  const std::map<std::uint64_t, Asked>& asked() const { return asked_; }
  const Asked* asked(std::uint64_t number) const;
  const std::map<std::uint64_t, Post>& posts() const { return posts_; }
  const Post* post_of(MessageId message) const;

  // What people asked for about one message: resend, discard, expunge.
  struct ActOnMessage {
    Act act;
    EndpointId endpoint;
    MonoTime at;
  };
  using ActsOnMessages = std::multimap<MessageId, ActOnMessage>;
  std::pair<ActsOnMessages::const_iterator, ActsOnMessages::const_iterator> acts_on(
      MessageId message) const {
    return acts_.equal_range(message);
  }

  // Somebody asked for the payload to be expunged, alone or with all that its application had by
  // then; and was told that it is.
  bool may_be_expunged(MessageId message) const;
  bool must_be_expunged(MessageId message) const;

  // The payload is gone from the disk.
  bool is_payload_gone(MessageId message) const { return gone_.contains(message); }

  // Retention has dropped its record, and it was not made anew since.
  bool is_dropped(const DeliveryName& name) const { return dropped_.contains(name); }

  // Whose message it is, once that was seen.
  std::optional<ApplicationId> owner_of(MessageId message) const;

  // The request that a record is about: of that delivery, signed then, ended, not on record yet.
  // Null if there is none.
  const Request* request_of(const OnDisk& record) const;

 private:
  bool was_asked_for(WallTime deliver_at) const;
  void enter(const Asked& asked);
  void enter(const Told& told);
  void enter(const Resolved& resolved);
  void enter(const Requested& sent);
  void enter(const Replied& reply);
  void enter(const OnDisk& record);
  void enter(const PayloadGone& gone) { gone_.insert(gone.message); }
  void enter(const Dropped& dropped);
  void enter(const TaskStep&) {}
  void enter(const TaskOnDisk&) {}
  void enter(const Counted&) {}
  void enter(const Life& life);
  void enter(const ClockSet&);
  void enter(const StoreAway& away);
  void enter(const Dump&) {}

  void expunge(const Asked& asked, bool is_told);
  bool fits(const Track& track, const Request& request, WallTime started_at) const;

  void begin_budget(Track& track);
  MonoTime decided_at(const Track& track, const OnDisk& record) const;
  void record_attempt(Track& track, const OnDisk& record, Request& request);
  void count(EndpointId endpoint, const std::string& origin, int by);

  Moment now_{};
  Catalogue catalogue_;
  TwoClocks clocks_;
  std::optional<int> life_;
  MonoTime alive_since_{};
  bool is_stopping_ = false;
  MonoTime stopping_since_{};
  std::set<int> stopped_;
  std::multiset<std::string> away_;
  MonoTime store_back_at_{};
  std::map<std::uint64_t, Request> requests_;
  std::set<const Request*> in_flight_;
  std::map<EndpointId, int> in_flight_to_;
  std::map<std::string, int> in_flight_at_;
  std::map<DeliveryName, Track> tracks_;
  std::uint64_t changed_by_tasks_ = 0;
  std::map<EndpointId, Waiting> waiting_;  // None of them is empty.
  std::map<std::uint64_t, Asked> asked_;
  std::map<std::uint64_t, Post> posts_;
  std::map<MessageId, std::uint64_t> post_numbers_;
  ActsOnMessages acts_;
  std::map<MessageId, bool> expunged_;              // Whether it was told.
  std::map<ApplicationId, WallTime> all_expunged_;  // All that there was until then.
  std::set<MessageId> gone_;                        // Payloads.
  std::set<DeliveryName> dropped_;
  std::map<MessageId, ApplicationId> owners_;
};

}  // namespace petrel::sim::judge
