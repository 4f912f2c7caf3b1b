#include "net/local_addresses.h"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "net/address_guard.h"

namespace petrel::net {
namespace {

IpAddress ip(std::string_view text) { return *IpAddress::parse(text); }

TEST(LocalAddresses, AreThoseThatOneCanListenOn) {
  const Result<std::vector<IpAddress>> addresses = local_addresses();
  ASSERT_TRUE(addresses.ok());
  EXPECT_NE(std::find(addresses->begin(), addresses->end(), ip("127.0.0.1")), addresses->end());
  boost::asio::io_context loop;
  for (const IpAddress& address : *addresses) {
    if (!address.is_v4()) continue;  // A link-local one wants to know its interface too.
    const boost::asio::ip::tcp::endpoint any_port(boost::asio::ip::make_address(address.text()), 0);
    EXPECT_NO_THROW(boost::asio::ip::tcp::acceptor(loop, any_port)) << address.text();
  }
}

TEST(LocalAddresses, AListenerOnAllOfThemIsGuardedOnEach) {
  const std::vector<IpAddress> local = {ip("127.0.0.1"), ip("10.1.2.3"), ip("93.184.216.34"),
                                        ip("fd00::5"), ip("2606:4700::5")};
  for (const char* listen : {"0.0.0.0", "::"}) {
    const Result<AddressGuard> guard =
        AddressGuard::make("0.0.0.0/0, ::/0", dialled_as({ip(listen), 8071}, local));
    ASSERT_TRUE(guard.ok());
    for (const IpAddress& address : local) {
      EXPECT_EQ(guard->check(address, 8071).why, "our own listener") << address.text();
      EXPECT_TRUE(guard->check(address, 8072).is_allowed) << address.text();
    }
    EXPECT_FALSE(guard->check(ip("::ffff:10.1.2.3"), 8071).is_allowed);
    EXPECT_FALSE(guard->check(ip("127.9.9.9"), 8071).is_allowed);
    EXPECT_TRUE(guard->check(ip("10.1.2.4"), 8071).is_allowed);
  }
}

TEST(LocalAddresses, AListenerOnOneOfThemIsGuardedThereOnly) {
  const std::vector<IpAddress> local = {ip("127.0.0.1"), ip("10.1.2.3")};
  EXPECT_EQ(dialled_as({ip("10.1.2.3"), 8071}, local),
            (std::vector<SocketAddress>{{ip("10.1.2.3"), 8071}}));
}

}  // namespace
}  // namespace petrel::net
