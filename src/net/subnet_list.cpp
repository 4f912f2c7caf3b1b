#include "net/subnet_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::net {

Result<std::vector<Subnet>> parse_subnets(std::string_view text) {
  std::vector<Subnet> subnets;
  std::string_view rest = trim(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trim(rest.substr(0, comma));
    const auto subnet = Subnet::parse(part);
    if (!subnet) {
      return invalid("",
                     fmt::format("{} is not a subnet: write 10.1.0.0/16 or fd00::/8, with zeros "
                                 "after the prefix",
                                 in_quotes(part)));
    }
    if (subnet->first.unmapped() != subnet->first) {
      return invalid(
          "", fmt::format("{} is an IPv4 address in IPv6 form: write it as IPv4", in_quotes(part)));
    }
    subnets.push_back(*subnet);
    if (comma == std::string_view::npos) break;
    rest = trim(rest.substr(comma + 1));
  }
  return subnets;
}

bool is_in_any(const std::vector<Subnet>& subnets, const IpAddress& address) {
  return std::any_of(subnets.begin(), subnets.end(),
                     [&](const Subnet& subnet) { return subnet.contains(address); });
}

}  // namespace petrel::net
