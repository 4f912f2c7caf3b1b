#include "producer.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

#include <fmt/format.h>

#include "clock.h"
#include "http_text.h"
#include "payload.h"
#include "socket.h"

namespace petrel::bench {
namespace {

constexpr int kPatienceMs = 60'000;

struct Connection {
  Descriptor socket;
  std::string request;
  std::string unread;
  std::int64_t number = 0;
  std::int64_t posted_at_ns = 0;
};

class Run {
 public:
  explicit Run(const ProducerSettings& settings);

  ProducerTally finish();

 private:
  bool is_next_due() const { return next_number_ < settings_.messages && due_in_ns() <= 0; }
  std::int64_t due_in_ns() const;
  void send_what_is_due();
  void post(Connection& connection, std::int64_t number);
  void read_from(Connection& connection);
  int wait_ms() const;

  const ProducerSettings& settings_;
  Descriptor epoll_ = make_epoll();
  std::vector<std::unique_ptr<Connection>> connections_;
  std::deque<Connection*> idle_;
  std::deque<std::int64_t> again_;  // Numbers that were refused.
  std::size_t payload_at_ = 0;
  std::int64_t next_number_ = 0;
  ProducerTally tally_;
};

Run::Run(const ProducerSettings& settings) : settings_(settings) {
  const std::string payload = make_payload(settings.payload_bytes);
  const std::string body = fmt::format(R"({{"eventType":"bench.message","payload":{}}})", payload);
  const std::string request = request_text(
      "POST", fmt::format("/api/v1/app/{}/msg?with_content=false", settings.application),
      settings.token, body);
  payload_at_ = request.size() - payload.size() - 1;
  for (int i = 0; i < settings.connections; ++i) {
    auto connection = std::make_unique<Connection>();
    connection->socket = connect_to_loopback(settings.port);
    connection->request = request;
    watch(epoll_, connection->socket.get(), connection.get());
    idle_.push_back(connection.get());
    connections_.push_back(std::move(connection));
  }
}

std::int64_t Run::due_in_ns() const {
  if (settings_.rate <= 0) return 0;
  const double offset_ns = static_cast<double>(next_number_) * 1e9 / settings_.rate;
  return tally_.began_at_ns + static_cast<std::int64_t>(offset_ns) - now_ns();
}

int Run::wait_ms() const {
  if (settings_.rate <= 0 || idle_.empty() || next_number_ >= settings_.messages) {
    return kPatienceMs;
  }
  return static_cast<int>(std::clamp<std::int64_t>(due_in_ns() / 1'000'000, 0, kPatienceMs));
}

void Run::post(Connection& connection, std::int64_t number) {
  connection.number = number;
  connection.posted_at_ns = now_ns();
  write_mark(connection.request.data() + payload_at_, {connection.posted_at_ns, number});
  write_all(connection.socket.get(), connection.request);
}

void Run::send_what_is_due() {
  while (!idle_.empty() && (is_next_due() || !again_.empty())) {
    Connection& connection = *idle_.front();
    idle_.pop_front();
    if (is_next_due()) {
      post(connection, next_number_++);
    } else {
      post(connection, again_.front());
      again_.pop_front();
    }
  }
}

void Run::read_from(Connection& connection) {
  std::array<char, 16384> buffer;
  const ssize_t size = ::recv(connection.socket.get(), buffer.data(), buffer.size(), 0);
  if (size <= 0) throw std::runtime_error("the server broke a producer's connection");
  connection.unread.append(buffer.data(), static_cast<std::size_t>(size));
  const auto answer = first_message(connection.unread);
  if (!answer) return;
  const int status = status_of(*answer);
  if (status == 202) {
    tally_.ack_ns.push_back(now_ns() - connection.posted_at_ns);
  } else if (status == 503) {
    ++tally_.refused;
    again_.push_back(connection.number);
  } else {
    throw std::runtime_error(fmt::format("a message got {} {}", answer->first_line, answer->body));
  }
  connection.unread.erase(0, answer->size);
  idle_.push_back(&connection);
}

ProducerTally Run::finish() {
  tally_.began_at_ns = now_ns();
  std::array<epoll_event, 256> events{};
  while (static_cast<std::int64_t>(tally_.ack_ns.size()) < settings_.messages) {
    send_what_is_due();
    const int patience = wait_ms();
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), patience);
    if (count == 0 && patience == kPatienceMs) {
      throw std::runtime_error("the server has not answered a producer for a minute");
    }
    for (int i = 0; i < count; ++i) {
      read_from(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }
  tally_.ended_at_ns = now_ns();
  return std::move(tally_);
}

}  // namespace

ProducerTally produce(const ProducerSettings& settings) { return Run(settings).finish(); }

}  // namespace petrel::bench
