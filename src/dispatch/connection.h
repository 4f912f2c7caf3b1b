// Connection is one socket to a receiver, plain or with TLS, and the answer being read from it. It
// reads and writes at once whatever is possible and never waits; the waiting is done by who uses
// it.
//
// Waiting for input brings the first bytes along: an async_receive into wait_space(), whose end is
// told by took(). read() gives those bytes first. That saves a system call for every answer.
//
// Internal to the dispatch room.
//
// Thread: confined to the loop's thread.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/time.h"
#include "base/url.h"
#include "dispatch/response_reader.h"
#include "dispatch/tls_context.h"
#include "net/descriptor_budget.h"

namespace petrel::dispatch {

class Connection {
 public:
  enum class Io {
    Done,
    WantRead,   // Try again when there is input.
    WantWrite,  // Try again when there is room for output.
    End,        // The other side has closed its half.
    Failed,     // See `error`.
  };

  struct Step {
    Io io;
    std::size_t bytes = 0;
    int error = 0;  // An errno; EPROTO if TLS itself failed.
  };

  Connection(boost::asio::io_context& loop, std::string pool_key);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  boost::asio::ip::tcp::socket& socket() { return socket_; }

  // What decides who may use it; see RequestWriter::pool_key().
  const std::string& pool_key() const { return pool_key_; }
  ResponseReader& reader() { return reader_; }

  // From here on everything goes through TLS, with `url`'s host on the other side. False if there
  // is no memory for it.
  bool begin_tls(std::shared_ptr<TlsContext> context, const Url& url);
  const SSL* tls() const { return tls_.get(); }

  // REQUIRES: begin_tls().
  Step shake_hands();

  Step read(std::span<char> space);
  Step write(std::string_view bytes);

  boost::asio::mutable_buffer wait_space() { return boost::asio::buffer(early_); }
  void took(const boost::system::error_code& error, std::size_t bytes);

  // Whether an idle connection can still be used: open, and nothing came that was not asked for.
  bool is_quiet();

  // The descriptor of its socket, in the budget of all.
  net::DescriptorPlace place;

  MonoTime born_at{};
  bool is_reused = false;

  // How long it may idle, if its receiver says so.
  std::optional<Duration> idle_time_max;

 private:
  friend struct SocketBio;

  Step receive(std::span<char> space);
  Step send(std::string_view bytes);
  Step tls_step(int result);

  boost::asio::ip::tcp::socket socket_;
  std::string pool_key_;                 // These two before tls_, which refers to them.
  std::shared_ptr<TlsContext> context_;  // Null until TLS begins.
  SslPtr tls_;
  ResponseReader reader_;

  // What came while waiting: bytes, the end, or an error; and whether the socket had no more.
  std::array<char, 4096> early_;
  std::size_t early_at_ = 0;
  std::size_t early_end_ = 0;
  bool is_drained_ = false;
  bool is_ended_ = false;
  int wait_error_ = 0;
  bool is_tls_broken_ = false;
};

}  // namespace petrel::dispatch
