#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/figures.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

enum Kind : std::size_t { kEnded, kPayload, kAttempt, kDead };
constexpr std::array kNames = {"retention", "retentionPayloads", "retentionAttempts",
                               "retentionDeadLetters"};

using Periods = std::array<std::optional<Duration>, 4>;

// A field that is not mentioned stays as it was; null clears it.
Periods read_periods(const JsonValue& json, Periods periods) {
  for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
    const JsonValue merging = merged(read_json("{}"), json);
    if (const auto period = duration_field(merging, kNames[kind])) periods[kind] = period;
  }
  return periods;
}

class Retention final : public Accuser {
 public:
  using Accuser::Accuser;

  void asked(const Asked& asked) override {
    const JsonValue json = read_json(asked.json);
    if (asked.act == Act::SetServer) server_ = read_periods(json, server_);
    if (asked.act != Act::CreateApplication && asked.act != Act::ChangeApplication) return;
    // Whether and when a change takes effect is not known: what may hold is any of them.
    std::vector<Periods>& all = applications_[asked.application];
    all.push_back(read_periods(json, all.empty() ? Periods{} : all.back()));
  }

  void payload_gone(const PayloadGone& gone) override {
    if (gone.by != By::Upkeep) return;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const DeliveryName name{endpoint, gone.message};
      const Track* const track = scene().track(name);
      if (track == nullptr || scene().is_dropped(name)) continue;
      if (track->is_live() || track->on_disk.state == "dead") {
        accuse(Rule::Retention, name,
               fmt::format("its payload was dropped, and it is {}", track->on_disk.state));
      }
    }
    check_age(gone.application, {{}, gone.message}, kPayload, accepted(gone.message), "a payload");
  }

  void dropped(const Dropped& dropped) override {
    const DeliveryName name{dropped.endpoint, dropped.message};
    if (dropped.endpoint == EndpointId()) return message_dropped(dropped);
    const Track* const track = scene().track(name);
    if (track == nullptr) return;
    if (track->is_live()) {
      accuse(Rule::Retention, name, "was dropped, and is " + track->on_disk.state);
      return;
    }
    const Kind kind = track->on_disk.state == "dead" ? kDead : kEnded;
    check_age(dropped.application, name, kind, track->on_disk.updated_at, "a delivery");
  }

  void rested(const Dump&) override {
    if (!scene().life() || scene().alive_since() + figures::kRetentionLate > now()) return;
    if (scene().clocks().was_set_since(now() - figures::kRetentionLate)) return;
    for (const auto& [name, track] : scene().tracks()) {
      if (track.is_live() || scene().is_dropped(name)) continue;
      const Kind kind = track.on_disk.state == "dead" ? kDead : kEnded;
      const WallTime end = track.on_disk.updated_at + longest(track.application, kind);
      if (end + figures::kRetentionLate > scene().now().wall) continue;
      accuse(Rule::Retention, name, "is there still, long after its retention");
    }
  }

 private:
  void message_dropped(const Dropped& dropped) {
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const DeliveryName name{endpoint, dropped.message};
      if (scene().track(name) == nullptr || scene().is_dropped(name)) continue;
      accuse(Rule::Retention, name, "its message was dropped, and it is there");
    }
    check_age(dropped.application, {{}, dropped.message}, kEnded, accepted(dropped.message),
              "a message");
  }

  // At the earliest. Ids never go back, so the wall clock at the post may be behind that of the id;
  // a post with the same key that nobody answered may be the one that made the message.
  WallTime accepted(MessageId message) const {
    WallTime first = message.time();
    const Post* const post = scene().post_of(message);
    if (post == nullptr) return first;
    for (const auto& [number, each] : scene().posts()) {
      const bool is_same =
          &each == post || (!each.asked.key.empty() && each.asked.key == post->asked.key &&
                            each.asked.application == post->asked.application);
      if (is_same) first = std::min(first, each.at.wall);
    }
    return first;
  }

  void check_age(ApplicationId application, const DeliveryName& name, Kind kind, WallTime since,
                 std::string_view what) {
    const WallTime end = since + shortest(application, kind);
    if (scene().now().wall + figures::kIdGrain >= end) return;
    accuse(Rule::Retention, name,
           fmt::format("{} was dropped {} s before its retention was over", what,
                       (end - scene().now().wall).count() / 1'000'000));
  }

  std::vector<Duration> possible(ApplicationId application, Kind kind) const {
    const auto found = applications_.find(application);
    std::vector<Periods> own = {Periods{}};
    if (found != applications_.end()) own = found->second;
    std::vector<Duration> periods;
    for (const Periods& each : own) {
      std::optional<Duration> period = each[kind];
      if (!period) period = each[kEnded];
      if (!period) period = server_[kind];
      if (!period) period = server_[kEnded];
      periods.push_back(period.value_or(figures::kRetention));
    }
    return periods;
  }

  Duration shortest(ApplicationId application, Kind kind) const {
    const std::vector<Duration> all = possible(application, kind);
    return *std::min_element(all.begin(), all.end());
  }

  Duration longest(ApplicationId application, Kind kind) const {
    const std::vector<Duration> all = possible(application, kind);
    return *std::max_element(all.begin(), all.end());
  }

  Periods server_;
  std::map<ApplicationId, std::vector<Periods>> applications_;
};

}  // namespace

std::unique_ptr<Accuser> retention(Bench bench) { return std::make_unique<Retention>(bench); }

}  // namespace petrel::sim::judge
