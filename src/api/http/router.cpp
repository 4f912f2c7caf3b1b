#include "api/http/router.h"

#include <algorithm>

#include "api/http/query.h"

namespace petrel::api {
namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  segments.reserve(12);
  while (!path.empty()) {
    path.remove_prefix(1);  // The slash.
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

bool fits(const std::vector<std::string_view>& pattern,
          const std::vector<std::string_view>& segments) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_parameter(pattern[i]) ? segments[i].empty() : pattern[i] != segments[i]) return false;
  }
  return true;
}

PathParameters parameters_of(const std::vector<std::string_view>& pattern,
                             const std::vector<std::string_view>& segments) {
  PathParameters parameters;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_parameter(pattern[i])) continue;
    parameters.emplace_back(pattern[i].substr(1, pattern[i].size() - 2),
                            percent_decoded(segments[i]));
  }
  return parameters;
}

void allow(std::string_view method, std::string& list) {
  if (list.find(method) != std::string::npos) return;
  if (!list.empty()) list += ", ";
  list += method;
  if (method == "GET") list += ", HEAD";
}

// Whether `a` spells out a segment where `b` has a parameter, at the first place they differ in it.
bool is_more_exact(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_parameter(a[i]) != is_parameter(b[i])) return is_parameter(b[i]);
  }
  return false;
}

}  // namespace

std::string_view path_of(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    Entry entry{segments_of(routes_[i].pattern), i};
    if (by_length_.size() <= entry.segments.size()) by_length_.resize(entry.segments.size() + 1);
    by_length_[entry.segments.size()].push_back(std::move(entry));
  }
  for (std::vector<Entry>& entries : by_length_) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return is_more_exact(a.segments, b.segments);
    });
  }
}

RouteMatch Router::match(std::string_view method, std::string_view path) const {
  RouteMatch found;
  if (!path.starts_with('/')) return found;
  const std::vector<std::string_view> segments = segments_of(path);
  if (segments.size() >= by_length_.size()) return found;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Entry& entry : by_length_[segments.size()]) {
    if (!fits(entry.segments, segments)) continue;
    const Route& route = routes_[entry.route];
    if (route.method == wanted) {
      return {&route, parameters_of(entry.segments, segments), {}};
    }
    allow(route.method, found.allow);
  }
  return found;
}

}  // namespace petrel::api
