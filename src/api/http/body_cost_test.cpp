// What a request may cost the loop that serves it: bodies of the largest size that is taken, each
// made to be as dear as its author could make it.

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/routes/routes.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

constexpr std::size_t kBodyBytes = 1024 * 1024;

// The promise is 50 ms of a loop for any body. A test machine may be slow, and its program built
// with sanitizers; what grows with the square of a body takes far longer than this.
constexpr std::chrono::milliseconds kBound(1000);

// `before`, then items until the body is full, then `after`.
std::string filled(const std::string& before, const std::function<std::string(std::size_t)>& item,
                   const std::string& after, std::size_t bytes = kBodyBytes) {
  std::string body = before;
  for (std::size_t i = 0;; ++i) {
    const std::string next = (i == 0 ? "" : ",") + item(i);
    if (body.size() + next.size() + after.size() > bytes) break;
    body += next;
  }
  return body + after;
}

std::string name_of(std::size_t i) { return fmt::format("n{:x}", i); }
std::string text_item(std::size_t i) { return fmt::format(R"("n{:x}")", i); }
std::string field_item(std::size_t i) { return fmt::format(R"("n{:x}":"")", i); }
std::string same_item(std::size_t) { return R"("a")"; }
std::string empty_list(std::size_t) { return "[]"; }
std::string empty_object(std::size_t) { return "{}"; }

std::string long_text(const std::string& before, const std::string& after, char c = 'a') {
  return before + std::string(kBodyBytes - before.size() - after.size(), c) + after;
}

struct Case {
  std::string name;
  std::string body;
};

// Dear for any parser, whatever the route takes.
std::vector<Case> shapes() {
  const std::string deep = std::string(60, '[');
  const std::string deep_end = std::string(60, ']');
  return {
      {"fields", filled("{", field_item, "}")},
      {"lists in a field", filled(R"({"a":[)", empty_list, "]}")},
      {"objects in a field", filled(R"({"a":[)", empty_object, "]}")},
      {"lists", filled("[", empty_list, "]")},
      {"numbers", filled(R"({"a":[)", [](std::size_t) { return "0"; }, "]}")},
      {"fractions",
       filled(R"({"a":[)", [](std::size_t) { return "1.7976931348623157e308"; }, "]}")},
      {"deep lists", filled(R"({"a":[)", [&](std::size_t) { return deep + deep_end; }, "]}")},
      {"one text", long_text(R"({"a":")", R"("})")},
      {"escapes", filled(R"({"a":[)", [](std::size_t) { return R"("\u00e9\n")"; }, "]}")},
      {"open lists", std::string(kBodyBytes, '[')},
      {"open texts", long_text("\"", "", '"')},
  };
}

