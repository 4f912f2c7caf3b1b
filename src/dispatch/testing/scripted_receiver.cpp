#include "dispatch/testing/scripted_receiver.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/check.h"
#include "base/text.h"

namespace petrel::dispatch {
namespace {

constexpr int kPatienceMs = 10'000;

int make_listener(std::string_view ip, std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener >= 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  CHECK(inet_pton(AF_INET, std::string(ip).c_str(), &address.sin_addr) == 1);
  CHECK(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(listen(listener, 128) == 0);
  return listener;
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  CHECK(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

bool waits_for_input(int socket, int patience_ms = kPatienceMs) {
  pollfd wait{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, patience_ms) == 1;
}

// OpenSSL writes without MSG_NOSIGNAL. For this thread only: the code under test must not need it.
void ignore_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length: ";
  const std::size_t at = head.find(kName);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = head.substr(at + kName.size());
  return static_cast<std::size_t>(parse_digits(rest.substr(0, rest.find('\r'))).value_or(0));
}

}  // namespace

Peer::~Peer() {
  if (tls_ != nullptr) SSL_free(tls_);
  if (socket_ >= 0) close(socket_);
}

std::size_t Peer::read_some(char* data, std::size_t size) {
  if (socket_ < 0) return 0;
  if (tls_ != nullptr) {
    const int bytes = SSL_read(tls_, data, static_cast<int>(size));
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }
  if (!waits_for_input(socket_)) return 0;
  const ssize_t bytes = recv(socket_, data, size, 0);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::optional<std::string> Peer::read_request() {
  std::array<char, 16 * 1024> space{};
  for (;;) {
    const std::size_t end = input_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::size_t size =
          end + 4 + content_length(std::string_view(input_).substr(0, end + 2));
      if (input_.size() >= size) {
        std::string request = input_.substr(0, size);
        input_.erase(0, size);
        return request;
      }
    }
    const std::size_t bytes = read_some(space.data(), space.size());
    if (bytes == 0) return std::nullopt;
    input_.append(space.data(), bytes);
  }
}

std::string Peer::read_bytes(std::size_t size) {
  std::array<char, 1024> space{};
  while (input_.size() < size) {
    const std::size_t bytes = read_some(space.data(), std::min(space.size(), size - input_.size()));
    if (bytes == 0) break;
    input_.append(space.data(), bytes);
  }
  std::string taken = input_.substr(0, size);
  input_.erase(0, taken.size());
  return taken;
}

bool Peer::send(std::string_view text) {
  if (tls_ != nullptr) {
    return SSL_write(tls_, text.data(), static_cast<int>(text.size())) > 0;
  }
  while (!text.empty()) {
    const ssize_t bytes = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (bytes <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

void Peer::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(std::exchange(socket_, -1));
}

bool Peer::hears_within(std::chrono::milliseconds time) const {
  return waits_for_input(socket_, static_cast<int>(time.count()));
}

bool Peer::waits_for_end() {
  std::array<char, 1024> space{};
  for (;;) {
    if (!waits_for_input(socket_)) return false;
    if (recv(socket_, space.data(), space.size(), 0) <= 0) return true;
  }
}

bool Peer::begin_tls(SSL_CTX* context) {
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, socket_);
  return SSL_accept(tls_) == 1;
}

bool Peer::is_resumed() const { return SSL_session_reused(tls_) == 1; }

std::string Peer::client_name() const {
  const X509* certificate = SSL_get0_peer_certificate(tls_);
  if (certificate == nullptr) return {};
  std::array<char, 64> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

void Peer::tunnel_to(std::uint16_t port) {
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  std::array<char, 4096> space{};
  for (bool is_open = true; is_open;) {
    std::array<pollfd, 2> waits = {pollfd{.fd = socket_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = other, .events = POLLIN, .revents = 0}};
    if (poll(waits.data(), waits.size(), kPatienceMs) <= 0) break;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t bytes = recv(waits[i].fd, space.data(), space.size(), 0);
      is_open = bytes > 0 && ::send(waits[1 - i].fd, space.data(), static_cast<std::size_t>(bytes),
                                    MSG_NOSIGNAL) == bytes;
      if (!is_open) break;
    }
  }
  close(other);
}

ScriptedReceiver::ScriptedReceiver(Script script, std::string_view address, std::uint16_t port)
    : script_(std::move(script)), listener_(make_listener(address, port)) {
  port_ = port_of(listener_);
  thread_ = std::thread([this] { serve(); });
}

ScriptedReceiver::~ScriptedReceiver() {
  is_stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& talk : talks_) talk.join();
}

void ScriptedReceiver::serve() {
  while (!is_stopping_) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int number = ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(socket);
    talks_.emplace_back([this, socket, number] {
      ignore_broken_pipes();
      Peer peer(socket, number);
      script_(peer);
      // Before the socket is closed and its number may be another's.
      const std::lock_guard inner_lock(mutex_);
      open_.erase(std::find(open_.begin(), open_.end(), socket));
    });
  }
}

std::uint16_t free_port() {
  const int listener = make_listener("127.0.0.1", 0);
  const std::uint16_t port = port_of(listener);
  close(listener);
  return port;
}

}  // namespace petrel::dispatch
