#include "net/testing/fake_name_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

#include <unistd.h>

#include "base/check.h"

namespace petrel::net {
namespace {

constexpr std::size_t kHeadBytes = 12;
constexpr std::uint16_t kTypeA = 1;
constexpr std::uint16_t kTypeAaaa = 28;

void append16(std::string& out, std::size_t number) {
  out += static_cast<char>(number >> 8U & 0xffU);
  out += static_cast<char>(number & 0xffU);
}

}  // namespace

FakeNameServer::FakeNameServer() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  CHECK(socket_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  CHECK(bind(socket_, plain, sizeof address) == 0);
  socklen_t size = sizeof address;
  CHECK(getsockname(socket_, plain, &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FakeNameServer::~FakeNameServer() {
  is_stopping_ = true;
  // An empty datagram to itself wakes the thread.
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sendto(socket_, "", 0, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  thread_.join();
  close(socket_);
}

void FakeNameServer::set(const std::string& name, std::vector<Answer> answers) {
  const std::lock_guard lock(mutex_);
  answers_[name] = std::move(answers);
}

int FakeNameServer::questions(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(name);
  return found == asked_.end() ? 0 : found->second;
}

std::string FakeNameServer::address() const { return "127.0.0.1:" + std::to_string(port_); }

void FakeNameServer::serve() {
  std::array<char, 1500> space{};
  while (!is_stopping_) {
    sockaddr_in from{};
    socklen_t from_size = sizeof from;
    auto* plain = reinterpret_cast<sockaddr*>(&from);
    const ssize_t size = recvfrom(socket_, space.data(), space.size(), 0, plain, &from_size);
    if (size <= static_cast<ssize_t>(kHeadBytes)) continue;
    const auto answer = reply({space.data(), static_cast<std::size_t>(size)});
    if (answer) sendto(socket_, answer->data(), answer->size(), 0, plain, from_size);
  }
}

// The two questions for one name, IPv4 and IPv6, get the same answer of the script.
FakeNameServer::Answer FakeNameServer::next_answer(const std::string& name, bool is_first_kind) {
  const std::lock_guard lock(mutex_);
  int& asked = asked_[name];
  if (is_first_kind) ++asked;
  const auto found = answers_.find(name);
  if (found == answers_.end()) return {.kind = Answer::Kind::NoSuchName};
  const auto at = static_cast<std::size_t>(std::max(asked - 1, 0));
  return found->second[std::min(at, found->second.size() - 1)];
}

std::optional<std::string> FakeNameServer::reply(std::string_view question) {
  std::string name;
  std::size_t at = kHeadBytes;
  while (at < question.size() && question[at] != 0) {
    if (!name.empty()) name += '.';
    const auto length = static_cast<std::size_t>(question[at]);
    name += question.substr(at + 1, length);
    at += length + 1;
  }
  if (at + 5 > question.size()) return std::nullopt;
  const auto type = static_cast<std::uint16_t>(question[at + 2]);
  Answer answer = next_answer(name, type == kTypeA);
  if (type == kTypeAaaa) answer.kind = answer.kind_v6.value_or(answer.kind);
  if (answer.kind == Answer::Kind::Silence) return std::nullopt;

  std::string records;
  std::size_t count = 0;
  for (const std::string& text : answer.addresses) {
    const auto address = IpAddress::parse(text);
    CHECK(address);
    if (type != (address->is_v4() ? kTypeA : kTypeAaaa)) continue;
    append16(records, 0xc000 + kHeadBytes);  // The name of the question.
    append16(records, type);
    append16(records, 1);
    append16(records, answer.ttl_seconds >> 16U);
    append16(records, answer.ttl_seconds & 0xffffU);
    append16(records, address->bytes().size());
    for (const std::uint8_t byte : address->bytes()) records += static_cast<char>(byte);
    ++count;
  }
  std::string out(question.substr(0, 2));
  std::size_t code = 0;
  if (answer.kind == Answer::Kind::NoSuchName) code = 3;
  if (answer.kind == Answer::Kind::Failure) code = 2;
  if (answer.kind == Answer::Kind::Refusal) code = 5;
  append16(out, 0x8180U + code);
  append16(out, 1);
  append16(out, count);
  append16(out, 0);
  append16(out, 0);
  out += question.substr(kHeadBytes, at + 5 - kHeadBytes);
  return out + records;
}

}  // namespace petrel::net
