#include "net/resolver.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ares.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include "net/ares_answer.h"
#include "net/name_waits.h"
#include "net/shortage.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;

// Two rounds, the second twice as long. With one name server they end just before a question's
// time is over; with more they go on behind it, and what comes late is for the next question.
constexpr int kFirstRoundMs = 1'600;
constexpr int kRounds = 2;

// How often we look after questions while any is under way, if c-ares asks for nothing sooner.
constexpr Duration kWatchInterval = std::chrono::milliseconds(500);

bool is_init_done() {
  static const int status = ares_library_init(ARES_LIB_INIT_ALL);
  return status == ARES_SUCCESS;
}

ResolutionPtr failure(Resolution::Kind kind, std::string_view why, Duration wait = {}) {
  return std::make_shared<const Resolution>(Resolution{kind, {}, why, wait});
}

// Whether this machine could send to the address, as far as its routes say. Nothing is sent.
bool has_route(const IpAddress& v6) {
  const int socket = ::socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(443);
  const auto bytes = v6.bytes();
  std::copy(bytes.begin(), bytes.end(), address.sin6_addr.s6_addr);
  const bool is_routed =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return is_routed;
}

}  // namespace

class Resolver::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, const Clock& clock, ResolverSettings settings)
      : loop_(loop),
        clock_(clock),
        settings_(std::move(settings)),
        cache_(settings_.names_max),
        waits_(settings_.names_max),
        timer_(loop) {}

  Status start();
  void stop();
  void resolve(const std::string& name, Done done);

 private:
  // A socket of c-ares, watched by the loop for as long as c-ares keeps it open.
  struct Watch {
    explicit Watch(asio::io_context& loop) : descriptor(loop) {}

    asio::posix::stream_descriptor descriptor;
    ares_socket_t socket = ARES_SOCKET_BAD;
    bool wants_read = false;
    bool wants_write = false;
    bool waits_read = false;
    bool waits_write = false;
    bool is_closed = false;
  };

  // A name that was asked for in both families, until both are answered.
  struct Asked {
    Impl* impl;
    std::string name;
    int unanswered = 2;
    AresAnswer v4 = to_answer(ARES_ETIMEOUT, nullptr, 0);
    AresAnswer v6 = to_answer(ARES_ETIMEOUT, nullptr, 0);
  };

  // All who wait for one name.
  struct Question {
    std::shared_ptr<Asked> asked;  // Shared with what c-ares gives back.
    std::uint64_t shortages_before = 0;
    std::vector<Done> waiting;
  };

  // What c-ares gives back with an answer; it is freed there.
  struct AskedFamily {
    std::shared_ptr<Asked> asked;  // Shared by the two families.
    bool is_v4;
  };

  struct Deadline {
    MonoTime at;
    std::shared_ptr<Asked> asked;  // Likewise.
  };

  static void on_answer(void* arg, int status, int timeouts, ares_addrinfo* found);
  static void on_socket_state(void* arg, ares_socket_t socket, int reads, int writes);
  static ares_socket_functions socket_functions();

  void ask(const std::shared_ptr<Asked>& asked);
  bool is_awaited(const Asked& asked) const;
  void settle(const Asked& asked);
  ResolutionPtr failed(const std::string& name, std::string_view why);
  void finish(const std::string& name, const ResolutionPtr& resolution);
  void post(Done done, ResolutionPtr resolution);
  void wait(const std::shared_ptr<Watch>& watch);
  void wait_for(const std::shared_ptr<Watch>& watch, bool is_read);
  void arm_timer();
  void on_time();

  asio::io_context& loop_;
  const Clock& clock_;
  ResolverSettings settings_;
  NameCache cache_;
  NameWaits waits_;
  asio::steady_timer timer_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::shared_ptr<Watch>> watches_;
  std::unordered_map<std::string, Question> questions_;
  std::deque<Deadline> deadlines_;  // All of the same length, so in order.
  std::uint64_t shortages_ = 0;     // Counts sockets that c-ares could not have.
  bool is_timer_armed_ = false;
};

// c-ares does not say that a socket failed for want of descriptors, and then says that the servers
// were not reachable. So its sockets are made here.
ares_socket_functions Resolver::Impl::socket_functions() {
  ares_socket_functions functions{};
  functions.asocket = [](int domain, int type, int protocol, void* arg) {
    const int socket = ::socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (socket < 0 && is_shortage(errno)) ++static_cast<Impl*>(arg)->shortages_;
    return socket;
  };
  functions.aclose = [](ares_socket_t socket, void*) { return ::close(socket); };
  functions.aconnect = [](ares_socket_t socket, const sockaddr* address, ares_socklen_t size,
                          void*) { return ::connect(socket, address, size); };
  functions.arecvfrom = [](ares_socket_t socket, void* data, std::size_t size, int flags,
                           sockaddr* from, ares_socklen_t* from_size, void*) {
    return ::recvfrom(socket, data, size, flags, from, from_size);
  };
  functions.asendv = [](ares_socket_t socket, const iovec* parts, int count, void*) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = static_cast<std::size_t>(count);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL);
  };
  return functions;
}

