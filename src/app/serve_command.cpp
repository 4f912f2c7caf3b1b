#include "app/serve_command.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include "api/api.h"
#include "app/command.h"
#include "app/listen_address.h"
#include "base/clock.h"
#include "net/http_server.h"

namespace petrel::app {
namespace {

std::string url_of(const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

int serve(const std::string& listen) {
  const Result<ListenAddress> address = parse_listen_address(listen);
  if (!address.ok()) {
    complain(address.error().text());
    return kExitUsage;
  }

  const SystemClock clock;
  const api::Api api;
  boost::asio::io_context loop(1);
  net::HttpServerSettings settings;
  settings.host = address->host;
  settings.port = address->port;
  net::HttpServer server(
      loop, clock, settings,
      {.handle = [&api](const net::HttpRequest& request,
                        const net::Responder& respond) { api.handle(request, respond); },
       .error_page = api::Api::error_page});
  if (const Status started = server.start(); !started.ok()) {
    complain(started.error().text(), "another address can be given with --listen");
    return kExitFailure;
  }

  boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
  signals.async_wait([&server](const boost::system::error_code& error, int) {
    if (!error) server.stop();
  });
  fmt::print("petrel listens on {}\n", url_of(address->host, server.port()));
  std::fflush(stdout);
  loop.run();
  return kExitOk;
}

}  // namespace

void add_serve_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand("serve", "Run the server");
  auto listen = std::make_shared<std::string>("127.0.0.1:8071");
  command->add_option("--listen", *listen, "Address and port (127.0.0.1:8071)")
      ->envname("PETREL_LISTEN");
  command->callback([&chosen, listen] { chosen = [listen] { return serve(*listen); }; });
}

}  // namespace petrel::app
