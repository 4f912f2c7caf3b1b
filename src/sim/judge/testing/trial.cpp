#include "sim/judge/testing/trial.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/judge/json_field.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

template <typename Id>
Id id_of(std::uint64_t number) {
  Ksuid::Bytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[Ksuid::kBytes - 1 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return Id(Ksuid(bytes));
}

}  // namespace

JudgeSettings Trial::strict() {
  JudgeSettings settings;
  settings.lateness = Duration::zero();
  settings.slack = std::chrono::seconds(1);
  return settings;
}

Trial::Trial(const JudgeSettings& settings)
    : judge_(settings),
      now_{MonoTime(std::chrono::seconds(1000)), wall_from_unix_seconds(1'800'000'000)},
      application_(id_of<ApplicationId>(1)) {
  act({.act = Act::CreateApplication, .application = application_, .json = "{}"});
  start();
}

void Trial::wait(Duration time) {
  now_.mono += time;
  now_.wall += time;
}

std::string Trial::rules() const {
  std::vector<std::string_view> names;
  for (const Accusation& accusation : judge_.accusations()) {
    const std::string_view name = to_string(accusation.rule);
    if (std::count(names.begin(), names.end(), name) == 0) names.push_back(name);
  }
  std::string text;
  for (const std::string_view name : names) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

std::uint64_t Trial::ask(Asked asked) {
  asked.number = next_++;
  asked.application = application_;
  const std::uint64_t number = asked.number;
  hear(std::move(asked));
  return number;
}

void Trial::tell(std::uint64_t number, int status) {
  hear(Told{.number = number, .status = status});
}

EndpointId Trial::endpoint(std::string json) {
  const EndpointId id = id_of<EndpointId>(next_++);
  endpoints_.push_back(id);
  urls_[id] = text_field(read_json(json), "url").value_or("");
  act({.act = Act::CreateEndpoint, .endpoint = id, .json = std::move(json)}, 201);
  return id;
}

void Trial::change(EndpointId endpoint, std::string json) {
  if (auto url = text_field(read_json(json), "url")) urls_[endpoint] = *std::move(url);
  act({.act = Act::ChangeEndpoint, .endpoint = endpoint, .json = std::move(json)});
}

void Trial::order(Act act_, EndpointId endpoint) { act({.act = act_, .endpoint = endpoint}); }

MessageId Trial::next_message() {
  Ksuid::Bytes bytes = Ksuid::first_at(now_.wall).bytes();
  const Ksuid::Bytes number = id_of<MessageId>(next_++).ksuid().bytes();
  std::copy(number.end() - 8, number.end(), bytes.end() - 8);
  return MessageId(Ksuid(bytes));
}

void Trial::write(const MessageId& message, EndpointId endpoint, WallTime due_at) {
  hear(OnDisk{.application = application_,
              .endpoint = endpoint,
              .message = message,
              .state = "pending",
              .due_at = due_at,
              .updated_at = now_.wall,
              .by = By::Intake});
}

MessageId Trial::post(std::string json) {
  const MessageId message = next_message();
  const WallTime due = time_field(read_json(json), "deliverAt").value_or(now_.wall);
  const std::uint64_t number = ask({.act = Act::Post, .json = std::move(json)});
  for (const EndpointId endpoint : endpoints_) write(message, endpoint, due);
  hear(Told{.number = number, .status = 202, .message = message});
  return message;
}

std::uint64_t Trial::request(const DeliveryName& name, Duration loading) {
  const std::uint64_t number = next_++;
  requests_[number] = {.name = name, .signed_at = now_.wall, .ended_at = {}, .reply = {}};
  hear(Requested{.request = number,
                 .life = life_,
                 .endpoint = name.endpoint,
                 .message = name.message,
                 .url = urls_[name.endpoint],
                 .signed_at = now_.wall,
                 .loading = loading});
  return number;
}

void Trial::reply(std::uint64_t request, Replied reply) {
  reply.request = request;
  requests_[request].reply = reply;
  requests_[request].ended_at = now_.wall;
  hear(std::move(reply));
}

OnDisk Trial::record(std::uint64_t request, std::string state, std::string reason) const {
  const Kept& kept = requests_.at(request);
  const Track* const before = judge_.scene().track(kept.name);
  return {.application = application_,
          .endpoint = kept.name.endpoint,
          .message = kept.name.message,
          .state = std::move(state),
          .reason = std::move(reason),
          .due_at = kept.ended_at,
          .attempts = (before == nullptr ? 0 : before->on_disk.attempts) + 1,
          .updated_at = kept.ended_at,
          .attempt = RecordedAttempt{.id = id_of<AttemptId>(request),
                                     .number = (before == nullptr ? 0 : before->recorded) + 1,
                                     .kind = kept.reply.kind,
                                     .status = kept.reply.status,
                                     .url = urls_.at(kept.name.endpoint),
                                     .started_at = kept.signed_at,
                                     .ended_at = kept.ended_at}};
}

OnDisk Trial::retry(std::uint64_t request, Duration delay) const {
  OnDisk record = this->record(request, "retrying");
  record.due_at += delay;
  return record;
}

void Trial::attempt(const DeliveryName& name, int status, Duration delay) {
  const std::uint64_t number = request(name);
  reply(number, status);
  hear(status / 100 == 2 ? record(number, "delivered") : retry(number, delay));
}

void Trial::die() { hear(Life{.life = life_, .event = Life::Event::Crashed}); }

void Trial::start() { hear(Life{.life = ++life_, .event = Life::Event::Started}); }

void Trial::stop(Duration grace) {
  hear(Life{.life = life_, .event = Life::Event::Stopping, .grace = grace});
}

}  // namespace petrel::sim::judge
