#include "receiver.h"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <fmt/format.h>
#include <unistd.h>

#include "clock.h"
#include "http_text.h"
#include "payload.h"

namespace petrel::bench {
namespace {

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
constexpr std::string_view kPath = "POST /e/";
constexpr auto kPatience = std::chrono::seconds(60);

// Which of its sockets an event is about is told by the descriptor.
void watch_number(const Descriptor& epoll, int socket) {
  watch(epoll, socket, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
}

}  // namespace

Receiver::Receiver(int port_count) : epoll_(make_epoll()), wake_(::eventfd(0, EFD_CLOEXEC)) {
  watch_number(epoll_, wake_.get());
  for (int i = 0; i < port_count; ++i) {
    listeners_.push_back(listen_on_loopback());
    watch_number(epoll_, listeners_.back().socket.get());
  }
  thread_ = std::thread([this] { run(); });
}

Receiver::~Receiver() {
  is_ending_ = true;
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof(one)) < 0) std::terminate();
  thread_.join();
}

std::string Receiver::url(int endpoint) const {
  const Listener& listener = listeners_[static_cast<std::size_t>(endpoint) % listeners_.size()];
  return fmt::format("http://127.0.0.1:{}/e/{}", listener.port, endpoint);
}

void Receiver::expect(int endpoints, int messages) {
  const std::lock_guard lock(mutex_);
  messages_ = static_cast<std::size_t>(messages);
  is_received_.assign(static_cast<std::size_t>(endpoints) * messages_, false);
  tally_ = Tally();
  tally_.way_ns.reserve(is_received_.size());
}

Receiver::Tally Receiver::wait() {
  std::unique_lock lock(mutex_);
  while (tally_.way_ns.size() < is_received_.size()) {
    const std::size_t before = tally_.way_ns.size();
    const bool has_come = changed_.wait_for(
        lock, kPatience, [&] { return tally_.way_ns.size() == is_received_.size(); });
    if (!has_come && tally_.way_ns.size() == before) {
      throw std::runtime_error(
          fmt::format("{} of {} deliveries came, then none", before, is_received_.size()));
    }
  }
  return std::move(tally_);
}

void Receiver::run() {
  std::array<epoll_event, 256> events{};
  while (!is_ending_) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const auto number =
          reinterpret_cast<std::intptr_t>(events[static_cast<std::size_t>(i)].data.ptr);
      const int socket = static_cast<int>(number);
      const auto found = connections_.find(socket);
      if (found != connections_.end()) {
        read_from(*found->second);
      } else if (socket != wake_.get()) {
        accept_from(socket);
      }
    }
  }
}

void Receiver::accept_from(int listener) {
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  auto connection = std::make_unique<Connection>();
  connection->socket = Descriptor(socket);
  connections_.emplace(socket, std::move(connection));
  watch_number(epoll_, socket);
}

void Receiver::read_from(Connection& connection) {
  std::array<char, 16384> buffer;
  const int socket = connection.socket.get();
  const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (size < 0 && errno == EAGAIN) return;
  if (size <= 0) {
    connections_.erase(socket);
    return;
  }
  connection.unread.append(buffer.data(), static_cast<std::size_t>(size));
  const auto request = first_message(connection.unread);
  if (!request || is_hanging_) return;
  take(request->first_line, request->body);
  connection.unread.erase(0, request->size);
  // So short that it always fits; a peer that has gone meanwhile is noticed by the next read.
  [[maybe_unused]] const ssize_t sent =
      ::send(socket, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
}

void Receiver::take(std::string_view path, std::string_view payload) {
  const std::int64_t now = now_ns();
  const auto endpoint = static_cast<std::size_t>(leading_number(path.substr(kPath.size())));
  const PayloadMark mark = read_mark(payload);
  const std::lock_guard lock(mutex_);
  const std::size_t at = endpoint * messages_ + static_cast<std::size_t>(mark.number);
  if (at >= is_received_.size() || is_received_[at]) {
    ++tally_.repeated;
    return;
  }
  is_received_[at] = true;
  tally_.last_at_ns = now;
  tally_.way_ns.push_back(now - mark.sent_at_ns);
  if (tally_.way_ns.size() == is_received_.size()) changed_.notify_all();
}

}  // namespace petrel::bench
