#include "api/testing/api_world.h"

#include <algorithm>
#include <sys/resource.h>
#include <utility>

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::api {
namespace {

Duration duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// Of this thread, so far.
Duration processor_time() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return duration_of(usage.ru_utime) + duration_of(usage.ru_stime);
}

}  // namespace

std::string Reply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string Reply::field(std::string_view name) const {
  const Result<JsonValue> json = parse_json(body);
  const JsonValue::Object* object = json.ok() ? json->as_object() : nullptr;
  for (std::size_t i = 0; object != nullptr && i < object->size(); ++i) {
    const auto& [key, value] = (*object)[i];
    if (key == name && value.as_string() != nullptr) return *value.as_string();
    if (key == name) return std::string(value.kind_name());
  }
  ADD_FAILURE() << "no " << name << " in " << status << " " << body;
  return {};
}

class ApiWorld::WorldLoop final : public Loop {
 public:
  explicit WorldLoop(ApiWorld& world) : world_(world) {}

  void post(Function<void()> action) override { world_.queue_.push_back(std::move(action)); }

  // The clock stands still, so nothing is ever late.
  std::unique_ptr<LoopTimer> make_timer() override {
    class Timer final : public LoopTimer {
     public:
      void set(MonoTime, Function<void()>) override {}
      void cancel() override {}
    };
    return std::make_unique<Timer>();
  }

 private:
  ApiWorld& world_;
};

class ApiWorld::WorldPool final : public BlockingPool {
 public:
  explicit WorldPool(ApiWorld& world) : world_(world) {}

  bool run(Function<void()> work) override {
    world_.order.emplace_back("blocking");
    world_.queue_.push_back([this, work = std::move(work)] {
      world_.is_blocking_ = true;
      work();
    });
    return true;
  }

 private:
  ApiWorld& world_;
};

ApiWorld::ApiWorld(RateLimit* rate_limit, const std::optional<net::AddressGuard>& guard)
    : store(clock, [this](Function<void()> answer) { queue_.push_back(std::move(answer)); }),
      loop_(std::make_unique<WorldLoop>(*this)),
      pool_(std::make_unique<WorldPool>(*this)),
      effects_({.control = *loop_,
                .clock = clock,
                .pool = *pool_,
                .browse = store,
                .catalogue = catalogue,
                .revoked = revoked_,
                .rates = rates_,
                .payloads = payloads_,
                .limits = limits_,
                .lanes = lanes,
                .tasks = tasks,
                .log = log}),
      changes_({.control = *loop_,
                .clock = clock,
                .store = store,
                .catalogue = catalogue,
                .effects = effects_}),
      quarantine_({.control = *loop_,
                   .clock = clock,
                   .pool = *pool_,
                   .browse = store,
                   .catalogue = catalogue,
                   .note = note,
                   .list = lanes.suspects,
                   .lanes = lanes,
                   .changes = changes_,
                   .metrics = metrics,
                   .log = log,
                   .version = "0.1.0"}),
      deliveries_({.control = *loop_,
                   .clock = clock,
                   .pool = *pool_,
                   .store = store,
                   .browse = store,
                   .lanes = lanes,
                   .changes = changes_}),
      intake_({.store = store,
               .catalogue = catalogue,
               .clock = clock,
               .random = random,
               .metrics = metrics,
               .loop = *loop_,
               .memory = *memory,
               .events = *this}),
      api_({.loop = *loop_,
            .clock = clock,
            .random = random,
            .pool = *pool_,
            .metrics = metrics,
            .browse = store,
            .catalogue = catalogue,
            .memory = *memory,
            .intake = intake_,
            .changes = changes_,
            .lanes = lanes,
            .deliveries = deliveries_,
            .quarantine = quarantine_,
            .tasks = tasks,
            .revoked = revoked_,
            .log = log},
           settings(rate_limit, guard)) {}

ApiSettings ApiWorld::settings(RateLimit* rate_limit,
                               const std::optional<net::AddressGuard>& guard) {
  return {.auth = Auth("the secret of this test"),
          .retry_policy = *policy::find_preset(policy::kDefaultPreset),
          .may_accept = [this] { return may_accept; },
          .rate_limit = rate_limit,
          .ask_health = [this](auto done) { done(server_health); },
          .public_url = "https://hooks.example",
          .guard = guard};
}

void ApiWorld::accepted(std::vector<model::DueDelivery> due) {
  for (const model::DueDelivery& each : due) handed_on.push_back(each.delivery.key.message);
}

void ApiWorld::run() {
  while (!queue_.empty()) {
    const Function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    measured(task);
  }
}

void ApiWorld::measured(const Function<void()>& task) {
  is_blocking_ = false;
  const Duration before = processor_time();
  task();
  if (!is_blocking_) dearest_step = std::max(dearest_step, processor_time() - before);
}

