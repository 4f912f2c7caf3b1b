// NodeWorld is a whole node on loops that a test turns by hand, a store in memory, and a wire on
// which the test answers.
//
//   NodeWorld world(2);                      two shards
//   world.start();
//   world.create(endpoint) … world.send(application)
//   world.wire.answer(200)                   the oldest request that is out
//
// Thread: confined.

#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/blocking_pool.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/testing/hand_loop.h"
#include "engine/hand_note.h"
#include "log/testing/kept_log.h"
#include "node/node.h"
#include "node/testing/change_world.h"
#include "store/memory/memory_store.h"

namespace petrel::node {

// What is out on one shard's wire, answered by hand.
class HandWire final : public engine::Transport {
 public:
  void send(model::AttemptOrder order, Done done) override {
    out.push_back({std::move(order), std::move(done)});
  }

  void cancel_all() override {
    ++cancels;
    while (!out.empty()) end({});
  }

  void answer(int status) {
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(status);
    end(std::move(result));
  }

  void end(model::AttemptResult result) {
    Out first = std::move(out.front());
    out.pop_front();
    first.done(std::move(result));
  }

  struct Out {
    model::AttemptOrder order;
    Done done;
  };
  std::deque<Out> out;
  int cancels = 0;
};

class NodeWorld : private BlockingPool {
 public:
  explicit NodeWorld(std::size_t shards = 1) : wires(shards) {
    for (std::size_t i = 0; i < shards; ++i) loops_.push_back(std::make_unique<HandLoop>(clock));
  }

  ~NodeWorld() override { die(); }
  NodeWorld(const NodeWorld&) = delete;
  NodeWorld& operator=(const NodeWorld&) = delete;

  Status start(const NodeSettings& settings = {}) {
    catalogue = std::make_unique<store::Catalogue>();
    NodeLoops loops{.control = control, .shards = {}};
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      loops.shards.push_back({.loop = *loops_[i], .transport = wires[i]});
    }
    auto started = Node::start({.clock = clock,
                                .random = random,
                                .store = store,
                                .browse = store,
                                .catalogue = *catalogue,
                                .pool = *this,
                                .metrics = metrics,
                                .note = note,
                                .log = log},
                               std::move(loops), settings);
    if (!started.ok()) return started.error();
    node = *std::move(started);
    run();
    return Done{};
  }

  // The process is gone, and all that was queued in it; by a fault of its own if it crashes.
  void crash() {
    note.crash("0.1.0");
    die();
  }
  void die() {
    note.end();
    for (HandWire& wire : wires) wire.out.clear();
    node.reset();
    for (const auto& loop : loops_) loop->clear();
    control.clear();
  }

  // Until nobody has anything to do at this moment.
  void run() {
    do {
      control.run();
      for (const auto& loop : loops_) loop->run();
    } while (is_busy());
  }

  void pass(Duration length) {
    constexpr Duration kStep = std::chrono::milliseconds(100);
    for (Duration passed{}; passed < length; passed += kStep) {
      clock.time += kStep;
      run();
    }
  }

  // Each is done when it returns; the store has to be fine.
  void change(store::Change change) {
    Status answer = unavailable("not answered");
    node->services(0).changes.write({.changes = {std::move(change)}}, Author::Person,
                                    [&](Status status) { answer = std::move(status); });
    run();
    if (!answer.ok()) problems.push_back(answer.error().text());
  }

  ApplicationId create_application() {
    model::Application application;
    application.id = ApplicationId(maker.make(clock.wall()));
    change(store::CreateApplication{application});
    return application.id;
  }

  EndpointId create_endpoint(ApplicationId application, std::string url) {
    model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
    endpoint.id = EndpointId(maker.make(clock.wall()));
    endpoint.application = application;
    endpoint.url = std::move(url);
    change(store::CreateEndpoint{endpoint});
    return endpoint.id;
  }

  // By way of the intake of a shard. Empty if it was refused.
  std::optional<MessageId> send(ApplicationId application, std::size_t shard = 0) {
    intake::NewMessage message;
    message.application = application;
    message.event_type = "a";
    message.payload = std::make_shared<const std::string>("{}");
    std::optional<MessageId> id;
    node->services(shard).intake.accept(std::move(message),
                                        [&](const Result<intake::Receipt>& receipt) {
                                          if (receipt.ok()) id = receipt->message.id;
                                        });
    run();
    return id;
  }

  std::size_t out() const {
    std::size_t count = 0;
    for (const HandWire& wire : wires) count += wire.out.size();
    return count;
  }

  model::Delivery delivery(EndpointId endpoint, MessageId message) {
    return *store.delivery({endpoint, message});
  }

  HandClock clock{wall_from_unix_seconds(1'800'000'000), MonoTime{} + std::chrono::hours(1)};
  HandLoop control{clock};
  SeededSecureRandom random{5};
  KsuidMaker maker{random};
  metric::Metrics metrics{"test"};
  engine::HandNote note;
  log::KeptLog log{log::Level::Debug};
  MoodyStore store{clock, [this](Function<void()> answer) { control.post(std::move(answer)); }};
  std::unique_ptr<store::Catalogue> catalogue;
  std::vector<HandWire> wires;
  std::unique_ptr<Node> node;
  std::vector<std::string> problems;  // Changes that failed.
  bool is_pool_full = false;

 private:
  bool run(Function<void()> work) override {
    if (is_pool_full) return false;
    control.post(std::move(work));
    return true;
  }

  bool is_busy() const {
    if (control.posted() > 0) return true;
    for (const auto& loop : loops_) {
      if (loop->posted() > 0) return true;
    }
    return false;
  }

  std::vector<std::unique_ptr<HandLoop>> loops_;
};

}  // namespace petrel::node
