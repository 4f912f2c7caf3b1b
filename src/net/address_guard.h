// AddressGuard says which addresses a message may be sent to. It keeps a tenant's URL from reaching
// what only this machine or its network should see: loopback, private networks, cloud metadata, and
// the server's own listeners.
//
//   93.184.216.34      allowed          127.0.0.1          refused, unless its subnet is allowed
//   169.254.169.254    refused          ::ffff:10.0.0.1    refused, for the 10.0.0.1 in it
//
// IPv4 is refused by list; IPv6 is refused unless it lies in the global unicast space and outside
// of what is set aside there. It judges addresses, never names: it is asked for the very address
// that is dialled, every time.
//
// The reason of a refusal is for operators. The author of the URL must not learn from it what lies
// behind an address.
//
// Thread: any. All methods are const.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/result.h"

namespace petrel::net {

class AddressGuard {
 public:
  struct Verdict {
    bool is_allowed;
    std::string_view why;  // Empty if it is allowed.
  };

  // Refuses everything that is not public.
  AddressGuard() = default;

  // `allowed_subnets` are let through although they are not public: "10.1.0.0/16, ::1/128". Empty
  // for none. `own` are our listeners, refused even then; one on 0.0.0.0 or :: stands for that port
  // on every loopback address, and its caller adds the machine's other addresses.
  //
  // Fails with Invalid, at `allowedSubnets`, if one is not a subnet.
  static Result<AddressGuard> make(std::string_view allowed_subnets,
                                   std::vector<SocketAddress> own);

  Verdict check(const IpAddress& ip, std::uint16_t port) const;

  // For an operator: why it is refused, and which subnet would have to be allowed.
  //
  //   127.0.0.1 is loopback, and nothing is sent there; allow it with --allow-subnets 127.0.0.0/8
  //
  // REQUIRES: check() refuses it.
  std::string explain(const IpAddress& ip, std::uint16_t port) const;

 private:
  bool is_own(const IpAddress& ip, std::uint16_t port) const;

  std::vector<Subnet> allowed_;
  std::vector<SocketAddress> own_;
};

}  // namespace petrel::net
