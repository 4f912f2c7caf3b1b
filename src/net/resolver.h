// Resolver finds the addresses of names: in the hosts file, else by asking the name servers, with
// c-ares on the event loop and without a thread.
//
// A name is asked for in both families; that it has no address needs a "no" to both. Several
// questions for one name at the same time are asked once. Addresses are remembered (see NameCache);
// a name that the name servers failed for is not asked for again until its wait is over (see
// NameWaits), and who asks meanwhile is told so at once. A question ends after five seconds
// whatever the name servers do, with the addresses of one family if the other is not answered by
// then, and one that hangs delays no other.
//
// Thread: confined to the loop's thread.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/name_cache.h"

namespace boost::asio {
class io_context;
}

namespace petrel::net {

struct ResolverSettings {
  // "192.0.2.53, [2001:db8::53]:5353". Empty: the ones of the system, with its search domains.
  std::string name_servers;

  Duration question_time_max = std::chrono::seconds(5);
  std::size_t names_max = 10'000;     // Remembered.
  std::size_t questions_max = 4'096;  // Under way at once; beyond it is a shortage.
  std::size_t addresses_max = 16;     // Taken of one answer.
};

class Resolver {
 public:
  using Done = std::function<void(ResolutionPtr)>;

  // Fails with Invalid at `nameServers` if they make no sense, and with Unavailable if c-ares
  // cannot be set up.
  static Result<std::unique_ptr<Resolver>> make(boost::asio::io_context& loop, const Clock& clock,
                                                ResolverSettings settings);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Answers exactly once, from the loop and never from within this call; not at all if the resolver
  // is destroyed before.
  //
  // REQUIRES: a name, in lower case, and not an address.
  void resolve(const std::string& name, Done done);

 private:
  class Impl;
  explicit Resolver(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;  // Shared with the operations that are under way on the loop.
};

}  // namespace petrel::net
