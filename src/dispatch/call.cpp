#include "dispatch/call.h"

#include <cerrno>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "base/duration_text.h"

namespace petrel::dispatch {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Io = Connection::Io;
using Next = Reception::Next;
using policy::FailureKind;
using policy::Outcome;

// Up to here a body is copied behind its head, and both go out in one write.
constexpr std::size_t kJoinedMax = 16 * 1024;

// A connection goes this long before its receiver would close it, or a request could cross the
// close on its way.
constexpr Duration kKeepAliveMargin = std::chrono::seconds(1);

// After an attempt whose deadline came before our resolver's answer.
constexpr Duration kResolverPause = std::chrono::seconds(1);

// From here on an answer counts as its application's: smaller ones are bounded by their number.
constexpr std::size_t kLargeAnswer = 8 * 1024;

constexpr std::string_view kNoRoom = "there was no room in memory for the response's header";

}  // namespace

Call::Call(CallTools& tools, std::shared_ptr<RequestWriter> writer, model::AttemptOrder order,
           engine::Transport::Done done)
    : tools_(tools),
      writer_(std::move(writer)),
      order_(std::move(order)),
      done_(std::move(done)),
      started_(tools.dial.clock.mono()),
      deadline_(started_ + order_.timeout) {
  CHECK(order_.payload != nullptr);  // Ours: the engine loads it before it sends the order.
}

void Call::start() {
  if (!order_.dials_anew) connection_ = tools_.pool.take(writer_->pool_key(), started_);
  if (connection_ == nullptr) return dial();
  send_request();
}

void Call::dial() {
  stage_ = Stage::Dialling;
  ++era_;
  is_waiting_for_input_ = false;
  reception_.reset();
  connection_.reset();
  auto self = shared_from_this();
  Destination to{writer_->url(), writer_->tls(), writer_->pool_key()};
  dial_ = Dial::start(tools_.dial, std::move(to), deadline_,
                      [self](Dial::Outcome outcome) { self->on_dialled(std::move(outcome)); });
}

void Call::on_dialled(Dial::Outcome outcome) {
  dial_.reset();
  timings_ = outcome.timings;
  if (outcome.failure) return fail(*std::move(outcome.failure));
  connection_ = std::move(outcome.connection);
  send_request();
}

void Call::send_request() {
  stage_ = Stage::Sending;
  connection_->reader().reset();
  reception_.emplace(connection_->reader());
  std::string& output = tools_.output;
  output.clear();
  std::string_view body = *order_.payload;
  writer_->write_head(order_.delivery.message, order_.started_at, body, order_.content_type,
                      output);
  if (body.size() <= kJoinedMax) {
    output += body;
    body = {};
  }
  body_rest_ = body;

  // Nearly always it all fits into the socket's buffer at once.
  const Connection::Step step = connection_->write(output);
  head_rest_.assign(output, step.io == Io::Done ? step.bytes : 0);
  if (step.io == Io::Done || step.io == Io::WantWrite) return send_rest();
  wait_for_answer();
}

// Sends until it is all out or the socket's buffer is full. An answer may come before that: some
// receivers refuse a large body at its first bytes.
void Call::send_rest() {
  while (!head_rest_.empty() || !body_rest_.empty()) {
    const bool is_head = !head_rest_.empty();
    const Connection::Step step =
        connection_->write(is_head ? std::string_view(head_rest_) : body_rest_);
    if (step.io == Io::WantWrite || step.io == Io::WantRead) {
      wait_writable();
      return wait_readable();
    }
    if (step.io != Io::Done) break;
    if (is_head) {
      head_rest_.erase(0, step.bytes);
    } else {
      body_rest_.remove_prefix(step.bytes);
    }
  }
  wait_for_answer();
}

// Also when sending broke: a response may have come before that, and reading will tell.
void Call::wait_for_answer() {
  stage_ = Stage::Receiving;
  sent_at_ = tools_.dial.clock.mono();
  wait_readable();
}

void Call::wait_writable() {
  auto self = shared_from_this();
  connection_->socket().async_wait(tcp::socket::wait_write, [self, era = era_](const error_code&) {
    if (self->stage_ == Stage::Sending && self->era_ == era) self->send_rest();
  });
}

void Call::wait_readable() {
  if (std::exchange(is_waiting_for_input_, true)) return;
  auto self = shared_from_this();
  connection_->socket().async_receive(
      connection_->wait_space(), [self, era = era_](const error_code& error, std::size_t bytes) {
        if (self->stage_ == Stage::Over || self->era_ != era) return;
        self->is_waiting_for_input_ = false;
        self->connection_->took(error, bytes);
        self->receive();
      });
}

void Call::receive() {
  for (;;) {
    const Connection::Step step = connection_->read(tools_.input);
    if (step.io == Io::WantRead || step.io == Io::WantWrite) return wait_readable();
    if (step.io == Io::Failed) return on_broken(step.error);
    if (step.io == Io::End) return act(reception_->on_end(standing()));
    if (!connection_->reader().has_begun() && sent_at_ != MonoTime{}) {
      timings_.first_byte = tools_.dial.clock.mono() - sent_at_;
    }
    const Next next = reception_->on_bytes({tools_.input.data(), step.bytes}, standing());
    if (!hold_answer() && next == Next::Wait)
      return end_failed(our_fault(kNoRoom, model::FaultCause::Memory));
    if (next != Next::Wait) return act(next);
  }
}

