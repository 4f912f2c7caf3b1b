// The URL of an endpoint: what is accepted has one meaning and one spelling, and nothing of it can
// break out of the request that is made of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/url.h"

namespace petrel {
namespace {

void check_url(const Url& url) {
  CHECK(url.port >= 1);
  CHECK(!url.host.empty() && url.host.size() <= 253);
  CHECK(url.target.starts_with('/') && url.target.size() <= Url::kLengthMax + 1);
  for (const char c : url.host + url.target + url.authority()) CHECK(c > 0x20 && c < 0x7f);
  for (const char c : url.host) {
    CHECK(!(c >= 'A' && c <= 'Z') && c != '/' && c != '@' && c != '?' && c != '#' && c != '%');
  }
  // A host is an address if and only if it reads as one.
  CHECK(url.ip == IpAddress::parse(url.host));
  CHECK(url.origin().starts_with(url.is_https ? "https://" : "http://"));

  const std::string text = url.text();
  if (text.size() > Url::kLengthMax) return;  // A slash more than there was.
  const auto again = Url::parse(text);
  CHECK(again.ok());
  CHECK(*again == url);
  CHECK(again->text() == text);
}

}  // namespace
}  // namespace petrel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petrel;
  const auto url = Url::parse({reinterpret_cast<const char*>(data), size});
  if (url.ok()) check_url(*url);
  return 0;
}
