// HTTP requests as they come over a connection: however the bytes are cut, the same requests come
// out, each within the limits; and what was accepted, written out plainly, is read as the same
// request.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "net/forwarded.h"
#include "net/http_request_reader.h"
#include "net/subnet_list.h"

namespace petrel::net {
namespace {

using Stage = HttpRequestReader::Stage;

// Small, so that inputs reach them.
constexpr HttpLimits kLimits{
    .header_bytes_max = 1024, .header_count_max = 8, .target_bytes_max = 64, .body_bytes_max = 256};

struct Reading {
  std::vector<HttpRequest> requests;
  int refused_with = 0;
  std::string_view why;
};

Reading read(std::string_view bytes, std::size_t piece) {
  Reading reading;
  HttpRequestReader reader(kLimits);
  while (!bytes.empty() && reader.stage() != Stage::Refused) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    reader.add(part);
    while (reader.advance() == Stage::Ready) reading.requests.push_back(reader.take());
    // Whatever was sent ahead is the caller's doing: a piece at most.
    CHECK(reader.bytes_held() <= 4 * (kLimits.header_bytes_max + kLimits.body_bytes_max + piece));
  }
  if (reader.stage() == Stage::Refused) {
    reading.refused_with = reader.refusal().status;
    reading.why = reader.refusal().detail;
  }
  return reading;
}

bool is_same(const HttpRequest& a, const HttpRequest& b) {
  return a.method == b.method && a.target == b.target && a.headers == b.headers && a.body == b.body;
}

void check_same(const Reading& a, const Reading& b) {
  CHECK(a.refused_with == b.refused_with && a.why == b.why);
  CHECK(a.requests.size() == b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i) CHECK(is_same(a.requests[i], b.requests[i]));
}

void check_request(const HttpRequest& request) {
  CHECK(request.headers.size() <= kLimits.header_count_max);
  CHECK(request.body.size() <= kLimits.body_bytes_max);
  CHECK(request.target.size() <= kLimits.target_bytes_max);
  CHECK(request.target.starts_with('/') || request.target == "*");
  std::string head = request.method + " " + request.target + " HTTP/1.1\r\n";
  bool has_host = false;
  for (const auto& [name, value] : request.headers) {
    CHECK(!name.empty());
    for (const char c : name + value) CHECK(c != '\r' && c != '\n' && c != '\0');
    has_host = has_host || equals_ignoring_case(name, "host");
    const bool is_about_body = equals_ignoring_case(name, "content-length") ||
                               equals_ignoring_case(name, "transfer-encoding");
    if (!is_about_body) head += name + ": " + value + "\r\n";
  }
  if (!has_host) return;  // HTTP/1.0: the form below would not do.
  head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n";
  if (head.size() > kLimits.header_bytes_max) return;

  HttpRequestReader reader(kLimits);
  reader.add(head + request.body);
  if (reader.advance() == Stage::Refused) {
    CHECK(reader.refusal().status == 431);  // One header more than there was.
    return;
  }
  const HttpRequest again = reader.take();
  CHECK(again.method == request.method && again.target == request.target);
  CHECK(again.body == request.body);
  CHECK(!reader.has_input());
}

// Whatever a proxy of ours passes on, the client is the peer or an address that stands there.
void check_client(const HttpRequest& request) {
  static const std::vector<Subnet> trusted = parse_subnets("10.0.0.0/8, fd00::/8").value();
  const IpAddress peer = IpAddress::parse("10.0.0.1").value();
  const IpAddress stranger = IpAddress::parse("192.0.2.1").value();
  CHECK(client_address(stranger, request.headers, trusted) == stranger);
  const IpAddress client = client_address(peer, request.headers, trusted);
  CHECK(client.unmapped() == client);
}

}  // namespace
}  // namespace petrel::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petrel::net;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Reading whole = read(bytes, size + 1);
  check_same(whole, read(bytes, 1));
  check_same(whole, read(bytes, 7));
  for (const HttpRequest& request : whole.requests) {
    check_request(request);
    check_client(request);
  }
  return 0;
}
