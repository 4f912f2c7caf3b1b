#include "net/ares_answer.h"

#include <algorithm>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <span>
#include <sys/socket.h>

#include <ares.h>

namespace petrel::net {
namespace {

Resolution::Kind kind_of(int status) {
  switch (status) {
    case ARES_SUCCESS:
      return Resolution::Kind::Found;
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_EBADNAME:
      return Resolution::Kind::NoSuchName;
    case ARES_ENOMEM:
      return Resolution::Kind::Shortage;
    default:
      return Resolution::Kind::Failed;
  }
}

std::string_view words_for(int status) {
  switch (status) {
    case ARES_SUCCESS:
      return {};
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:
      return "the name does not exist";
    case ARES_ENODATA:
      return "the name has no address";
    case ARES_ETIMEOUT:
      return kNameServersSilent;
    case ARES_ENOMEM:
      return "out of memory while looking up the name";
    default:
      return kNameServersFailed;
  }
}

std::optional<IpAddress> to_address(const ares_addrinfo_node& node) {
  if (node.ai_family == AF_INET) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(node.ai_addr);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&in->sin_addr);
    return IpAddress::v4(std::span<const std::uint8_t, 4>(bytes, 4));
  }
  if (node.ai_family == AF_INET6) {
    const auto* in = reinterpret_cast<const sockaddr_in6*>(node.ai_addr);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&in->sin6_addr);
    return IpAddress::v6(std::span<const std::uint8_t, 16>(bytes, 16));
  }
  return std::nullopt;
}

}  // namespace

AresAnswer to_answer(int status, const ares_addrinfo* found, std::size_t addresses_max) {
  AresAnswer answer{{kind_of(status), {}, words_for(status)}, NameCache::kKeptMax};
  if (status != ARES_SUCCESS) return answer;
  auto& addresses = answer.resolution.addresses;
  for (const auto* node = found == nullptr ? nullptr : found->nodes;
       node != nullptr && addresses.size() < addresses_max; node = node->ai_next) {
    const auto address = to_address(*node);
    if (!address) continue;
    addresses.push_back(*address);
    const std::chrono::seconds ttl(std::max(node->ai_ttl, 0));
    answer.ttl = std::min<Duration>(answer.ttl, ttl);
  }
  if (addresses.empty()) {
    answer.resolution.kind = Resolution::Kind::NoSuchName;
    answer.resolution.why = words_for(ARES_ENODATA);
  }
  return answer;
}

AresAnswer join(AresAnswer first, AresAnswer second, std::size_t addresses_max) {
  using Kind = Resolution::Kind;
  const bool is_first_found = first.resolution.kind == Kind::Found;
  const bool is_second_found = second.resolution.kind == Kind::Found;
  if (is_first_found && is_second_found) {
    auto& addresses = first.resolution.addresses;
    const auto& more = second.resolution.addresses;
    // Some of either, if there are too many.
    const std::size_t left = addresses_max - std::min(more.size(), addresses_max);
    const std::size_t kept = std::min(addresses.size(), std::max(left, addresses_max / 2));
    addresses.resize(kept);
    const std::size_t added = std::min(more.size(), addresses_max - kept);
    addresses.insert(addresses.end(), more.begin(),
                     more.begin() + static_cast<std::ptrdiff_t>(added));
    first.ttl = std::min(first.ttl, second.ttl);
    return first;
  }
  if (is_first_found || is_second_found) return is_first_found ? first : second;
  // Of what is no answer, a shortage says least about the name, and a failure less than a "no".
  return first.resolution.kind >= second.resolution.kind ? first : second;
}

}  // namespace petrel::net
