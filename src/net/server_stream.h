// ServerStream is a client's socket, plain or with TLS on it. Which of the two it is, is asked once
// for each operation and not for each byte.
//
//   shake_hands → read_some, write, … → say_goodbye → read_some (until the client closes too)
//
// Plain connections have nothing to shake hands on.
//
// Thread: confined to the loop's thread. One read and one write at a time; each `done` is called
// with an error_code, and with the number of bytes if there are any.

#pragma once

#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>

#include "net/tls_identity.h"

namespace petrel::net {

class ServerStream {
 public:
  // Plain if there is no identity.
  ServerStream(boost::asio::ip::tcp::socket socket, TlsIdentity* identity)
      : socket_(std::move(socket)) {
    if (identity != nullptr) tls_.emplace(socket_, identity->context());
  }

  boost::asio::ip::tcp::socket& socket() { return socket_; }
  bool is_tls() const { return tls_.has_value(); }

  // REQUIRES: is_tls().
  template <typename Done>
  void shake_hands(Done done) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(done));
  }

  // Goes on without TLS, to tell a client that has spoken plain HTTP.
  //
  // REQUIRES: no operation is under way.
  void go_plain() { tls_.reset(); }

  // After the goodbye what comes is not looked into any more.
  template <typename Done>
  void read_some(boost::asio::mutable_buffer space, Done done) {
    if (tls_ && !has_said_goodbye_) {
      tls_->async_read_some(space, std::move(done));
    } else {
      socket_.async_read_some(space, std::move(done));
    }
  }

  // One buffer, or an array of them.
  template <typename Buffers, typename Done>
  void write(const Buffers& bytes, Done done) {
    if (tls_) {
      boost::asio::async_write(*tls_, bytes, std::move(done));
    } else {
      boost::asio::async_write(socket_, bytes, std::move(done));
    }
  }

  // Says that nothing more will be written.
  template <typename Done>
  void say_goodbye(Done done) {
    has_said_goodbye_ = true;
    const auto end = [this, done = std::move(done)](const boost::system::error_code&) {
      boost::system::error_code ignored;
      socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
      done();
    };
    if (!tls_) return end({});
    // As if the client had said it too: its goodbye is not waited for.
    SSL_set_shutdown(tls_->native_handle(), SSL_RECEIVED_SHUTDOWN);
    tls_->async_shutdown(end);
  }

 private:
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  bool has_said_goodbye_ = false;
};

}  // namespace petrel::net
