// Release makes due at once what failed while a receiver was away, once it is back and the ramp is
// over, so that what failed first does not arrive last.
//
//   read all that waits for a retry, page by page ──▶ choose the oldest messages that failed in the
//   outage ──▶ read each of them again, a few at a time ahead of the attempts, and hand it out as
//   it is by then ──▶ all over, if there were more
//
// Released is what last failed within the outage and still waits for its backoff. What the receiver
// asked for with Retry-After still holds: such a delivery is due no earlier than that. A delivery
// whose record does not say what the receiver asked for is left alone, and so is one whose released
// attempt has failed, until the time that it had before.
//
// Five failures in a row among the released end it: the receiver is not well after all.
//
// It reads beside the lane's queue and remembers only where the chosen stand, so any number may
// wait: a hundred thousand are read through seven times.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/settlement.h"
#include "store/store.h"

namespace petrel::engine {

class Release {
 public:
  static constexpr std::size_t kPage = 64;
  static constexpr std::size_t kChosenMax = 16'384;  // Of one reading; half a megabyte.
  static constexpr std::size_t kAheadMax = 32;  // Due by now, and no attempt of theirs has ended.
  static constexpr int kFailuresMax = 5;

  // What failed before `from` or after `to` did not fail in the outage.
  struct Window {
    WallTime from;
    WallTime to;
  };

  explicit Release(Window window) : window_(window) {}

  // What to read now: a page, or at most `room` of the chosen, one by one. It counts as asked.
  [[nodiscard]] std::vector<store::DueQuery> take_queries(EndpointId endpoint, std::size_t room);

  // The answer to a question that is open. Any other has no effect. What is `busy` is out on an
  // attempt, or cannot be sent: it is left alone.
  void loaded(const store::DueQuery& query, const store::DuePage& page, WallTime now,
              const std::unordered_set<MessageId>& busy = {});
  void load_failed(const store::DueQuery& query);

  // What is to be made due now, the oldest message first, at most `room` of them. Each is written()
  // or settled() later.
  [[nodiscard]] std::vector<model::Delivery> take_batch(std::size_t room);

  // It is in the store as released.
  void written(const model::Delivery& delivery);

  // Something else became of it: its attempt is on disk, or it was changed by somebody else.
  void settled(MessageId message);

  // An attempt of a released delivery has ended, not by a fault of ours.
  //
  // REQUIRES: it has not failed.
  void ended(bool is_success) { failures_ = is_success ? 0 : failures_ + 1; }

  // Too many of them failed: nothing more is to be released.
  bool is_failed() const { return failures_ >= kFailuresMax; }

  // Released, and none of their attempts is on disk yet. They are forgotten here.
  [[nodiscard]] std::map<MessageId, model::Delivery> take_ahead() {
    return std::exchange(ahead_, {});
  }

  // Whether anything is on its way to the store as released.
  bool is_writing() const { return !being_written_.empty(); }

  // Nothing is left to release, and nothing that was is on its way.
  bool is_through() const;

 private:
  // Where a delivery stood when it was read.
  struct Chosen {
    MessageId message;
    WallTime due_at;

    friend auto operator<=>(const Chosen&, const Chosen&) = default;
  };

  bool is_meant(const model::Delivery& delivery, WallTime now) const;
  void choose(const model::Delivery& delivery);
  void read_page(const store::DuePage& page, WallTime now,
                 const std::unordered_set<MessageId>& busy);
  std::size_t ahead_left() const;

  Window window_;
  bool is_loading_ = false;
  bool is_read_ = false;                     // To the end.
  bool was_full_ = false;                    // There are more than were chosen.
  std::optional<store::DuePosition> after_;  // How far it was read.

  std::vector<Chosen> chosen_;  // A heap while it is read, the last on top; then the first is last.
  std::map<store::DuePosition, Chosen> being_fetched_;  // By where the question begins.
  std::map<MessageId, model::Delivery> fetched_;
  std::set<MessageId> being_written_;
  std::map<MessageId, model::Delivery> ahead_;
  std::set<MessageId> settled_while_loading_;  // A page on its way may still list them.
  int failures_ = 0;                           // In a row.
};

// The delivery as it is once released: due at `now`, or when the receiver's Retry-After allows it.
model::Settlement release_of(const model::Delivery& delivery, WallTime now);

// One that was released, due again when it was before.
model::Settlement taken_back(const model::Delivery& delivery);

}  // namespace petrel::engine