Status Resolver::Impl::start() {
  if (!is_init_done()) return unavailable("c-ares cannot be set up");
  ares_options options{};
  options.timeout = kFirstRoundMs;
  options.tries = kRounds;
  options.sock_state_cb = on_socket_state;
  options.sock_state_cb_data = this;
  int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  if (!settings_.name_servers.empty()) {
    options.flags = ARES_FLAG_NOSEARCH;
    mask |= ARES_OPT_FLAGS;
  }
  if (ares_init_options(&channel_, &options, mask) != ARES_SUCCESS) {
    channel_ = nullptr;
    return unavailable("c-ares cannot be set up");
  }
  static const ares_socket_functions functions = socket_functions();
  ares_set_socket_functions(channel_, &functions, this);
  if (!settings_.name_servers.empty() &&
      ares_set_servers_ports_csv(channel_, settings_.name_servers.c_str()) != ARES_SUCCESS) {
    return invalid("nameServers", "must be addresses with commas between them");
  }
  return petrel::Done{};
}

void Resolver::Impl::stop() {
  timer_.cancel();
  questions_.clear();
  if (channel_ == nullptr) return;
  ares_destroy(std::exchange(channel_, nullptr));
}

void Resolver::Impl::resolve(const std::string& name, Done done) {
  const MonoTime now = clock_.mono();
  if (ResolutionPtr known = cache_.find(name, now)) return post(std::move(done), std::move(known));
  if (const auto left = waits_.left(name, now)) {
    return post(std::move(done), failure(Resolution::Kind::Failed, kNameServersFailed, *left));
  }
  if (const auto asked = questions_.find(name); asked != questions_.end()) {
    asked->second.waiting.push_back(std::move(done));
    return;
  }
  if (questions_.size() >= settings_.questions_max) {
    return post(std::move(done),
                failure(Resolution::Kind::Shortage, "too many names are being looked up"));
  }
  const auto asked = std::make_shared<Asked>(Asked{.impl = this, .name = name});
  Question& question = questions_[name];
  question.asked = asked;
  question.shortages_before = shortages_;
  question.waiting.push_back(std::move(done));
  deadlines_.push_back({now + settings_.question_time_max, asked});
  ask(asked);
  arm_timer();
}

void Resolver::Impl::ask(const std::shared_ptr<Asked>& asked) {
  // Not both in one: c-ares would tell only how the later of the two ended.
  for (const bool is_v4 : {true, false}) {
    ares_addrinfo_hints hints{};
    hints.ai_flags = ARES_AI_NOSORT;
    hints.ai_family = is_v4 ? AF_INET : AF_INET6;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, asked->name.c_str(), nullptr, &hints, on_answer,
                     new AskedFamily{asked, is_v4});
  }
}

void Resolver::Impl::on_answer(void* arg, int status, int, ares_addrinfo* found) {
  const std::unique_ptr<AskedFamily> family(static_cast<AskedFamily*>(arg));
  if (status != ARES_EDESTRUCTION) {
    Asked& asked = *family->asked;
    (family->is_v4 ? asked.v4 : asked.v6) =
        to_answer(status, found, asked.impl->settings_.addresses_max);
    const bool is_last = --asked.unanswered == 0;
    if (is_last || !asked.impl->is_awaited(asked)) asked.impl->settle(asked);
  }
  if (found != nullptr) ares_freeaddrinfo(found);
}

// Whether a caller still waits for just this question.
bool Resolver::Impl::is_awaited(const Asked& asked) const {
  const auto question = questions_.find(asked.name);
  return question != questions_.end() && question->second.asked.get() == &asked;
}

// By what is known so far: the other family may still be answered afterwards.
void Resolver::Impl::settle(const Asked& asked) {
  const auto& v6 = asked.v6.resolution.addresses;
  const bool is_v6_first = !v6.empty() && has_route(v6.front());
  auto [resolution, ttl] = join(is_v6_first ? asked.v6 : asked.v4,
                                is_v6_first ? asked.v4 : asked.v6, settings_.addresses_max);
  // A late answer is as good for the next question, but a late failure says nothing.
  if (!is_awaited(asked) && resolution.kind != Resolution::Kind::Found) return;
  if (resolution.kind == Resolution::Kind::Failed) {
    if (questions_.at(asked.name).shortages_before == shortages_) {
      return finish(asked.name, failed(asked.name, resolution.why));
    }
    resolution.kind = Resolution::Kind::Shortage;
    resolution.why = "out of file descriptors while looking up the name";
  }
  if (resolution.kind != Resolution::Kind::Shortage) waits_.answered(asked.name);
  const auto shared = std::make_shared<const Resolution>(std::move(resolution));
  cache_.put(asked.name, shared, ttl, clock_.mono());
  finish(asked.name, shared);
}

