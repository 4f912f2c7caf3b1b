// FakeNameServer answers DNS questions on a loopback port, for tests: as scripted, by name.
//
// Thread: safe. It has a thread of its own, which ends with it.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/ip_address.h"

namespace petrel::net {

class FakeNameServer {
 public:
  struct Answer {
    enum class Kind { Addresses, NoSuchName, Failure, Refusal, Silence };

    Kind kind = Kind::Addresses;
    std::vector<std::string> addresses = {};  // IPv4 and IPv6.
    std::uint32_t ttl_seconds = 60;
    std::optional<Kind> kind_v6 = std::nullopt;  // If the question for IPv6 gets another.
  };

  FakeNameServer();
  ~FakeNameServer();
  FakeNameServer(const FakeNameServer&) = delete;
  FakeNameServer& operator=(const FakeNameServer&) = delete;

  // The answers to the questions for `name`, one after the other; the last is repeated. A name that
  // was not set does not exist.
  void set(const std::string& name, std::vector<Answer> answers);

  // How often the IPv4 addresses of `name` were asked for.
  int questions(const std::string& name) const;

  // For ResolverSettings: "127.0.0.1:40123".
  std::string address() const;

 private:
  void serve();
  Answer next_answer(const std::string& name, bool is_first_kind);
  std::optional<std::string> reply(std::string_view question);

  int socket_;
  std::uint16_t port_ = 0;
  std::atomic<bool> is_stopping_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Answer>> answers_;
  std::map<std::string, int> asked_;
  std::thread thread_;
};

}  // namespace petrel::net
