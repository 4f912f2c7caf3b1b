#include "net/local_addresses.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include <ifaddrs.h>

namespace petrel::net {
namespace {

struct FreeInterfaces {
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

}  // namespace

Result<std::vector<IpAddress>> local_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    return unavailable(std::string("cannot list this machine's addresses: ") +
                       std::strerror(errno));
  }
  const std::unique_ptr<ifaddrs, FreeInterfaces> owned(list);
  std::vector<IpAddress> addresses;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET) {
      std::array<std::uint8_t, 4> bytes{};
      const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      std::memcpy(bytes.data(), &address->sin_addr, bytes.size());
      addresses.push_back(IpAddress::v4(bytes));
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      std::array<std::uint8_t, 16> bytes{};
      const auto* address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      std::memcpy(bytes.data(), &address->sin6_addr, bytes.size());
      addresses.push_back(IpAddress::v6(bytes));
    }
  }
  return addresses;
}

std::vector<SocketAddress> dialled_as(const SocketAddress& listen,
                                      const std::vector<IpAddress>& local) {
  std::vector<SocketAddress> all = {listen};
  if (!listen.ip.is_unspecified()) return all;
  for (const IpAddress& ip : local) all.push_back({ip, listen.port});
  return all;
}

}  // namespace petrel::net
