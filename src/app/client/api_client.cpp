#include "app/client/api_client.h"

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "app/client/json_view.h"
#include "base/try.h"

namespace petrel::app {
namespace {

constexpr std::string_view kBase = "/api/v1";

// Beyond this a list is taken for endless.
constexpr int kPagesMax = 20'000;

// "retryPolicy.rules[2].on" from ["body", "retryPolicy", "rules", "[2]", "on"].
std::string place_of(const JsonValue& fault) {
  std::string place;
  for (const JsonValue& part : list_at(fault, "loc")) {
    std::string word = part.as_string() != nullptr ? *part.as_string() : std::string();
    if (part.as_integer() != nullptr) word = fmt::format("[{}]", *part.as_integer());
    const bool is_root = place.empty() && (word == "body" || word == "query" || word == "path");
    if (is_root || word.empty()) continue;
    place += (place.empty() || word.starts_with('[') ? "" : ".") + word;
  }
  return printable(place, 120);
}

Error error_of_fields(const ApiAnswer& answer, std::string_view what) {
  const JsonValue::Array& faults = list_at(answer.json, "detail");
  if (faults.empty()) return invalid("", fmt::format("{}: the server refuses it (422)", what));
  const std::string place = place_of(faults.front());
  const std::string why = printable(text_at(faults.front(), "msg"));
  std::string more;
  if (faults.size() > 1) more = fmt::format(" (and {} more)", faults.size() - 1);
  return invalid("",
                 fmt::format("{}: {}{}{}{}", what, place, place.empty() ? "" : ": ", why, more));
}

std::string hint_for(int status) {
  switch (status) {
    case 401:
      return "; make a token with `petrel token create` on the server, and give it by --token or "
             "PETREL_TOKEN";
    case 403:
      return "; it takes a token of the organisation, or one with this capability";
    case 429:
    case 503:
      return "; try again later";
    default:
      return "";
  }
}

ErrorKind kind_for(int status) {
  switch (status) {
    case 404:
      return ErrorKind::NotFound;
    case 409:
      return ErrorKind::Conflict;
    case 408:
    case 429:
      return ErrorKind::Unavailable;
    default:
      return status >= 400 && status < 500 ? ErrorKind::Invalid : ErrorKind::Unavailable;
  }
}

}  // namespace

Error error_of(const ApiAnswer& answer, std::string_view what) {
  if (answer.status == 422) return error_of_fields(answer, what);
  std::string detail = printable(text_at(answer.json, "detail"));
  if (detail.empty()) detail = "the server gives no reason";
  return {kind_for(answer.status), "",
          fmt::format("{}: {} ({}){}", what, detail, answer.status, hint_for(answer.status))};
}

ApiClient::ApiClient(ServerAccess access, ClientSettings settings, const Interrupt& interrupt)
    : access_(std::move(access)),
      settings_(std::move(settings)),
      interrupt_(interrupt),
      web_({.timeout = settings_.timeout, .is_own_machine = access_.is_own_machine}, interrupt) {}

Result<ApiAnswer> ApiClient::ask_once(const Question& question) {
  WebRequest request{
      .method = question.method,
      .url = access_.url + std::string(kBase) + question.path,
      .headers = {"Authorization: Bearer " + access_.token, "Accept: application/json",
                  "Content-Type: application/json", "Expect:"},
      .body = question.body};
  if (!question.key.empty()) request.headers.push_back("Idempotency-Key: " + question.key);
  Result<WebAnswer> got = web_.ask(request);
  if (!got.ok()) {
    return Error{got.error().kind, "",
                 fmt::format("no answer from {}: {}", access_.url, printable(got.error().detail))};
  }
  ApiAnswer answer{.status = got->status,
                   .text = std::move(got->body),
                   .json = {},
                   .retry_after = got->retry_after};
  if (answer.text.empty()) return answer;
  Result<JsonValue> json = parse_json(answer.text);
  // An error of a proxy on the way is a page for people.
  if (!json.ok() && answer.is_good()) {
    return corrupt(
        fmt::format("{} answers {} {} with something other than JSON: is it the "
                    "URL of a Petrel server?",
                    access_.url, question.method, question.path));
  }
  if (json.ok()) answer.json = *std::move(json);
  return answer;
}

Result<ApiAnswer> ApiClient::ask(const Question& question) {
  const bool may_repeat = question.method == "GET" || !question.key.empty();
  bool is_renewed = false;
  for (int tries = 1;; ++tries) {
    Result<ApiAnswer> answer = ask_once(question);
    if (interrupt_.came()) return unavailable("interrupted");
    const int status = answer.ok() ? answer->status : 0;
    if (status == 401 && settings_.renew && !std::exchange(is_renewed, true)) {
      ASSIGN_OR_RETURN(access_, settings_.renew());
      continue;
    }
    // What is no API, or says too much, is so the next time as well.
    if (!answer.ok() && answer.error().kind != ErrorKind::Unavailable) return answer;
    const auto wait = settings_.patience.next_wait(
        tries, status, answer.ok() ? answer->retry_after : std::nullopt);
    if (!may_repeat || !wait) return answer;
    if (interrupt_.wait(*wait)) return unavailable("interrupted");
  }
}

Result<ApiAnswer> ApiClient::must(const Question& question) {
  ASSIGN_OR_RETURN(ApiAnswer answer, ask(question));
  if (!answer.is_good()) {
    const std::string path = question.path.substr(0, question.path.find('?'));
    return error_of(answer, fmt::format("{} {}", question.method, printable(path, 120)));
  }
  return answer;
}

Result<ApiAnswer> ApiClient::get(std::string_view path) {
  return must({.method = "GET", .path = std::string(path)});
}

Result<ApiAnswer> ApiClient::post(std::string_view path, std::string body, std::string key) {
  return must({.method = "POST",
               .path = std::string(path),
               .body = std::move(body),
               .key = std::move(key)});
}

Result<ApiAnswer> ApiClient::remove(std::string_view path) {
  return must({.method = "DELETE", .path = std::string(path)});
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

Status for_each_page(ApiClient& api, const std::string& path, int limit,
                     const std::function<Result<bool>(const ApiAnswer& page)>& each) {
  const std::string first =
      fmt::format("{}{}limit={}", path, path.find('?') == std::string::npos ? "?" : "&", limit);
  std::string iterator;
  for (int i = 0; i < kPagesMax; ++i) {
    ASSIGN_OR_RETURN(const ApiAnswer page,
                     api.get(iterator.empty() ? first : first + "&iterator=" + escaped(iterator)));
    if (value_at(page.json, "data") == nullptr ||
        value_at(page.json, "data")->as_array() == nullptr) {
      return unavailable(fmt::format("{} answers GET {} without a list", api.url(), path));
    }
    ASSIGN_OR_RETURN(const bool goes_on, each(page));
    const std::string next = text_at(page.json, "iterator");
    if (!goes_on || flag_at(page.json, "done") || next.empty()) return Done{};
    if (next == iterator) break;
    iterator = next;
  }
  return unavailable(fmt::format("{} answers GET {} with a list without an end", api.url(), path));
}

}  // namespace petrel::app