ResolutionPtr Resolver::Impl::failed(const std::string& name, std::string_view why) {
  return failure(Resolution::Kind::Failed, why, waits_.failed(name, clock_.mono()));
}

void Resolver::Impl::finish(const std::string& name, const ResolutionPtr& resolution) {
  const auto question = questions_.find(name);
  if (question == questions_.end()) return;
  std::vector<Done> waiting = std::move(question->second.waiting);
  questions_.erase(question);
  for (Done& done : waiting) post(std::move(done), resolution);
}

void Resolver::Impl::post(Done done, ResolutionPtr resolution) {
  auto self = shared_from_this();
  asio::post(loop_, [self, done = std::move(done), resolution = std::move(resolution)] {
    if (self->channel_ != nullptr) done(resolution);
  });
}

void Resolver::Impl::on_socket_state(void* arg, ares_socket_t socket, int reads, int writes) {
  auto* impl = static_cast<Impl*>(arg);
  auto found = impl->watches_.find(socket);
  if (reads == 0 && writes == 0) {
    if (found == impl->watches_.end()) return;
    found->second->is_closed = true;
    found->second->descriptor.release();  // c-ares closes it.
    impl->watches_.erase(found);
    return;
  }
  if (found == impl->watches_.end()) {
    auto watch = std::make_shared<Watch>(impl->loop_);
    boost::system::error_code error;
    watch->descriptor.assign(socket, error);
    if (error) return;  // The question then ends by its time.
    watch->socket = socket;
    found = impl->watches_.emplace(socket, std::move(watch)).first;
  }
  found->second->wants_read = reads != 0;
  found->second->wants_write = writes != 0;
  impl->wait(found->second);
}

void Resolver::Impl::wait(const std::shared_ptr<Watch>& watch) {
  if (watch->is_closed) return;
  if (watch->wants_read && !watch->waits_read) wait_for(watch, true);
  if (watch->wants_write && !watch->waits_write) wait_for(watch, false);
}

void Resolver::Impl::wait_for(const std::shared_ptr<Watch>& watch, bool is_read) {
  (is_read ? watch->waits_read : watch->waits_write) = true;
  const auto type =
      is_read ? asio::posix::descriptor_base::wait_read : asio::posix::descriptor_base::wait_write;
  auto self = shared_from_this();
  watch->descriptor.async_wait(
      type, [self, watch, is_read](const boost::system::error_code& error) {
        (is_read ? watch->waits_read : watch->waits_write) = false;
        if (error || watch->is_closed || self->channel_ == nullptr) return;
        ares_process_fd(self->channel_, is_read ? watch->socket : ARES_SOCKET_BAD,
                        is_read ? ARES_SOCKET_BAD : watch->socket);
        self->wait(watch);
      });
}

void Resolver::Impl::arm_timer() {
  if (is_timer_armed_ || questions_.empty()) return;
  Duration wait = std::clamp(deadlines_.front().at - clock_.mono(), Duration(0), kWatchInterval);
  timeval longest{.tv_sec = 1, .tv_usec = 0};
  timeval next{};
  if (ares_timeout(channel_, &longest, &next) != nullptr) {
    const Duration asked = std::chrono::seconds(next.tv_sec) + Duration(next.tv_usec);
    wait = std::min(wait, std::max(asked, Duration(std::chrono::milliseconds(1))));
  }
  is_timer_armed_ = true;
  timer_.expires_after(wait);
  auto self = shared_from_this();
  timer_.async_wait([self](const boost::system::error_code& error) {
    self->is_timer_armed_ = false;
    if (!error && self->channel_ != nullptr) self->on_time();
  });
}

void Resolver::Impl::on_time() {
  ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  const MonoTime now = clock_.mono();
  while (!deadlines_.empty()) {
    const Deadline& next = deadlines_.front();
    const bool is_open = is_awaited(*next.asked);
    if (is_open && next.at > now) break;
    if (is_open) settle(*next.asked);
    deadlines_.pop_front();
  }
  arm_timer();
}

Result<std::unique_ptr<Resolver>> Resolver::make(asio::io_context& loop, const Clock& clock,
                                                 ResolverSettings settings) {
  auto impl = std::make_shared<Impl>(loop, clock, std::move(settings));
  std::unique_ptr<Resolver> resolver(new Resolver(impl));
  const Status started = impl->start();
  if (!started.ok()) return started.error();
  return resolver;
}

Resolver::Resolver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Resolver::~Resolver() { impl_->stop(); }

void Resolver::resolve(const std::string& name, Done done) {
  impl_->resolve(name, std::move(done));
}

}  // namespace petrel::net
