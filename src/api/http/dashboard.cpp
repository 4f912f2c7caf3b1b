#include "api/http/dashboard.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/check.h"
#include "base/text.h"

namespace petrel::api {
namespace {

// What lies below these is the API's, or will be: a page there would hide a slip in an address.
constexpr std::array<std::string_view, 6> kNotOurs = {"/api",    "/docs", "/metrics",
                                                      "/assets", "/in",   "/ingest"};

constexpr std::string_view kAssets = "/assets/";
constexpr std::string_view kBase = "<base href=\"/\">";

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

constexpr std::string_view kWithout =
    "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><base href=\"/\">"
    "<title>Petrel</title></head>\n<body>\n<h1>Petrel</h1>\n"
    "<p>This server was built without the dashboard: npm could not fetch what it is made of. "
    "Building again with npm at hand brings it back.</p>\n"
    "<p>The API is described at <a href=\"docs\">docs</a>.</p>\n</body>\n</html>\n";

bool is_below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

// "https://hooks.example.com/petrel" is "/petrel/".
std::string path_of_url(std::string_view url) {
  const std::size_t host = url.find("://");
  const std::size_t slash = host == std::string_view::npos ? host : url.find('/', host + 3);
  if (slash == std::string_view::npos) return "/";
  return std::string(url.substr(slash)) + "/";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '<':
        result += "&lt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string tag_of(std::string_view text) {
  std::array<std::uint8_t, 32> hash{};
  std::size_t size = 0;
  // Ours: what is hashed is a part of the program and of its settings.
  CHECK(EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), hash.data(), &size) ==
        1);
  return "\"" + to_base64({hash.data(), 12}) + "\"";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Whether a list such as "gzip, br;q=0" names the coding and does not refuse it.
bool takes(std::string_view list, std::string_view coding) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t mark = std::min(item.find(';'), item.size());
    const std::string_view weight = trimmed(item.substr(std::min(mark + 1, item.size())));
    if (!equals_ignoring_case(trimmed(item.substr(0, mark)), coding)) continue;
    return weight.empty() || weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

void add_guards(net::HttpResponse& response) {
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
}

}  // namespace

Dashboard::Dashboard(const WebAssets& assets, std::string_view public_url)
    : assets_(assets), page_(assets.shell.empty() ? kWithout : assets.shell) {
  const std::string base = "<base href=\"" + escaped(path_of_url(public_url)) + "\">";
  const std::size_t at = page_.find(kBase);
  if (at != std::string::npos) page_.replace(at, kBase.size(), base);
  tag_ = tag_of(page_);
}

std::optional<net::HttpResponse> Dashboard::answer(const net::HttpRequest& request,
                                                   std::string_view path) const {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (!is_read || !path.starts_with('/')) return std::nullopt;
  if (path.starts_with(kAssets)) {
    const std::string_view name = path.substr(kAssets.size());
    const auto found = std::find_if(assets_.files.begin(), assets_.files.end(),
                                    [&](const WebFile& each) { return each.name == name; });
    if (found == assets_.files.end()) return std::nullopt;
    return file(request, *found);
  }
  const bool is_ours = std::none_of(kNotOurs.begin(), kNotOurs.end(), [&](std::string_view prefix) {
    return is_below(path, prefix);
  });
  if (!is_ours) return std::nullopt;
  return page(request);
}

net::HttpResponse Dashboard::page(const net::HttpRequest& request) const {
  net::HttpResponse response;
  response.headers.emplace_back("ETag", tag_);
  response.headers.emplace_back("Cache-Control", "no-cache");
  if (request.header("if-none-match").find(tag_) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  response.body = page_;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  add_guards(response);
  return response;
}

net::HttpResponse Dashboard::file(const net::HttpRequest& request, const WebFile& file) const {
  net::HttpResponse response;
  response.content_type = std::string(file.type);
  response.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  add_guards(response);
  const std::string_view codings = request.header("accept-encoding");
  if (!file.brotli.empty() && takes(codings, "br")) {
    response.headers.emplace_back("Content-Encoding", "br");
    response.body = std::string(file.brotli);
  } else if (!file.gzip.empty() && takes(codings, "gzip")) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(file.gzip);
  } else {
    response.body = std::string(file.plain);
  }
  return response;
}

}  // namespace petrel::api
