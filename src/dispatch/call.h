// Call is one attempt under way: it takes an idle connection or has one dialled, sends the request,
// reads the response and says what came of it.
//
//   start ──▶ (idle connection?) ──▶ Sending ──▶ Receiving ──▶ Over
//                  │ no                 ▲ │
//                  └──▶ Dialling ───────┘ │ the idle connection was closed before
//                          ▲──────────────┘ the whole request was written
//
// What the bytes and the end of a connection mean is Reception's to say; here is the socket.
//
// Internal to the dispatch room.
//
// Thread: confined to the loop's thread.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory_share.h"
#include "dispatch/connection_pool.h"
#include "dispatch/dial.h"
#include "dispatch/reception.h"
#include "dispatch/request_writer.h"
#include "engine/transport.h"

namespace petrel::dispatch {

class Call;

// By deadline, so that the first one is the next to end.
using Calls = std::set<std::pair<MonoTime, std::shared_ptr<Call>>>;

// What all calls of a transport share. Outlives them, or they are dropped before it goes.
struct CallTools {
  CallTools(DialTools dial_tools, const std::shared_ptr<MemoryBudget>& memory)
      : dial(std::move(dial_tools)),
        pool(dial.places->pool()),
        results(memory ? memory : MemoryBudget::unlimited(), MemoryUse::Results) {}

  DialTools dial;
  ConnectionPool& pool;                 // Of `dial`.
  MemoryShare results;                  // What answers take up while they are read.
  Calls calls;                          // That are under way.
  std::string output;                   // The request being written.
  std::array<char, 16 * 1024> input{};  // The part of an answer being read.
};

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(CallTools& tools, std::shared_ptr<RequestWriter> writer, model::AttemptOrder order,
       engine::Transport::Done done);

  // REQUIRES: it is in `tools.calls`, under deadline().
  void start();

  MonoTime deadline() const { return deadline_; }
  void on_deadline();

  // Ends it as our own fault. The answer is given from the loop.
  void cancel();

  // Ends it without an answer.
  void drop();

 private:
  enum class Stage { Dialling, Sending, Receiving, Over };

  void dial();
  void on_dialled(Dial::Outcome outcome);
  void send_request();
  void send_rest();
  void wait_writable();
  void wait_for_answer();
  void wait_readable();
  void receive();
  [[nodiscard]] bool hold_answer();
  void let_go_of_answer();
  void on_broken(int error);
  Reception::Standing standing() const;
  void act(Reception::Next next);
  void on_answer(bool may_reuse);
  void fail(Failure failure);
  void end_failed(const Failure& failure);
  model::AttemptResult end(policy::Outcome outcome);
  model::AttemptResult end_answered();
  void answer(model::AttemptResult result);
  std::string_view waits_for() const;

  CallTools& tools_;
  std::shared_ptr<RequestWriter> writer_;
  model::AttemptOrder order_;
  engine::Transport::Done done_;
  MonoTime started_;
  MonoTime deadline_;
  Stage stage_ = Stage::Dialling;
  std::shared_ptr<Dial> dial_;  // Also held by its own operations.
  std::unique_ptr<Connection> connection_;
  std::optional<Reception> reception_;  // Of the connection that the request goes over.
  std::string head_rest_;               // What of the request is not sent yet: this first,
  std::string_view body_rest_;          // then this, of the order's payload.
  std::size_t answer_held_ = 0;         // Bytes, in tools_.results.
  std::size_t answer_charged_ = 0;      // Of them, to the account.
  MemoryAccountPtr answer_account_;     // Of the endpoint's application; null: its answer is small.
  bool is_waiting_for_input_ = false;
  std::uint64_t era_ = 0;  // Counts connections: what ends late for an older one is passed over.
  MonoTime sent_at_{};
  model::Timings timings_;
};

}  // namespace petrel::dispatch