class BodyCost : public ::testing::Test {
 protected:
  BodyCost() {
    application = world.make_application("app");
    endpoint = world.make_endpoint(application, R"(,"uid":"ep")");
    world.ask("POST", "/api/v1/event-type", {.body = R"({"name":"t","description":""})"});
    world.ask("POST", "/api/v1/operational-webhook/endpoint",
              {.body = R"({"url":"https://example.com","uid":"ep"})"});
  }

  void expect_cheap(const std::string& method, const std::string& target, const Case& given) {
    world.dearest_step = {};
    const Reply reply = world.ask(method, target, {.body = given.body});
    const auto cost = std::chrono::duration_cast<std::chrono::milliseconds>(world.dearest_step);
    EXPECT_LT(cost, kBound) << method << " " << target << ", " << given.name << ": " << cost.count()
                            << " ms for " << given.body.size() << " bytes, " << reply.status << " "
                            << reply.body.substr(0, 200);
    if (cost > dearest) {
      dearest = cost;
      dearest_case = method + " " + target + ", " + given.name;
    }
    if (cost.count() >= 20) {
      fmt::print("{:>6} ms  {} {}, {}: {}\n", cost.count(), method, target, given.name,
                 reply.status);
    }
  }

  void TearDown() override { fmt::print("dearest: {} ms: {}\n", dearest.count(), dearest_case); }

  ApiWorld world;
  std::string application;
  std::string endpoint;
  std::chrono::milliseconds dearest{};
  std::string dearest_case;
};

std::string target_of(std::string_view pattern) {
  std::string target(pattern);
  const auto put = [&](const std::string& name, const std::string& value) {
    const std::size_t at = target.find(name);
    if (at != std::string::npos) target.replace(at, name.size(), value);
  };
  put("{app_id}", "app");
  put("{endpoint_id}", "ep");
  put("{event_type_name}", "t");
  return target;
}

TEST_F(BodyCost, IsBoundedForEveryRouteThatTakesABody) {
  const std::vector<Case> all = shapes();
  for (const Route& route : all_routes()) {
    if (route.method == "GET" || route.method == "DELETE") continue;
    for (const Case& shape : all) {
      expect_cheap(std::string(route.method), target_of(route.pattern), shape);
    }
  }
}

TEST_F(BodyCost, IsBoundedForHeaders) {
  const std::string target = "/api/v1/app/app/endpoint/ep/headers";
  const Case names{"names", filled(R"({"headers":{)", field_item, "}}")};
  expect_cheap("PUT", target, names);
  expect_cheap("PATCH", target, names);
  expect_cheap("POST", "/api/v1/app/app/endpoint",
               {"names", filled(R"({"url":"https://example.com","headers":{)", field_item, "}}")});
  expect_cheap(
      "PATCH", target,
      {"removed", filled(R"({"headers":{)",
                         [](std::size_t i) { return "\"" + name_of(i) + "\":null"; }, "}}")});
  expect_cheap("PATCH", target, {"deleted", filled(R"({"deleteHeaders":[)", text_item, "]}")});
  expect_cheap("PUT", target,
               {"long names", filled(R"({"headers":{)",
                                     [](std::size_t i) {
                                       return fmt::format(R"("{}{}":"")", std::string(200, 'a'), i);
                                     },
                                     "}}")});
  expect_cheap("PUT", target, {"one name", long_text(R"({"headers":{")", R"(":""}})")});
  expect_cheap("PUT", target, {"one value", long_text(R"({"headers":{"a":")", R"("}})")});
}

TEST_F(BodyCost, IsBoundedForEndpointsAndApplications) {
  const std::string url = R"({"url":"https://example.com/",)";
  const std::vector<Case> cases = {
      {"event types", filled(url + R"("eventTypes":[)", text_item, "]}")},
      {"1000 event types", filled(url + R"("eventTypes":[)", text_item, "]}", 7900)},
      {"one type often", filled(url + R"("filterTypes":[)", same_item, "]}")},
      {"long types",
       filled(
           url + R"("filterTypes":[)",
           [](std::size_t i) { return fmt::format(R"("{}{}")", std::string(240, 'a'), i); }, "]}",
           250'000)},
      {"channels", filled(url + R"("channels":[)", text_item, "]}")},
      {"metadata", filled(url + R"("metadata":{)", field_item, "}}")},
      {"one metadatum", long_text(url + R"("metadata":{"a":")", R"("}})")},
      {"rules", filled(
                    url + R"("retryPolicy":{"rules":[)",
                    [](std::size_t i) {
                      return fmt::format(R"({{"on":"{}","action":"retry"}})", 400 + i % 100);
                    },
                    "]}}")},
      {"schedule", filled(
                       url + R"("retryPolicy":{"strategy":"schedule","schedule":[)",
                       [](std::size_t) { return R"("1s")"; }, "]}}")},
      {"policy fields", filled(url + R"("retryPolicy":{)", field_item, "}}")},
      {"policy name", long_text(url + R"("retryPolicy":")", R"("})")},
      {"guards", filled(url + R"("guards":{)", field_item, "}}")},
      {"duration", long_text(url + R"("timeout":")", R"(s"})", '1')},
      {"url", long_text(R"({"url":"https://)", R"("})")},
      {"secret", long_text(url + R"("secret":"whsec_)", R"("})")},
      {"key", long_text(url + R"("secret":"whsk_)", R"("})")},
      {"certificates", long_text(url + R"("caCertificate":")", R"("})", '-')},
      {"description", long_text(url + R"("description":")", R"("})")},
      {"uid", long_text(url + R"("uid":")", R"("})")},
  };
  for (const Case& each : cases) {
    expect_cheap("POST", "/api/v1/app/app/endpoint", each);
    expect_cheap("PUT", "/api/v1/app/app/endpoint/ep", each);
    expect_cheap("PATCH", "/api/v1/app/app/endpoint/ep", each);
    expect_cheap("POST", "/api/v1/operational-webhook/endpoint", each);
  }
  const std::string name = R"({"name":"A",)";
  for (const Case& each :
       {Case{"metadata", filled(name + R"("metadata":{)", field_item, "}}")},
        Case{"name", long_text(R"({"name":")", R"("})")},
        Case{"rules", filled(name + R"("retryPolicy":{"rules":[)", empty_object, "]}}")}}) {
    expect_cheap("POST", "/api/v1/app", each);
    expect_cheap("PUT", "/api/v1/app/app", each);
    expect_cheap("PATCH", "/api/v1/app/app", each);
  }
  expect_cheap("POST", "/api/v1/auth/app-portal-access/app",
               {"flags", filled(R"({"featureFlags":[)", text_item, "]}")});
  expect_cheap("POST", "/api/v1/stats/usage/app",
               {"applications", filled(R"({"appIds":[)", text_item, "]}")});
}

TEST_F(BodyCost, IsBoundedForMessages) {
  const std::string type = R"({"eventType":"t",)";
  const std::string payload = type + R"("payload":{},)";
  const std::vector<Case> cases = {
      {"payload fields", filled(type + R"("payload":{)", field_item, "}}")},
      {"payload lists", filled(type + R"("payload":{"a":[)", empty_list, "]}}")},
      {"payload numbers",
       filled(
           type + R"("payload":{"a":[)", [](std::size_t) { return "1"; }, "]}}")},
      {"payload text", long_text(type + R"("payload":{"a":")", R"("}})")},
      {"channels", filled(payload + R"("channels":[)", text_item, "]}")},
      {"tags", filled(payload + R"("tags":[)", text_item, "]}")},
      {"application",
       filled(payload + R"("application":{"name":"A","metadata":{)", field_item, "}}}")},
      {"extras", filled(payload + R"("transformationsParams":{"headers":{)", field_item, "}}}")},
      {"raw payload", filled(
                          payload + R"("transformationsParams":{"rawPayload":"[)",
                          [](std::size_t) { return "[]"; }, R"(]"}})")},
      {"same field", filled(
                         payload, [](std::size_t) { return R"("a":1)"; }, "}")},
      {"deliverAt", long_text(payload + R"("deliverAt":")", R"("})")},
      {"eventId", long_text(payload + R"("eventId":")", R"("})")},
  };
  for (const Case& each : cases) expect_cheap("POST", "/api/v1/app/app/msg", each);
}

}  // namespace
}  // namespace petrel::api
