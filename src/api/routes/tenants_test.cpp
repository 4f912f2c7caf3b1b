// No tenant reaches another's things, by whatever route. The routes come from the table, so that a
// new one is walked as soon as it is there.

#include <gtest/gtest.h>

#include "api/routes/routes.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

// What may stand in for the braces of any route.
using Names = std::vector<std::pair<std::string, std::string>>;

std::string filled(std::string_view pattern, const Names& names) {
  std::string path(pattern);
  for (const auto& [name, value] : names) {
    const std::size_t at = path.find("{" + name + "}");
    if (at != std::string::npos) path.replace(at, name.size() + 2, value);
  }
  EXPECT_EQ(path.find('{'), std::string::npos) << path;
  return path;
}

// Fits every route more or less: the walk is about who may ask, not about what.
constexpr std::string_view kBody =
    R"({"name":"theirs.new","description":"d","url":"https://example.com","eventType":"a",)"
    R"("payload":{},"headers":{"x-theirs":"1"},"since":"2027-01-15T07:00:00Z"})";

// Ours, with one thing of each kind, and a neighbour in the same organisation.
struct Tenants {
  Tenants() {
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(200);
    result.response = "our response";
    attempt = world.settle(endpoint, message, result);
    world.end(endpoint, message, model::DeliveryState::Dead, policy::DeadReason::Exhausted);
    EXPECT_EQ(world
                  .ask("POST", "/api/v1/event-type",
                       {.body = R"({"name":"our.type","description":"our description"})"})
                  .status,
              201);
    model::Task made;
    made.id = *TaskId::parse(task);
    made.organisation = world.organisation;
    made.application = *ApplicationId::parse(application);
    world.store.change({.changes = {store::CreateTask{made}}}, [](const Status&) {});
  }

  // Everything of ours that a route could show or change, as we see it.
  std::string ours() {
    const std::string root = "/api/v1/app/" + application;
    std::string all;
    for (const std::string& path :
         {root, root + "/endpoint", root + "/endpoint/" + endpoint + "/secret",
          root + "/endpoint/" + endpoint + "/headers", root + "/msg",
          root + "/attempt/msg/" + message, std::string("/api/v1/event-type/our.type"),
          "/api/v1/background-task/" + task, std::string("/api/v1/operational-webhook/endpoint"),
          "/api/v1/operational-webhook/endpoint/" + operational + "/secret"}) {
      const Reply reply = world.ask("GET", path);
      EXPECT_EQ(reply.status, 200) << path << " " << reply.body;
      all += reply.body + "\n";
    }
    return all;
  }

  bool shows_ours(const std::string& body) const {
    for (const std::string& mark :
         {application, endpoint, operational, message, attempt, task, secret,
          std::string("our-header"), std::string("our response")}) {
      if (body.find(mark) != std::string::npos) return true;
    }
    return false;
  }

  std::string path(const Route& route, const std::string& app_id) const {
    const bool is_operational = route.pattern.find("/operational-") != std::string_view::npos;
    return filled(route.pattern, {{"app_id", app_id},
                                  {"endpoint_id", is_operational ? operational : endpoint},
                                  {"msg_id", message},
                                  {"attempt_id", attempt},
                                  {"event_type_name", "our.type"},
                                  {"task_id", task},
                                  {"name", "svix"}});
  }

