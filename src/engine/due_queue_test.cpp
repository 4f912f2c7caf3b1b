#include "engine/due_queue.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/testing/samples.h"

namespace petrel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using store::DueClass;
using store::DuePage;
using store::DuePosition;
using store::DueQuery;

constexpr std::size_t kWindowMax = DueQueue::kWindowMax;

DuePosition position_of(const model::Delivery& delivery) {
  return {delivery.due_at, delivery.key.message};
}

// Message n, due n seconds after the start.
model::Delivery retry(int n) { return retrying(n, seconds(n)); }

Waiting waiting(const model::Delivery& delivery) {
  return {
      .delivery = delivery, .payload = nullptr, .due = kMonoStart + (delivery.due_at - kWallStart)};
}

DuePage page_of(int first, int last, bool has_more) {
  DuePage page;
  for (int n = first; n <= last; ++n) page.deliveries.push_back(retry(n));
  page.has_more = has_more;
  return page;
}

class DueQueueTest : public testing::Test {
 protected:
  void add(int first, int last) {
    for (int n = first; n <= last; ++n) queue.add(waiting(retry(n)));
  }

  // The numbers of the next messages, until there is none or `most` are taken.
  std::vector<int> take(std::size_t most = 1'000) {
    std::vector<int> numbers;
    while (numbers.size() < most && queue.first_due()) {
      const MonoTime due = *queue.first_due();
      const Waiting taken = queue.take(queue.first());
      EXPECT_EQ(taken.due, due);
      numbers.push_back(static_cast<int>((taken.delivery.due_at - kWallStart) / seconds(1)));
    }
    return numbers;
  }

  std::optional<DueQuery> ask() { return queue.take_query(endpoint_id(1)); }

  void answer(const DuePage& page, const std::set<MessageId>& out = {}) {
    queue.loaded(page, moment({}), [&](MessageId message) { return out.contains(message); });
  }

  static std::vector<int> numbers(int first, int last) {
    std::vector<int> all;
    for (int n = first; n <= last; ++n) all.push_back(n);
    return all;
  }

  DueQueue queue{DueClass::Retry};
};

TEST_F(DueQueueTest, GivesThemInTheOrderOfTheirDueTimes) {
  add(2, 3);
  add(1, 1);

  EXPECT_EQ(queue.first_due(), kMonoStart + seconds(1));
  EXPECT_EQ(take(), numbers(1, 3));
  EXPECT_EQ(queue.first_due(), std::nullopt);
  EXPECT_TRUE(queue.is_empty());
}

