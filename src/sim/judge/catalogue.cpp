#include "sim/judge/catalogue.h"

#include <algorithm>
#include <utility>

#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

// What a change does to the object that stands for the thing. Existence and pause are fields of it.
JsonValue change_of(const Asked& asked) {
  switch (asked.act) {
    case Act::CreateEndpoint:
    case Act::CreateApplication:
      return merged(read_json(asked.json), read_json(R"({"exists": true})"));
    case Act::DeleteEndpoint:
    case Act::DeleteApplication:
      return read_json(R"({"exists": null, "wasDeleted": true})");
    case Act::Pause:
      return read_json(R"({"isPaused": true})");
    case Act::Resume:
      return read_json(R"({"isPaused": null})");
    default:
      return read_json(asked.json);
  }
}

bool is_of_application(Act act) {
  return act == Act::CreateApplication || act == Act::ChangeApplication ||
         act == Act::DeleteApplication;
}

bool is_same(const Possible& a, const Possible& b) {
  return a.exists == b.exists && a.is_paused == b.is_paused && a.settings == b.settings;
}

template <typename Condition>
Duration time_of(const std::vector<MonoTime>& borders, Condition holds) {
  Duration total{};
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    if (holds(borders[i], borders[i + 1])) total += borders[i + 1] - borders[i];
  }
  return total;
}

}  // namespace

bool is_change(Act act) {
  switch (act) {
    case Act::SetServer:
    case Act::CreateApplication:
    case Act::ChangeApplication:
    case Act::DeleteApplication:
    case Act::CreateEndpoint:
    case Act::ChangeEndpoint:
    case Act::DeleteEndpoint:
    case Act::Pause:
    case Act::Resume:
      return true;
    default:
      return false;
  }
}

Versions* Catalogue::versions_of(const Asked& asked) {
  if (asked.act == Act::SetServer) return &server_;
  if (is_of_application(asked.act)) return &applications_[asked.application];
  if (asked.act == Act::CreateEndpoint && !endpoints_.contains(asked.endpoint)) {
    endpoints_[asked.endpoint].application = asked.application;
    by_application_[asked.application].push_back(asked.endpoint);
    all_.push_back(asked.endpoint);
  }
  const auto file = endpoints_.find(asked.endpoint);
  return file == endpoints_.end() ? nullptr : &file->second.versions;
}

void Catalogue::asked(const Asked& asked, MonoTime now) {
  if (!is_change(asked.act)) return;
  Versions* const versions = versions_of(asked);
  if (versions == nullptr) return;
  Asked& kept = asked_[asked.number] = asked;
  versions->asked(asked.number, change_of(asked));
  kept.json.clear();
  apply(kept, now);
}

void Catalogue::told(std::uint64_t number, bool has_happened, MonoTime now) {
  const auto asked = asked_.find(number);
  if (asked == asked_.end()) return;
  Versions* const versions = versions_of(asked->second);
  if (has_happened) {
    versions->happened(number);
  } else {
    versions->did_not_happen(number);
  }
  apply(asked->second, now);
  asked_.erase(asked);
}

void Catalogue::apply(const Asked& asked, MonoTime now) {
  if (asked.act == Act::SetServer) return refresh_all(std::nullopt, now);
  if (is_of_application(asked.act)) return refresh_all(asked.application, now);
  refresh(endpoints_.at(asked.endpoint), now);
}

void Catalogue::refresh_all(std::optional<ApplicationId> application, MonoTime now) {
  for (auto& [id, file] : endpoints_) {
    if (!application || file.application == *application) refresh(file, now);
  }
}

