#include "app/queue_watch.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/secure_random.h"
#include "base/testing/hand_loop.h"
#include "store/memory/memory_store.h"

namespace petrel::app {
namespace {

using std::chrono::minutes;

constexpr WallTime kNoon = wall_from_unix_seconds(1'750'000'000);

// A store that says whatever a test wants it to hold.
class SaidStore final : public store::MemoryStore {
 public:
  using MemoryStore::MemoryStore;

  store::EndpointTally totals() override { return all; }
  std::vector<store::QueueDepth> deepest(std::size_t most) override {
    auto some = queues;
    if (some.size() > most) some.resize(most);
    return some;
  }

  store::EndpointTally all;
  std::vector<store::QueueDepth> queues;
};

class QueueWatchTest : public testing::Test, private BlockingPool {
 protected:
  void begin(std::size_t endpoints_shown = 2) {
    watch_ = std::make_unique<QueueWatch>(QueueWatch::Parts{.loop = loop_,
                                                            .clock = clock_,
                                                            .pool = *this,
                                                            .registry = registry_,
                                                            .browse = store_,
                                                            .catalogue = catalogue_,
                                                            .figures = [this] { return figures_; },
                                                            .endpoints_shown = endpoints_shown});
    pass();
  }
  void pass() { loop_.run_for(clock_, QueueWatch::kWalkEvery + QueueWatch::kLookEvery); }

  bool shows(const std::string& line) const {
    return registry_.text().find('\n' + line + '\n') != std::string::npos;
  }

  EndpointId endpoint(bool is_disabled = false, bool is_paused = false) {
    model::Endpoint made(signature::KeyRing{signature::Secret::generate(random_)});
    made.id = EndpointId(Ksuid::make(kNoon, random_));
    made.is_disabled = is_disabled;
    if (is_paused) made.pause = model::Pause{kNoon, "a test"};
    const EndpointId id = made.id;
    catalogue_.put(std::move(made));
    return id;
  }

  HandClock clock_{kNoon, MonoTime()};
  HandLoop loop_{clock_};
  SeededSecureRandom random_{3};
  metric::Registry registry_;
  SaidStore store_{clock_};
  store::Catalogue catalogue_;
  node::ShardFigures figures_;
  bool has_threads_ = true;
  std::unique_ptr<QueueWatch> watch_;

 private:
  bool run(Function<void()> work) override {
    if (has_threads_) work();
    return has_threads_;
  }
};

TEST_F(QueueWatchTest, ShowsEverythingAtZeroFromTheStart) {
  begin();
  for (const char* const line :
       {"petrel_queue_depth{class=\"fresh\"} 0", "petrel_queue_depth{class=\"retry\"} 0",
        "petrel_dead_letters{reason=\"exhausted\"} 0", "petrel_dead_letters{reason=\"blocked\"} 0",
        "petrel_oldest_due_seconds{circuit=\"closed\"} 0", "petrel_in_flight 0", "petrel_lanes 0",
        "petrel_circuit_state{state=\"half_open\"} 0", "petrel_endpoints{state=\"paused\"} 0",
        "petrel_endpoint_queue_depth{endpoint=\"rest\"} 0",
        "petrel_endpoint_failures{endpoint=\"rest\"} 0"}) {
    EXPECT_TRUE(shows(line)) << line;
  }
}

TEST_F(QueueWatchTest, ShowsWhatTheStoreHoldsByClassAndReason) {
  store_.all.live_fresh = 7;
  store_.all.live_retry = 3;
  store_.all.dead[static_cast<std::size_t>(policy::DeadReason::Gone)] = 2;
  begin();

  EXPECT_TRUE(shows("petrel_queue_depth{class=\"fresh\"} 7"));
  EXPECT_TRUE(shows("petrel_queue_depth{class=\"retry\"} 3"));
  EXPECT_TRUE(shows("petrel_dead_letters{reason=\"gone\"} 2"));
}

TEST_F(QueueWatchTest, WhatIsDueLaterHasNotWaited) {
  begin();
  figures_.first_due = clock_.wall() + minutes(5);
  figures_.first_due_behind_circuit = clock_.wall() - minutes(1);
  loop_.run_for(clock_, QueueWatch::kLookEvery);

  EXPECT_TRUE(shows("petrel_oldest_due_seconds{circuit=\"closed\"} 0"));
  EXPECT_TRUE(shows("petrel_oldest_due_seconds{circuit=\"open\"} 61"));
}

TEST_F(QueueWatchTest, AnEndpointWithoutALaneHasAClosedCircuit) {
  for (int i = 0; i < 5; ++i) endpoint();
  endpoint(true);
  endpoint(false, true);
  figures_.circuits_open = 2;
  figures_.circuits_half_open = 1;
  begin();

  EXPECT_TRUE(shows("petrel_circuit_state{state=\"closed\"} 4"));
  EXPECT_TRUE(shows("petrel_circuit_state{state=\"open\"} 2"));
  EXPECT_TRUE(shows("petrel_circuit_state{state=\"half_open\"} 1"));
  EXPECT_TRUE(shows("petrel_endpoints{state=\"active\"} 5"));
  EXPECT_TRUE(shows("petrel_endpoints{state=\"disabled\"} 1"));
  EXPECT_TRUE(shows("petrel_endpoints{state=\"paused\"} 1"));
}

TEST_F(QueueWatchTest, NamesTheWorstEndpointsAndAddsUpTheRest) {
  const EndpointId one = endpoint();
  const EndpointId two = endpoint();
  const EndpointId three = endpoint();
  store_.queues = {{one, 30, 10}, {two, 0, 5}, {three, 1, 0}};
  store_.all.live_fresh = 31;
  store_.all.live_retry = 17;
  figures_.failing = {{one, 1}, {three, 9}, {two, 4}};
  figures_.failures = 20;
  begin(2);

  EXPECT_TRUE(shows("petrel_endpoint_queue_depth{endpoint=\"" + one.text() + "\"} 40"));
  EXPECT_TRUE(shows("petrel_endpoint_queue_depth{endpoint=\"" + two.text() + "\"} 5"));
  EXPECT_TRUE(shows("petrel_endpoint_queue_depth{endpoint=\"rest\"} 3"));
  EXPECT_TRUE(shows("petrel_endpoint_failures{endpoint=\"" + three.text() + "\"} 9"));
  EXPECT_TRUE(shows("petrel_endpoint_failures{endpoint=\"" + two.text() + "\"} 4"));
  EXPECT_TRUE(shows("petrel_endpoint_failures{endpoint=\"rest\"} 7"));
  EXPECT_FALSE(shows("petrel_endpoint_failures{endpoint=\"" + one.text() + "\"} 1"));
}

TEST_F(QueueWatchTest, WithoutEndpointsToShowThereAreNoSeriesOfThem) {
  store_.queues = {{endpoint(), 30, 10}};
  store_.all.live_fresh = 40;
  begin(0);

  EXPECT_NE(registry_.text().find("# TYPE petrel_endpoint_queue_depth gauge\n"), std::string::npos);
  EXPECT_EQ(registry_.text().find("petrel_endpoint_queue_depth{"), std::string::npos);
}

TEST_F(QueueWatchTest, AWalkThatFoundNoThreadIsMadeLater) {
  endpoint();
  has_threads_ = false;
  begin();
  EXPECT_TRUE(shows("petrel_endpoints{state=\"active\"} 0"));

  has_threads_ = true;
  pass();
  EXPECT_TRUE(shows("petrel_endpoints{state=\"active\"} 1"));
}

}  // namespace
}  // namespace petrel::app