// Without room for it an answer is read all the same, but less of it is kept. False if that does
// not help: a header has to be kept whole, and one that is large has no claim to more than its
// application's share.
bool Call::hold_answer() {
  if (connection_ == nullptr) return true;
  ResponseReader& reader = connection_->reader();
  const std::size_t bytes = reader.bytes_held();
  if (bytes <= answer_held_) return true;
  const std::size_t more = bytes - answer_held_;
  MemoryBudget& budget = tools_.results.budget();
  const bool is_large = bytes >= kLargeAnswer;
  if (is_large && !answer_account_) {
    answer_account_ = budget.account(order_.endpoint->application.text());
  }
  answer_held_ = bytes;
  if (tools_.results.take(more, is_large ? answer_account_.get() : nullptr)) {
    if (is_large) answer_charged_ += more;
    return true;
  }
  budget.note_refused(MemoryUse::Results, answer_account_.get());
  tools_.results.take_anyway(more);
  reader.keep_no_more();
  return reader.has_header() || !is_large;
}

void Call::let_go_of_answer() {
  const std::size_t charged = std::exchange(answer_charged_, 0);
  tools_.results.give_back(charged, answer_account_.get());
  tools_.results.give_back(std::exchange(answer_held_, 0) - charged, nullptr);
}

Reception::Standing Call::standing() const {
  return {.is_reused = connection_->is_reused,
          .is_written = head_rest_.empty() && body_rest_.empty()};
}

void Call::on_broken(int error) {
  if (error == EPROTO && !connection_->reader().has_begun()) {
    if (const auto refusal = late_refusal()) return fail(failed(FailureKind::Tls, *refusal));
  }
  act(reception_->on_broken(error, standing()));
}

void Call::act(Next next) {
  switch (next) {
    case Next::Wait:
      return wait_readable();
    case Next::DialAnew:
      sent_at_ = {};
      return dial();
    case Next::Answer:
      return on_answer(false);
    case Next::AnswerAndReuse:
      return on_answer(true);
    case Next::Fail:
      return end_failed(reception_->failure());
  }
}

model::AttemptResult Call::end_answered() {
  ResponseReader& reader = connection_->reader();
  model::AttemptResult result = end(Outcome::answered(reader.status()));
  result.response = reader.take_body();
  result.retry_after = reader.retry_after();
  result.date = reader.date();
  result.webhook_delivery = reader.webhook_delivery();
  return result;
}

void Call::on_answer(bool may_reuse) {
  if (stage_ == Stage::Over) return;
  if (!connection_->reader().has_header()) {
    return fail(failed(FailureKind::Protocol, "the response has no header"));
  }
  model::AttemptResult result = end_answered();
  std::unique_ptr<Connection> connection = std::move(connection_);
  if (may_reuse) {
    const auto timeout = connection->reader().keep_alive_timeout();
    connection->idle_time_max =
        timeout ? std::optional<Duration>(*timeout - kKeepAliveMargin) : std::nullopt;
    connection->reader().reset();  // While it idles it keeps nothing.
    tools_.pool.give(std::move(connection), started_ + result.timings.total);
  }
  answer(std::move(result));
}

void Call::fail(Failure failure) {
  if (stage_ == Stage::Over) return;
  if (reception_) return act(reception_->on_failure(std::move(failure)));
  end_failed(failure);
}

void Call::end_failed(const Failure& failure) {
  model::AttemptResult result = end(failure.outcome);
  result.error = failure.error;
  result.resolver_wait = failure.resolver_wait;
  result.for_operator = failure.for_operator;
  result.fault = failure.cause;
  result.is_stale_connection = reception_ && reception_->is_stale();
  connection_.reset();
  answer(std::move(result));
}

void Call::on_deadline() {
  const std::string_view name = dial_ ? dial_->resolves() : std::string_view();
  if (!name.empty()) return fail(resolver_fault(name, kResolverPause));
  if (dial_ && dial_->lacks_descriptor()) return fail(no_descriptor());
  const std::string error = fmt::format("{} within {}", waits_for(), to_words(order_.timeout));
  fail(failed(FailureKind::Timeout, error));
}

void Call::cancel() {
  if (stage_ == Stage::Over) return;
  const bool is_success = connection_ != nullptr && connection_->reader().status() / 100 == 2;
  model::AttemptResult result = is_success ? end_answered() : end(Outcome::our_fault());
  if (!is_success) {
    result.error = "the attempt was ended by this server";
    result.fault = model::FaultCause::Stopped;
  }
  connection_.reset();
  auto self = shared_from_this();
  asio::post(tools_.dial.loop,
             [self, result = std::move(result)]() mutable { self->answer(std::move(result)); });
}

void Call::drop() {
  let_go_of_answer();
  stage_ = Stage::Over;
  if (dial_) dial_->cancel();
  dial_.reset();
  connection_.reset();
  done_ = nullptr;
}

// From here on nothing that is still under way has an effect.
model::AttemptResult Call::end(Outcome outcome) {
  model::AttemptResult result;
  result.outcome = outcome;
  if (dial_) {
    timings_ = dial_->timings();
    dial_->cancel();
    dial_.reset();
  }
  let_go_of_answer();
  stage_ = Stage::Over;
  timings_.total = tools_.dial.clock.mono() - started_;
  result.timings = timings_;
  tools_.calls.erase({deadline_, shared_from_this()});
  return result;
}

void Call::answer(model::AttemptResult result) {
  const engine::Transport::Done done = std::exchange(done_, nullptr);
  if (done) done(std::move(result));
}

std::string_view Call::waits_for() const {
  switch (stage_) {
    case Stage::Dialling:
      return dial_ ? dial_->waits_for() : "no connection";
    case Stage::Sending:
      return "the request was not taken";
    default:
      return connection_->reader().has_header() ? "the response did not end" : "no response";
  }
}

}  // namespace petrel::dispatch
