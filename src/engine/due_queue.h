// DueQueue is one of the two queues of a lane (fresh, retry): the first few deliveries in memory,
// the rest in the store. Ten million waiting deliveries are a number on disk, not objects here.
//
//        in memory, by due time              in the store only
//   [ d1  d2  d3 … d32 ]  loaded_to ┃  d33  d34 …          has_more
//
// Everything up to `loaded_to` is in memory (or out on an attempt); everything behind it is not. A
// delivery that arrives goes into memory if its place is before that line, or if there is no line
// and there is room. If the window is full the last one is dropped from it: the store has it.
//
// The place in the window is that of the store, by the wall clock's due time. What is taken first
// is the one that is due first by the monotonic clock: the two differ for one that waits a moment
// after a fault of ours, and after the wall clock has jumped.
//
// The store is read while the engine goes on, so a page may be older than what has happened since.
// The queue remembers what was settled meanwhile and does not take it up again, and what came
// meanwhile and may be missing from the page.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <unordered_set>

#include "engine/now.h"
#include "model/settlement.h"
#include "store/store.h"

namespace petrel::engine {

// A live delivery in memory.
struct Waiting {
  model::Delivery delivery;
  model::Payload payload;  // May be null: then it is loaded when it is sent.
  MonoTime due;
  std::string content_type = {};  // Of the payload, if that is there.
};

class DueQueue {
 public:
  static constexpr std::size_t kWindowMax = 32;
  static constexpr std::size_t kRefillBelow = 8;

  explicit DueQueue(store::DueClass queue) : queue_(queue) {}

  // A delivery that is in the store has come to this queue.
  void add(Waiting waiting);

  // The same for one that is new since this commit of the store, 0 if that is not known. A page
  // may have brought it before we are told, and it may even be done since.
  void announce(Waiting waiting, store::Sequence sequence);

  // The delivery of this message is being given another place: it is out until that is settled, and
  // add() brings it back. No effect if it is not in memory.
  void remove(MessageId message);

  // There may be live deliveries in the store that we have not heard of.
  void expect_more();

  // The question to put to the store now, if any. It counts as asked.
  [[nodiscard]] std::optional<store::DueQuery> take_query(EndpointId endpoint);

  // The answer to the last question. `is_out` says of a message whether its delivery is out on an
  // attempt or not settled yet.
  template <typename IsOut>
  void loaded(const store::DuePage& page, const Now& now, IsOut is_out) {
    if (!begin_page()) return;
    for (const model::Delivery& delivery : page.deliveries) {
      if (!is_out(delivery.key.message)) add_from_page(delivery, now);
    }
    end_page(page);
  }

  // The question could not be answered; it is put again.
  void load_failed() { is_loading_ = false; }

  // What is sent from here on is read from the store first.
  void forget_payloads();

  // A delivery of this endpoint was settled: a page that is on its way may still list it.
  void settled(MessageId message);

  // When the first one is due. Empty if none is in memory.
  std::optional<MonoTime> first_due() const;

  // The one that is due first.
  //
  // REQUIRES: first_due() is not empty.
  const Waiting& first() const { return find_first()->second; }

  // All that are in memory, in the store's order.
  using Window = std::map<store::DuePosition, Waiting>;
  const Window& window() const { return window_; }

  // Takes out one of them, as it goes on an attempt.
  Waiting take(const Waiting& waiting);

  store::DueClass queue() const { return queue_; }
  std::size_t size() const { return window_.size(); }
  bool is_empty() const { return window_.empty() && !has_more_; }
  bool has_more() const { return has_more_; }
  bool is_loading() const { return is_loading_; }

 private:
  store::DuePosition position_of(const model::Delivery& delivery) const;
  Window::const_iterator find_first() const;
  void leave_in_store(const store::DuePosition& position);
  void trim();
  void draw_line_at_end();
  bool begin_page();
  void add_from_page(const model::Delivery& delivery, const Now& now);
  void end_page(const store::DuePage& page);

  store::DueClass queue_;
  Window window_;
  bool has_more_ = false;
  std::optional<store::DuePosition> loaded_to_;  // Means something while has_more_.

  bool is_loading_ = false;
  bool is_page_stale_ = false;                // The line moved back while the page was on its way.
  std::optional<store::DuePosition> missed_;  // The first that came meanwhile and was not kept.

  // The last page showed what all commits up to `covered_` had brought behind `covered_behind_`.
  store::Sequence covered_ = 0;
  std::optional<store::DuePosition> covered_behind_;
  std::unordered_set<MessageId> settled_while_loading_;
};

}  // namespace petrel::engine