void Catalogue::refresh(File& file, MonoTime now) const {
  static const Versions kNone;
  const auto found = applications_.find(file.application);
  const Versions& application = found == applications_.end() ? kNone : found->second;
  std::vector<Possible> readings;
  for (const auto& server : server_.possible()) {
    for (const auto& tenant : application.possible()) {
      const bool is_deleted = bool_field(tenant.json, "wasDeleted").value_or(false);
      for (const auto& own : file.versions.possible()) {
        Possible reading{.settings = read_settings(own.json, tenant.json, server.json)};
        reading.exists = bool_field(own.json, "exists").value_or(false) && !is_deleted;
        reading.is_paused = bool_field(own.json, "isPaused").value_or(false);
        reading.from = now;
        const auto same = [&](const Possible& each) { return is_same(each, reading); };
        if (std::none_of(readings.begin(), readings.end(), same)) readings.push_back(reading);
      }
    }
  }
  for (Possible& old : file.history) {
    if (old.until != MonoTime::max()) continue;
    const auto same = [&](const Possible& each) { return is_same(each, old); };
    if (std::erase_if(readings, same) == 0) old.until = now;
  }
  for (Possible& reading : readings) file.history.push_back(std::move(reading));
}

const std::vector<EndpointId>& Catalogue::endpoints_of(ApplicationId application) const {
  static const std::vector<EndpointId> kNone;
  const auto found = by_application_.find(application);
  return found == by_application_.end() ? kNone : found->second;
}

std::optional<ApplicationId> Catalogue::application_of(EndpointId endpoint) const {
  const auto file = endpoints_.find(endpoint);
  if (file == endpoints_.end()) return std::nullopt;
  return file->second.application;
}

std::vector<const Possible*> Catalogue::between(EndpointId endpoint, MonoTime from,
                                                MonoTime to) const {
  std::vector<const Possible*> found;
  const auto file = endpoints_.find(endpoint);
  if (file == endpoints_.end()) return found;
  for (const Possible& reading : file->second.history) {
    // What ended at `from` held no more; what began at `to` may.
    if (reading.from <= to && reading.until > from) found.push_back(&reading);
  }
  return found;
}

bool Catalogue::may_send(EndpointId endpoint, MonoTime now) const {
  const auto readings = at(endpoint, now);
  return std::any_of(readings.begin(), readings.end(), [](auto* each) { return each->may_send(); });
}

bool Catalogue::must_send(EndpointId endpoint, MonoTime now) const {
  const auto readings = at(endpoint, now);
  return !readings.empty() &&
         std::all_of(readings.begin(), readings.end(), [](auto* each) { return each->may_send(); });
}

bool Catalogue::must_exist(EndpointId endpoint, MonoTime now) const {
  const auto readings = at(endpoint, now);
  return !readings.empty() &&
         std::all_of(readings.begin(), readings.end(), [](auto* each) { return each->exists; });
}

bool Catalogue::may_exist(EndpointId endpoint, MonoTime now) const {
  const auto readings = at(endpoint, now);
  return std::any_of(readings.begin(), readings.end(), [](auto* each) { return each->exists; });
}

HeldBounds Catalogue::held(EndpointId endpoint, MonoTime from, MonoTime to) const {
  const auto readings = between(endpoint, from, to);
  std::vector<MonoTime> borders = {from, to};
  for (const Possible* const each : readings) {
    if (each->from > from) borders.push_back(each->from);
    if (each->until < to) borders.push_back(each->until);
  }
  std::sort(borders.begin(), borders.end());
  const auto count = [&](MonoTime begin, MonoTime end, bool is_held) {
    return std::count_if(readings.begin(), readings.end(), [&](const Possible* each) {
      const bool kept = each->exists && (each->is_paused || each->settings.is_disabled);
      return each->from <= begin && each->until >= end && kept == is_held;
    });
  };
  HeldBounds bounds;
  bounds.longest = time_of(borders, [&](auto a, auto b) { return count(a, b, true) > 0; });
  bounds.shortest = time_of(
      borders, [&](auto a, auto b) { return count(a, b, true) > 0 && count(a, b, false) == 0; });
  return bounds;
}

}  // namespace petrel::sim::judge