  ApiWorld world;
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const std::string application = world.make_application("ours");
  const std::string neighbour = world.make_application("theirs");
  const std::string endpoint = world.make_endpoint(
      application, R"(,"uid":"ours","headers":{"x-a":"our-header"},"secret":")" + secret + "\"");
  const std::string operational =
      world
          .ask("POST", "/api/v1/operational-webhook/endpoint",
               {.body = R"({"url":"https://example.com/ours","secret":")" + secret + "\"}"})
          .field("id");
  const std::string message = world.make_message(application);
  const OrganisationId stranger{world.maker.make(world.clock.now)};
  const std::string task = TaskId(world.maker.make(world.clock.now)).text();
  std::string attempt;
};

struct Walk {
  const char* who;
  std::function<std::string(Tenants&)> token;
  std::function<std::string(Tenants&)> app_id;  // In the path.
  bool may_not;  // Whether every route that names an application must refuse.
};

const std::vector<Walk>& walks() {
  const auto stranger = [](Tenants& t) { return t.world.organisation_token(t.stranger); };
  const auto neighbour = [](Tenants& t) { return t.world.application_token(t.neighbour); };
  const auto owner = [](Tenants& t) { return t.world.organisation_token(t.world.organisation); };
  const auto ours = [](Tenants& t) { return t.application; };
  const auto our_uid = [](Tenants&) { return std::string("ours"); };
  const auto theirs = [](Tenants& t) { return t.neighbour; };
  static const std::vector<Walk> all = {
      {"another organisation, by id", stranger, ours, true},
      {"another organisation, by uid", stranger, our_uid, true},
      {"another application, by id", neighbour, ours, true},
      {"another application, by uid", neighbour, our_uid, true},
      // Through an application of one's own.
      {"another application, in its own path", neighbour, theirs, false},
      {"the organisation, in another application's path", owner, theirs, false},
  };
  return all;
}

TEST(TenantsTest, NoRouteLeadsToAnotherTenantsThings) {
  int walked = 0;
  for (const Route& route : all_routes()) {
    if (route.access.scope() == Access::Scope::Open) continue;
    const bool names_application = route.pattern.find("{app_id}") != std::string_view::npos;
    for (const Walk& walk : walks()) {
      const bool is_owner = std::string_view(walk.who).starts_with("the organisation");
      // Our own organisation may see and change what is the organisation's.
      if (is_owner && !names_application) continue;
      Tenants tenants;
      const std::string before = tenants.ours();
      const std::string path = tenants.path(route, walk.app_id(tenants));
      const Reply reply =
          tenants.world.ask(std::string(route.method), path,
                            {.body = std::string(kBody), .token = walk.token(tenants)});
      const std::string what =
          std::string(walk.who) + ": " + std::string(route.method) + " " + path + " " + reply.body;
      if (reply.status < 300) {
        EXPECT_FALSE(tenants.shows_ours(reply.body)) << what;
      }
      // Where a name is unknown, a route may make a new thing of it; nothing else is allowed.
      if (walk.may_not && names_application &&
          route.access.scope() != Access::Scope::NewApplication) {
        EXPECT_TRUE(reply.status == 403 || reply.status == 404) << reply.status << " " << what;
      }
      EXPECT_EQ(tenants.ours(), before) << what;
      ++walked;
    }
  }
  EXPECT_GE(walked, 100);
}

// The walk would say nothing if its paths led nowhere at all.
TEST(TenantsTest, TheOwnerGetsThere) {
  int walked = 0;
  for (const Route& route : all_routes()) {
    if (route.access.scope() == Access::Scope::Open) continue;
    Tenants tenants;
    const std::string path = tenants.path(route, tenants.application);
    const Reply reply =
        tenants.world.ask(std::string(route.method), path, {.body = std::string(kBody)});
    // The delivery is found, and is not one to be released.
    const bool is_not_held = reply.body.find("held after crashes") != std::string::npos;
    EXPECT_TRUE(reply.status < 300 || reply.status == 422 || reply.status == 400 || is_not_held)
        << route.method << " " << path << " " << reply.status << " " << reply.body;
    ++walked;
  }
  EXPECT_GE(walked, 20);
}

TEST(TenantsTest, ListsHoldOnlyOnesOwn) {
  Tenants tenants;
  const std::string token = tenants.world.organisation_token(tenants.stranger);
  for (const char* path : {"/api/v1/app", "/api/v1/event-type?include_archived=true",
                           "/api/v1/operational-webhook/endpoint"}) {
    EXPECT_EQ(tenants.world.ask("GET", path, {.token = token}).body,
              R"({"data":[],"iterator":null,"done":true})");
  }
  EXPECT_EQ(tenants.world.ask("GET", "/api/v1/event-type/our.type", {.token = token}).status, 404);
}

}  // namespace
}  // namespace petrel::api
