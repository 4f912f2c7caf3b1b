#include "app/control_socket.h"

#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace petrel::app {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

constexpr std::size_t kLineMax = 8192;
constexpr std::string_view kOk = "ok ";
constexpr std::string_view kError = "error: ";

// The user on the other side; of a listening socket, the one that listens. Empty if the system does
// not say.
std::optional<uid_t> peer_of(Local::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  return peer.uid;
}

bool is_own_or_root(std::optional<uid_t> user) {
  return user && (*user == ::geteuid() || *user == 0);
}

struct Visit {
  explicit Visit(Local::socket the_socket) : socket(std::move(the_socket)) {}

  Local::socket socket;
  std::string text;
};

}  // namespace

class ControlSocket::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, Handle handle) : acceptor_(loop), handle_(std::move(handle)) {}

  Status listen(const std::string& path) {
    path_ = path;
    ::unlink(path.c_str());
    try {
      acceptor_.open();
      acceptor_.bind(Local::endpoint(path));
      ::chmod(path.c_str(), 0600);
      acceptor_.listen();
    } catch (const boost::system::system_error& error) {
      return unavailable(fmt::format("cannot listen on {}: {}", path, error.what()));
    }
    accept();
    return Done{};
  }

  // A client that is connected still gets an answer, but nothing is done for it any more: what the
  // handler works with is about to go.
  void close() {
    handle_ = nullptr;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
  }

 private:
  void accept() {
    auto self = shared_from_this();
    acceptor_.async_accept([self](const boost::system::error_code& error, Local::socket socket) {
      if (error) return;
      if (is_own_or_root(peer_of(socket))) {
        self->serve(std::make_shared<Visit>(std::move(socket)));
      }
      self->accept();
    });
  }

  void serve(const std::shared_ptr<Visit>& visit) {
    auto self = shared_from_this();
    asio::async_read_until(visit->socket, asio::dynamic_buffer(visit->text, kLineMax), '\n',
                           [self, visit](const boost::system::error_code& error, std::size_t size) {
                             if (!error) self->answer(visit, size);
                           });
  }

  void answer(const std::shared_ptr<Visit>& visit, std::size_t size) {
    const Answer reply = [visit](const Result<std::string>& answer) {
      visit->text = answer.ok() ? fmt::format("{}{}\n", kOk, *answer)
                                : fmt::format("{}{}\n", kError, answer.error().text());
      asio::async_write(visit->socket, asio::buffer(visit->text),
                        [visit](const boost::system::error_code&, std::size_t) {});
    };
    if (!handle_) return reply(unavailable("the server is stopping"));
    handle_(visit->text.substr(0, size - 1), reply);
  }

  Local::acceptor acceptor_;
  Handle handle_;
  std::string path_;
};

std::string ControlSocket::path_in(const std::string& store) {
  return (std::filesystem::path(store) / "petrel.sock").string();
}

ControlSocket::ControlSocket(asio::io_context& loop, Handle handle)
    : impl_(std::make_shared<Impl>(loop, std::move(handle))) {}

ControlSocket::~ControlSocket() { impl_->close(); }

Status ControlSocket::listen(const std::string& path) { return impl_->listen(path); }

Result<std::string> ControlSocket::ask(const std::string& path, const std::string& line,
                                       std::optional<Duration> patience) {
  asio::io_context loop;
  Local::socket socket(loop);
  boost::system::error_code error;
  try {
    socket.connect(Local::endpoint(path), error);
  } catch (const boost::system::system_error& too_long) {
    return invalid("store", fmt::format("{}: {}", path, too_long.what()));
  }
  if (error) return not_found(fmt::format("no server answers at {}", path));
  // Root looks after the servers of others.
  const std::optional<uid_t> peer = peer_of(socket);
  if (::geteuid() != 0 && !is_own_or_root(peer)) {
    return invalid("store", fmt::format("the server at {} is another user's", path));
  }
  std::string text = line + "\n";
  bool is_answered = false;
  asio::async_write(socket, asio::buffer(text), [&](const auto& unsent, std::size_t) {
    error = unsent;
    text.clear();
    if (error) return;
    asio::async_read_until(socket, asio::dynamic_buffer(text, kLineMax), '\n',
                           [&](const auto& unread, std::size_t) {
                             error = unread;
                             is_answered = !unread;
                           });
  });
  if (patience) {
    loop.run_for(*patience);
  } else {
    loop.run();
  }
  if (error) return unavailable("the server ended before it answered");
  if (!is_answered) return unavailable("the server does not answer its control socket");
  text.pop_back();
  if (text.starts_with(kOk)) return text.substr(kOk.size());
  return unavailable(text.starts_with(kError) ? text.substr(kError.size()) : text);
}

}  // namespace petrel::app
