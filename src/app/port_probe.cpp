#include "app/port_probe.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace petrel::app {

Status probe_port(const ListenAddress& address) {
  namespace asio = boost::asio;
  using Tcp = asio::ip::tcp;
  boost::system::error_code failed;
  const asio::ip::address ip = asio::ip::make_address(address.host, failed);
  if (failed) return invalid("listen", fmt::format("{} is no address", address.host));
  const Tcp::endpoint endpoint(ip, address.port);
  asio::io_context context;
  Tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), failed);
  // As the server does: a port whose last connections linger can be had.
  if (!failed) acceptor.set_option(Tcp::acceptor::reuse_address(true), failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(1, failed);
  if (!failed) return Done{};
  return unavailable(
      fmt::format("cannot listen on {}:{}: {}", address.host, address.port, failed.message()));
}

}  // namespace petrel::app
