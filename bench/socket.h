// Sockets on loopback, for both sides of the benchmark.
//
// Whatever fails here ends the run: it throws std::system_error.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace petrel::bench {

// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

struct Listener {
  Descriptor socket;
  std::uint16_t port;
};

// Does not block, on a port that was free.
Listener listen_on_loopback();

// As many sockets as the system lets this process have.
void raise_descriptor_limit();

// Holds a port and refuses every connection to it.
Listener refuse_on_loopback();

// Connected, and blocking.
Descriptor connect_to_loopback(std::uint16_t port);

void make_non_blocking(int socket);

Descriptor make_epoll();
void watch(const Descriptor& epoll, int socket, void* tag);

// Writes all of it to a blocking socket.
void write_all(int socket, std::string_view bytes);

[[noreturn]] void throw_errno(const char* what);

}  // namespace petrel::bench
