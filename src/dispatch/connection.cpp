#include "dispatch/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>

#include "base/check.h"

namespace petrel::dispatch {

// OpenSSL's door to a Connection's socket. Its own would raise SIGPIPE on a broken connection, and
// know nothing of the bytes that came while waiting.
struct SocketBio {
  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
      CHECK(method != nullptr);  // Ours: made once, and fails only without memory.
      BIO_meth_set_read(method, read);
      BIO_meth_set_write(method, write);
      BIO_meth_set_ctrl(method, control);
      return method;
    }();
    return made;
  }

  static int answer(BIO* bio, const Connection::Step& step, bool is_read) {
    BIO_clear_retry_flags(bio);
    if (step.io == Connection::Io::Done) return static_cast<int>(step.bytes);
    if (step.io == Connection::Io::End) {
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
      return 0;
    }
    if (step.io == Connection::Io::Failed) {
      errno = step.error;
      return -1;
    }
    is_read ? BIO_set_retry_read(bio) : BIO_set_retry_write(bio);
    return -1;
  }

  static int read(BIO* bio, char* data, int size) {
    auto* connection = static_cast<Connection*>(BIO_get_data(bio));
    return answer(bio, connection->receive({data, static_cast<std::size_t>(size)}), true);
  }

  static int write(BIO* bio, const char* data, int size) {
    auto* connection = static_cast<Connection*>(BIO_get_data(bio));
    return answer(bio, connection->send({data, static_cast<std::size_t>(size)}), false);
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    return 0;
  }
};

Connection::Connection(boost::asio::io_context& loop, std::string pool_key)
    : socket_(loop), pool_key_(std::move(pool_key)) {}

// Says goodbye: a session whose connection was just dropped is not resumed by OpenSSL.
Connection::~Connection() {
  if (tls_ == nullptr || is_tls_broken_ || SSL_is_init_finished(tls_.get()) == 0) return;
  SSL_shutdown(tls_.get());
  ERR_clear_error();
}

bool Connection::begin_tls(std::shared_ptr<TlsContext> context, const Url& url) {
  SslPtr client = context->make_client(url, pool_key_);
  if (client == nullptr) return false;
  BIO* bio = BIO_new(SocketBio::method());
  if (bio == nullptr) return false;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(client.get(), bio, bio);
  context_ = std::move(context);
  tls_ = std::move(client);
  return true;
}

Connection::Step Connection::shake_hands() {
  ERR_clear_error();
  errno = 0;
  return tls_step(SSL_do_handshake(tls_.get()));
}

Connection::Step Connection::read(std::span<char> space) {
  if (tls_ == nullptr) return receive(space);
  ERR_clear_error();
  errno = 0;
  const int size = static_cast<int>(space.size());
  return tls_step(SSL_read(tls_.get(), space.data(), size));
}

Connection::Step Connection::write(std::string_view bytes) {
  if (tls_ == nullptr) return send(bytes);
  ERR_clear_error();
  errno = 0;
  const auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1U << 30U));
  return tls_step(SSL_write(tls_.get(), bytes.data(), size));
}

void Connection::took(const boost::system::error_code& error, std::size_t bytes) {
  early_at_ = 0;
  early_end_ = bytes;
  is_drained_ = bytes < early_.size();
  if (error == boost::asio::error::eof) {
    is_ended_ = true;
  } else if (error) {
    wait_error_ = error.value();
  }
}

bool Connection::is_quiet() {
  is_drained_ = false;
  std::array<char, 1> space{};
  return read(space).io == Io::WantRead;
}

Connection::Step Connection::receive(std::span<char> space) {
  if (early_at_ < early_end_) {
    const std::size_t bytes = std::min(space.size(), early_end_ - early_at_);
    std::memcpy(space.data(), early_.data() + early_at_, bytes);
    early_at_ += bytes;
    return {Io::Done, bytes};
  }
  if (is_ended_) return {Io::End};
  if (wait_error_ != 0) return {Io::Failed, 0, wait_error_};
  if (std::exchange(is_drained_, false)) return {Io::WantRead};
  const ssize_t bytes = ::recv(socket_.native_handle(), space.data(), space.size(), MSG_DONTWAIT);
  if (bytes > 0) return {Io::Done, static_cast<std::size_t>(bytes)};
  if (bytes == 0) return {Io::End};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Io::WantRead};
  return {Io::Failed, 0, errno};
}

Connection::Step Connection::send(std::string_view bytes) {
  const ssize_t sent =
      ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return {Io::Done, static_cast<std::size_t>(sent)};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Io::WantWrite};
  return {Io::Failed, 0, errno};
}

Connection::Step Connection::tls_step(int result) {
  if (result > 0) return {Io::Done, static_cast<std::size_t>(result)};
  const int system_error = errno;
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {Io::WantRead};
    case SSL_ERROR_WANT_WRITE:
      return {Io::WantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {Io::End};
    case SSL_ERROR_SYSCALL:
      is_tls_broken_ = true;
      if (system_error == 0) return {Io::End};
      return {Io::Failed, 0, system_error};
    default:
      is_tls_broken_ = true;
      return {Io::Failed, 0, EPROTO};
  }
}

}  // namespace petrel::dispatch