TEST_F(DueQueueTest, KeepsTheFirstOnesInMemoryAndLeavesTheRestInTheStore) {
  add(1, 10'000);

  EXPECT_EQ(queue.size(), kWindowMax);
  EXPECT_TRUE(queue.has_more());
  EXPECT_EQ(take(), numbers(1, 32));
  EXPECT_FALSE(queue.is_empty());
}

TEST_F(DueQueueTest, AsksForMoreWhenTheWindowRunsLow) {
  add(1, 100);

  take(24);
  EXPECT_EQ(ask(), std::nullopt);
  take(1);
  const auto query = ask();

  ASSERT_TRUE(query);
  EXPECT_EQ(query->endpoint, endpoint_id(1));
  EXPECT_EQ(query->queue, DueClass::Retry);
  EXPECT_EQ(query->after, position_of(retry(32)));
  EXPECT_EQ(query->limit, 25U);
}

TEST_F(DueQueueTest, AsksForNothingIfEverythingIsInMemory) {
  add(1, 5);

  EXPECT_EQ(ask(), std::nullopt);
}

TEST_F(DueQueueTest, HasOneQuestionOutAtATime) {
  queue.expect_more();

  EXPECT_TRUE(ask());
  EXPECT_EQ(ask(), std::nullopt);
  answer(page_of(1, 2, true));
  EXPECT_TRUE(ask());
}

TEST_F(DueQueueTest, PutsAQuestionAgainThatCouldNotBeAnswered) {
  add(1, 40);
  take();
  const auto query = ask();

  queue.load_failed();

  EXPECT_EQ(ask()->after, query->after);
}

TEST_F(DueQueueTest, APageMovesTheLineToItsEnd) {
  queue.expect_more();
  EXPECT_EQ(ask()->after, std::nullopt);

  answer(page_of(1, 5, true));

  EXPECT_EQ(ask()->after, position_of(retry(5)));
  answer(page_of(6, 7, false));
  EXPECT_FALSE(queue.has_more());
  EXPECT_EQ(take(), numbers(1, 7));
  EXPECT_EQ(ask(), std::nullopt);
}

TEST_F(DueQueueTest, WhatComesBeforeTheLineGoesIntoMemoryAndBehindItStaysInTheStore) {
  queue.expect_more();
  ASSERT_TRUE(ask());
  DuePage page = page_of(3, 3, false);
  page.deliveries.push_back(retry(10));
  page.has_more = true;
  answer(page);

  add(5, 5);
  add(11, 11);

  EXPECT_EQ(take(), (std::vector<int>{3, 5, 10}));
  EXPECT_EQ(ask()->after, position_of(retry(10)));
}

TEST_F(DueQueueTest, WhatComesBeforeTheEndOfAFullWindowPushesTheLastOneOut) {
  add(2, 33);

  add(1, 1);

  EXPECT_EQ(queue.size(), kWindowMax);
  EXPECT_EQ(take(), numbers(1, 32));
  EXPECT_EQ(ask()->after, position_of(retry(32)));
}

TEST_F(DueQueueTest, WhatComesBetweenAFullWindowAndTheLineIsNotLost) {
  add(1, 40);
  take();            // The line stays at 32.
  add(31 - 40, 22);  // A full window before it.
  ASSERT_EQ(queue.size(), kWindowMax);

  add(25, 25);

  EXPECT_EQ(take().back(), 22);
  EXPECT_EQ(ask()->after, position_of(retry(22)));
}

TEST_F(DueQueueTest, A4_APageThatIsOlderThanASettlementDoesNotBringItBack) {
  add(1, 40);
  take();
  ASSERT_TRUE(ask());

  queue.settled(message_id(34));
  answer(page_of(33, 35, false));

  EXPECT_EQ(take(), (std::vector<int>{33, 35}));
}

TEST_F(DueQueueTest, A4_APageDoesNotBringWhatIsOut) {
  queue.expect_more();
  ASSERT_TRUE(ask());

  answer(page_of(1, 3, false), {message_id(2)});

  EXPECT_EQ(take(), (std::vector<int>{1, 3}));
}

TEST_F(DueQueueTest, APageDoesNotDoubleWhatCameByItself) {
  queue.expect_more();
  ASSERT_TRUE(ask());
  answer(page_of(1, 3, true));
  ASSERT_TRUE(ask());

  add(2, 2);
  answer(page_of(4, 4, false));

  EXPECT_EQ(take(), numbers(1, 4));
}

TEST_F(DueQueueTest, WhatCameWithinAPageThatMayLackItIsReadWithTheNext) {
  add(1, 40);
  take();
  ASSERT_TRUE(ask());

  add(34, 34);  // Behind the line, and before the end of the page that is on its way.
  DuePage page = page_of(33, 36, false);
  page.deliveries.erase(page.deliveries.begin() + 1);
  answer(page);

  EXPECT_TRUE(queue.has_more());
  EXPECT_EQ(take(), (std::vector<int>{33}));
  EXPECT_EQ(ask()->after, position_of(retry(33)));
  answer(page_of(34, 36, false));
  EXPECT_EQ(take(), numbers(34, 36));
}

TEST_F(DueQueueTest, WhatCameBehindAPageIsReadWithTheNext) {
  add(1, 40);
  take();
  ASSERT_TRUE(ask());

  add(41, 41);
  answer(page_of(33, 40, false));

  EXPECT_EQ(take(), numbers(33, 40));
  EXPECT_EQ(ask()->after, position_of(retry(40)));
}

TEST_F(DueQueueTest, APageAndWhatCameMeanwhileDoNotGoBeyondTheWindow) {
  add(1, 40);
  take();
  ASSERT_EQ(ask()->limit, kWindowMax);

  add(1, 10);
  answer(page_of(33, 64, true));

  EXPECT_EQ(queue.size(), kWindowMax);
  std::vector<int> expected = numbers(1, 10);
  for (const int n : numbers(33, 54)) expected.push_back(n);
  EXPECT_EQ(take(), expected);
  EXPECT_EQ(ask()->after, position_of(retry(54)));
}

TEST_F(DueQueueTest, APageFromBehindALineThatMovedBackIsAskedForAgain) {
  add(1, 40);
  take();
  ASSERT_TRUE(ask());

  add(-8, 30);  // Too many: the line moves back from 32.
  answer(page_of(33, 40, false));

  EXPECT_EQ(take(), numbers(-8, 23));
  EXPECT_EQ(ask()->after, position_of(retry(23)));
}

TEST_F(DueQueueTest, ANudgeFindsWhatStandsBeforeTheLine) {
  add(5, 44);

  queue.expect_more();

  EXPECT_EQ(ask()->after, std::nullopt);
  answer(page_of(1, 10, true));
  EXPECT_EQ(take(), numbers(1, 10));
}

TEST_F(DueQueueTest, ANudgeWhileAPageIsOnItsWayAsksAgain) {
  queue.expect_more();
  ASSERT_TRUE(ask());

  queue.expect_more();
  answer(page_of(2, 3, false));

  EXPECT_TRUE(queue.has_more());
  EXPECT_EQ(ask()->after, std::nullopt);
}

TEST_F(DueQueueTest, A4_WhatAPageHasShownIsNotTakenUpWhenItIsAnnounced) {
  queue.expect_more();
  ASSERT_TRUE(ask());
  DuePage page = page_of(1, 3, false);
  page.sequence = 9;
  answer(page);
  take();

  queue.announce(waiting(retry(2)), 9);
  queue.announce(waiting(retry(4)), 10);

  EXPECT_EQ(take(), numbers(4, 4));
}

TEST_F(DueQueueTest, WhatStandsBeforeTheLastPageIsReadAgainWhenItIsAnnounced) {
  add(2, 100);
  take();
  ASSERT_TRUE(ask());
  DuePage page = page_of(34, 40, true);
  page.sequence = 9;
  answer(page);

  queue.announce(waiting(retry(1)), 8);

  const auto query = ask();
  ASSERT_TRUE(query);
  EXPECT_EQ(query->after, std::nullopt);
}

TEST_F(DueQueueTest, OneThatWaitsAMomentDoesNotHoldUpThoseBehindIt) {
  add(1, 3);
  Waiting spoilt = queue.take(queue.first());
  spoilt.due = kMonoStart + milliseconds(2'500);

  queue.add(spoilt);

  EXPECT_EQ(take(), (std::vector<int>{2, 1, 3}));
}

TEST_F(DueQueueTest, WhatIsLoadedIsDueWhenTheWallClockWillShowItsTime) {
  queue.expect_more();
  ASSERT_TRUE(ask());

  queue.loaded(page_of(4, 9, false), moment(seconds(5)), [](MessageId) { return false; });

  EXPECT_EQ(queue.take(queue.first()).due, kMonoStart + seconds(5));
  EXPECT_EQ(queue.take(queue.first()).due, kMonoStart + seconds(5));
  EXPECT_EQ(queue.take(queue.first()).due, kMonoStart + seconds(6));
}

TEST_F(DueQueueTest, WhatWasNeverTriedIsDueAtOnceWhateverTheWallClockShows) {
  DueQueue fresh(DueClass::Fresh);
  fresh.expect_more();
  ASSERT_TRUE(fresh.take_query(endpoint_id(1)));

  fresh.loaded({{pending(1, std::chrono::hours(1))}, false}, moment({}),
               [](MessageId) { return false; });

  EXPECT_EQ(fresh.first_due(), kMonoStart);
}

// A queue, its store, and everything between them that may come late.
class World {
 public:
  void step() {
    now_ += milliseconds(*rc::gen::inRange(0, 300));
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
        return write_new(*rc::gen::inRange(1, 40));
      case 1:
        return announce(*rc::gen::inRange(1, 40));
      case 2:
      case 3:
        return take(*rc::gen::inRange(1, 30));
      case 4:
        return write_settlement();
      case 5:
      case 6:
        return answer_settlement();
      case 7:
        return give_back();
      case 8:
        return ask();
      case 9:
        return read_page();
      case 10:
        return *rc::gen::inRange(0, 5) == 0 ? fail_page() : deliver_page();
      case 11:
        if (*rc::gen::inRange(0, 8) == 0) nudge();
        return;
    }
  }

  // Nothing comes any more: whatever the store has is taken, each once.
  void come_to_rest() {
    for (int round = 0; round < 2'000 && !is_at_rest(); ++round) {
      announce(1'000);
      take(1'000);
      while (!out_.empty()) finish_first(false);
      ask();
      deliver_page();
    }
    RC_ASSERT(is_at_rest());
    RC_ASSERT(live_.empty());
  }

 private:
  struct Out {
    model::Delivery before;
    std::optional<model::Delivery> after;  // Once it is written; dead ones are not live.
  };

  bool is_at_rest() const {
    return queue_.is_empty() && out_.empty() && unannounced_.empty() && !query_;
  }

  Duration draw_due() const { return now_ + milliseconds(*rc::gen::inRange(-5'000, 20'000)); }
  Now now() const { return moment(now_); }
  void check_size() const { RC_ASSERT(queue_.size() <= kWindowMax); }

  void write_new(int count) {
    const bool is_ordered = *rc::gen::inRange(0, 2) == 0;  // As new messages are.
    for (int i = 0; i < count; ++i) {
      const model::Delivery made =
          retrying(++last_message_, is_ordered ? now_ + seconds(30) : draw_due());
      live_.emplace(position_of(made), made);
      unannounced_.push_back(made);
    }
  }

  void announce(int most) {
    while (!unannounced_.empty() && most-- > 0) {
      announce_one(unannounced_.front());
      unannounced_.erase(unannounced_.begin());
    }
  }

  void announce_one(const model::Delivery& delivery) {
    if (busy_.contains(delivery.key.message)) return;  // As the Core does.
    queue_.add(waiting(delivery));
    check_size();
  }

  void take(int most) {
    std::optional<MonoTime> last_due;
    for (; queue_.first_due() && most > 0; --most) {
      const Waiting taken = queue_.take(queue_.first());
      if (last_due) RC_ASSERT(*last_due <= taken.due);
      last_due = taken.due;
      const auto found = live_.find(position_of(taken.delivery));
      RC_ASSERT(found != live_.end());                             // Not once it is settled …
      RC_ASSERT(busy_.insert(taken.delivery.key.message).second);  // … nor twice at once.
      out_.push_back({taken.delivery, std::nullopt});
    }
  }

  std::size_t draw_out() const { return *rc::gen::inRange<std::size_t>(0, out_.size()); }

  void write_settlement() {
    if (!out_.empty()) write(out_[draw_out()], *rc::gen::inRange(0, 2) == 0);
  }

  void write(Out& out, bool is_tried_again) {
    if (out.after) return;
    live_.erase(position_of(out.before));
    out.after = out.before;
    out.after->state = model::DeliveryState::Delivered;
    if (!is_tried_again) return;
    out.after->state = model::DeliveryState::Retrying;
    out.after->due_at = kWallStart + draw_due();
    live_.emplace(position_of(*out.after), *out.after);
  }

  void answer_settlement() {
    if (!out_.empty()) answer_settlement(draw_out());
  }

  void answer_settlement(std::size_t index) {
    if (!out_[index].after) return;
    const model::Delivery after = *out_[index].after;
    const MessageId message = after.key.message;
    // The store answers in the order of its commits: an acceptance before a settlement.
    std::erase_if(unannounced_, [&](const auto& other) { return other.key.message == message; });
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(index));
    busy_.erase(message);
    queue_.settled(message);
    if (after.is_live()) queue_.add(waiting(after));
    check_size();
  }

  void finish_first(bool is_tried_again) {
    write(out_.front(), is_tried_again);
    answer_settlement(0);
  }

  // A fault of ours: it is as it was.
  void give_back() {
    if (out_.empty()) return;
    const std::size_t index = draw_out();
    if (out_[index].after) return;
    Waiting again = waiting(out_[index].before);
    again.due = now().mono + seconds(1);
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(index));
    busy_.erase(again.delivery.key.message);
    queue_.add(again);
    check_size();
  }

  void ask() {
    if (query_) return;
    query_ = queue_.take_query(endpoint_id(1));
    page_.reset();
  }

  void read_page() {
    if (!query_ || page_) return;
    page_.emplace();
    auto next = query_->after ? live_.upper_bound(*query_->after) : live_.begin();
    for (; next != live_.end() && page_->deliveries.size() < query_->limit; ++next) {
      page_->deliveries.push_back(next->second);
    }
    page_->has_more = next != live_.end();
  }

  void deliver_page() {
    if (!query_) return;
    read_page();
    queue_.loaded(*page_, now(), [&](MessageId message) { return busy_.contains(message); });
    query_.reset();
    check_size();
  }

  void fail_page() {
    if (!query_) return;
    queue_.load_failed();
    query_.reset();
  }

  // Somebody else wrote deliveries, and says so.
  void nudge() {
    const std::size_t announced = unannounced_.size();
    write_new(*rc::gen::inRange(1, 10));
    unannounced_.resize(announced);
    queue_.expect_more();
  }

  Duration now_{};
  DueQueue queue_{DueClass::Retry};
  std::map<DuePosition, model::Delivery> live_;
  int last_message_ = 0;
  std::vector<model::Delivery> unannounced_;
  std::vector<Out> out_;
  std::set<MessageId> busy_;
  std::optional<DueQuery> query_;
  std::optional<DuePage> page_;
};

RC_GTEST_PROP(DueQueueProperty, A4_EveryLiveDeliveryIsTakenAndNoneTwiceHoweverLateThePagesAre, ()) {
  World world;
  const int steps = *rc::gen::inRange(0, 300);

  for (int i = 0; i < steps; ++i) world.step();
  world.come_to_rest();
}

}  // namespace
}  // namespace petrel::engine