void ApiWorld::send(net::HttpRequest request, const std::string& token,
                    std::vector<Reply>& replies) {
  const std::string shown = token.empty() ? organisation_token(organisation) : token;
  if (shown != "none") request.headers.emplace_back("Authorization", "Bearer " + shown);
  const std::size_t place = replies.size();
  replies.emplace_back();
  measured([&] {
    api_.handle(std::move(request), [&replies, place](net::HttpResponse answer) {
      EXPECT_EQ(replies[place].status, 0) << "answered twice";
      replies[place] = {answer.status, std::move(answer.body), std::move(answer.headers),
                        std::move(answer.content_type)};
    });
  });
}

Reply ApiWorld::ask(std::string method, std::string target, const Ask& ask) {
  net::HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers = ask.headers;
  request.body = ask.body;
  request.client = ask.client;
  std::vector<Reply> replies;
  send(std::move(request), ask.token, replies);
  run();
  EXPECT_NE(replies.front().status, 0) << "not answered";
  return replies.front();
}

std::vector<Reply> ApiWorld::ask_at_once(const std::vector<Sent>& requests) {
  std::vector<Reply> replies;
  for (const Sent& sent : requests) {
    net::HttpRequest request;
    request.method = sent.method;
    request.target = sent.target;
    request.headers = sent.headers;
    request.body = sent.body;
    send(std::move(request), "", replies);
  }
  run();
  for (const Reply& reply : replies) EXPECT_NE(reply.status, 0) << "not answered";
  return replies;
}

std::string ApiWorld::make_application(const std::string& uid, const std::string& token) {
  const std::string fields = uid.empty() ? "" : R"(,"uid":")" + uid + "\"";
  const std::string body = R"({"name":"An application")" + fields + "}";
  return ask("POST", "/api/v1/app", {.body = body, .token = token}).field("id");
}

std::string ApiWorld::make_endpoint(const std::string& application, const std::string& fields,
                                    const std::string& token) {
  const std::string body = R"({"url":"https://example.com/hook")" + fields + "}";
  return ask("POST", "/api/v1/app/" + application + "/endpoint", {.body = body, .token = token})
      .field("id");
}

std::string ApiWorld::make_message(const std::string& application, const std::string& event_type) {
  const std::string body = R"({"eventType":")" + event_type + R"(","payload":{"n":1}})";
  return ask("POST", "/api/v1/app/" + application + "/msg", {.body = body}).field("id");
}

std::string ApiWorld::settle(const std::string& endpoint, const std::string& message,
                             const model::AttemptResult& result) {
  const model::DeliveryKey key{*EndpointId::parse(endpoint), *MessageId::parse(message)};
  const Result<model::Delivery> before = store.delivery(key);
  EXPECT_TRUE(before.ok());
  model::Settlement settlement;
  settlement.state_before = before->state;
  settlement.due_before = before->due_at;
  settlement.delivery = *before;
  settlement.delivery.state = model::DeliveryState::Retrying;
  settlement.delivery.attempts_total += 1;
  settlement.delivery.due_at = clock.now + std::chrono::seconds(1);
  model::Attempt attempt;
  attempt.id = AttemptId(maker.make(clock.now));
  attempt.delivery = key;
  attempt.application = before->application;
  attempt.url = "https://example.com/hook";
  attempt.outcome = result.outcome;
  attempt.response = result.response;
  attempt.error = result.error;
  attempt.timings = result.timings;
  attempt.started_at = attempt.ended_at = clock.now;
  settlement.attempt = attempt;
  store.settle({settlement}, [](const auto& status) { EXPECT_TRUE(status.ok()); });
  run();
  return attempt.id.text();
}

void ApiWorld::end(const std::string& endpoint, const std::string& message,
                   model::DeliveryState state, std::optional<policy::DeadReason> reason) {
  model::Settlement settlement;
  settlement.delivery = delivery(endpoint, message);
  settlement.state_before = settlement.delivery.state;
  settlement.due_before = settlement.delivery.due_at;
  settlement.delivery.state = state;
  settlement.delivery.reason = reason;
  settlement.delivery.updated_at = clock.now;
  if (state == model::DeliveryState::Retrying) {
    settlement.delivery.due_at = clock.now + std::chrono::hours(1);
  }
  store.settle({settlement}, [](const auto& status) { EXPECT_TRUE(status.ok()); });
  run();
}

model::Delivery ApiWorld::delivery(const std::string& endpoint, const std::string& message) {
  const Result<model::Delivery> found =
      store.delivery({*EndpointId::parse(endpoint), *MessageId::parse(message)});
  EXPECT_TRUE(found.ok()) << "no delivery of " << message << " to " << endpoint;
  return found.ok() ? *found : model::Delivery();
}

std::string ApiWorld::token_of(const Caller& caller) {
  return auth_.mint(caller, clock.now, std::chrono::hours(1));
}

std::string ApiWorld::organisation_token(const OrganisationId& of) {
  return token_of({.organisation = of});
}

std::string ApiWorld::application_token(const std::string& application) {
  return token_of(
      {.organisation = organisation, .application = *ApplicationId::parse(application)});
}

}  // namespace petrel::api
