#include "app/client/web_client.h"

#include <algorithm>
#include <array>

#include <curl/curl.h>
#include <fmt/format.h>

#include "app/version.h"
#include "base/byte_text.h"
#include "base/check.h"
#include "base/duration_text.h"

namespace petrel::app {
namespace {

constexpr Duration kConnectPatience = std::chrono::seconds(10);

// Of all header lines of an answer; the library bounds each by itself.
constexpr std::size_t kHeaderBytesMax = std::size_t{256} * 1024;

struct Reception {
  const Interrupt& interrupt;
  std::size_t body_bytes_max;
  std::string body = {};
  std::size_t header_bytes = 0;
  bool is_too_large = false;
  bool is_interrupted = false;
};

// What they answer is what the library takes for success: the size, or 0 to go on. In the form that
// it prescribes.
std::size_t take_body(const char* bytes, std::size_t /*one*/, std::size_t size, void* place) {
  auto& reception = *static_cast<Reception*>(place);
  reception.is_too_large = reception.body.size() + size > reception.body_bytes_max;
  if (reception.is_too_large) return 0;
  reception.body.append(bytes, size);
  return size;
}

std::size_t take_header(const char* /*bytes*/, std::size_t /*one*/, std::size_t size, void* place) {
  auto& reception = *static_cast<Reception*>(place);
  reception.header_bytes += size;
  reception.is_too_large = reception.header_bytes > kHeaderBytesMax;
  return reception.is_too_large ? 0 : size;
}

int look_around(void* place, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& reception = *static_cast<Reception*>(place);
  reception.is_interrupted = reception.interrupt.came();
  return reception.is_interrupted ? 1 : 0;
}

struct HeaderList {
  explicit HeaderList(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) list = curl_slist_append(list, line.c_str());
  }
  ~HeaderList() { curl_slist_free_all(list); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  curl_slist* list = nullptr;
};

bool start_library() {
  static const bool is_started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return is_started;
}

void set_request(CURL* curl, const WebRequest& request, curl_slist* headers) {
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  if (request.method == "GET") return;
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
}

void set_limits(CURL* curl, const WebSettings& settings) {
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(whole_milliseconds(settings.timeout)));
  curl_easy_setopt(
      curl, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(whole_milliseconds(std::min(settings.timeout, kConnectPatience))));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_USERAGENT, fmt::format("petrel/{}", kVersion).c_str());
  if (!settings.is_own_machine) return;
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
}

void set_reception(CURL* curl, Reception& reception) {
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reception);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &reception);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_around);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &reception);
}

// "Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", for a person.
std::string why_none(CURLcode code, const Reception& reception, const WebSettings& settings,
                     const char* words) {
  if (reception.is_interrupted) return "interrupted";
  if (reception.is_too_large) {
    return fmt::format("the answer is larger than {}", to_byte_text(settings.body_bytes_max));
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return fmt::format("no answer within {}", to_words(settings.timeout));
  }
  return *words != '\0' ? words : curl_easy_strerror(code);
}

}  // namespace

struct WebClient::Handle {
  CURL* curl = nullptr;
};

WebClient::WebClient(const WebSettings& settings, const Interrupt& interrupt)
    : settings_(settings), interrupt_(interrupt), handle_(std::make_unique<Handle>()) {
  CHECK(start_library());
  handle_->curl = curl_easy_init();
  CHECK(handle_->curl != nullptr);
}

WebClient::~WebClient() { curl_easy_cleanup(handle_->curl); }

Result<WebAnswer> WebClient::ask(const WebRequest& request) {
  CURL* const curl = handle_->curl;
  curl_easy_reset(curl);  // Its connections stay.
  const HeaderList headers(request.headers);
  std::array<char, CURL_ERROR_SIZE> words{};
  Reception reception{.interrupt = interrupt_, .body_bytes_max = settings_.body_bytes_max};
  set_request(curl, request, headers.list);
  set_limits(curl, settings_);
  set_reception(curl, reception);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  if (code != CURLE_OK) {
    const std::string why = why_none(code, reception, settings_, words.data());
    return reception.is_too_large ? corrupt(why) : unavailable(why);
  }

  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_off_t seconds = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  WebAnswer answer{.status = static_cast<int>(status), .body = std::move(reception.body)};
  // More than a day is as good as never.
  constexpr curl_off_t kDay = 86'400;
  if (seconds > 0) answer.retry_after = std::chrono::seconds(std::min(seconds, kDay));
  return answer;
}

}  // namespace petrel::app
