#include "app/health_command.h"

#include <chrono>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/settings_options.h"
#include "base/ip_address.h"

namespace petrel::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Failure = boost::system::error_code;

// More than a server takes to find out how its store is.
constexpr std::chrono::seconds kPatience(5);

// What the answer of a healthy server is by far, and of an ailing one too.
constexpr std::uint64_t kBodyMax = 64 * 1024;

// Where a server that listens there is found from this machine.
asio::ip::tcp::endpoint dialled(const ListenAddress& listen) {
  asio::ip::address ip = asio::ip::make_address(listen.host);
  if (ip.is_unspecified()) {
    ip = ip.is_v4() ? asio::ip::address(asio::ip::address_v4::loopback())
                    : asio::ip::address(asio::ip::address_v6::loopback());
  }
  return {ip, listen.port};
}

// One question and its answer, or why there is none, within kPatience.
class Question {
 public:
  explicit Question(const Settings& settings)
      : is_tls_(!settings.tls.key.empty()), to_(dialled(settings.listen)) {
    request_.method(http::verb::get);
    request_.target("/api/v1/health");
    request_.version(11);
    request_.set(http::field::host, settings.listen.host);
    request_.keep_alive(false);
    parser_.body_limit(kBodyMax);
  }

  Failure ask() {
    // Our own certificate is as good as the connection to our own machine.
    stream_.next_layer().expires_after(kPatience);
    stream_.next_layer().async_connect(to_, [this](const Failure& failed) {
      if (failed) return end(failed);
      if (!is_tls_) return write(stream_.next_layer());
      stream_.async_handshake(asio::ssl::stream_base::client, [this](const Failure& refused) {
        if (refused) return end(refused);
        write(stream_);
      });
    });
    loop_.run();
    return failure_;
  }

  unsigned status() const { return parser_.get().result_int(); }
  const std::string& body() const { return parser_.get().body(); }

 private:
  template <typename Stream>
  void write(Stream& stream) {
    http::async_write(stream, request_, [this, &stream](const Failure& failed, std::size_t) {
      if (failed) return end(failed);
      http::async_read(stream, buffer_, parser_,
                       [this](const Failure& unread, std::size_t) { end(unread); });
    });
  }

  void end(const Failure& failed) { failure_ = failed; }

  const bool is_tls_;
  const asio::ip::tcp::endpoint to_;
  asio::io_context loop_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  beast::ssl_stream<beast::tcp_stream> stream_{loop_, context_};
  http::request<http::empty_body> request_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  Failure failure_;
};

int run(const SettingsOptions& options) {
  const Result<Settings> settings = options.read();
  if (!settings.ok()) return exit_code(settings.error());
  if (!IpAddress::parse(settings->listen.host)) {
    return exit_code(invalid("listen", settings->listen.host + " is no address"));
  }
  Question question(*settings);
  const Failure failed = question.ask();
  if (failed) {
    complain(fmt::format("no answer from {}:{}: {}", settings->listen.host, settings->listen.port,
                         failed.message()),
             "give the server's own listen and tls-cert settings, by flags, variables or --config");
    return kExitFailure;
  }
  fmt::print("{}\n", question.body());
  return question.status() == 200 ? kExitOk : kExitFindings;
}

}  // namespace

void add_health_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command =
      cli.add_subcommand("health", "Ask the server how it is; exits with 3 if it is not well");
  const SettingsOptions options(*command, {"listen", "tls-cert", "tls-key"});
  command->callback([&chosen, options] { chosen = [options] { return run(options); }; });
}

}  // namespace petrel::app
