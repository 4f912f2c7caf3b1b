#include "api/http/openapi.h"

#include <set>

#include <gtest/gtest.h>

#include "api/embedded/embedded.h"
#include "api/routes/routes.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

const JsonValue* find(const JsonValue* json, std::string_view name) {
  const JsonValue::Object* object = json == nullptr ? nullptr : json->as_object();
  for (std::size_t i = 0; object != nullptr && i < object->size(); ++i) {
    if ((*object)[i].first == name) return &(*object)[i].second;
  }
  return nullptr;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(c));
  return result;
}

// "#/components/schemas/MessageOut" in the document.
const JsonValue* resolve(const JsonValue& document, std::string_view ref) {
  const JsonValue* at = &document;
  ref.remove_prefix(2);
  while (at != nullptr && !ref.empty()) {
    const std::size_t end = std::min(ref.find('/'), ref.size());
    at = find(at, ref.substr(0, end));
    ref.remove_prefix(std::min(end + 1, ref.size()));
  }
  return at;
}

void gather_refs(const JsonValue& json, std::set<std::string>& refs) {
  if (const auto* array = json.as_array()) {
    for (const JsonValue& item : *array) gather_refs(item, refs);
  }
  if (const auto* object = json.as_object()) {
    for (const auto& [name, value] : *object) {
      if (name == "$ref") refs.insert(*value.as_string());
      gather_refs(value, refs);
    }
  }
}

bool is_of_kind(const JsonValue& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "string") return value.as_string() != nullptr;
  if (type == "boolean") return value.as_bool() != nullptr;
  if (type == "integer") return value.as_integer() != nullptr;
  if (type == "number") return value.as_number().has_value();
  if (type == "array") return value.as_array() != nullptr;
  return type == "object" && value.as_object() != nullptr;
}

// A small checker: kinds, required fields, properties, items and references. What is wrong, each
// with its place.
class Checker {
 public:
  explicit Checker(const JsonValue& document) : document_(document) {}

  void check(const JsonValue& value, const JsonValue& schema, const std::string& place) {
    if (const JsonValue* ref = find(&schema, "$ref")) {
      const JsonValue* target = resolve(document_, *ref->as_string());
      if (target == nullptr) return problems.push_back(place + ": " + *ref->as_string());
      return check(value, *target, place);
    }
    if (find(&schema, "oneOf") != nullptr) return;  // Which one is meant, it cannot tell.
    check_kind(value, schema, place);
    if (const JsonValue* required = find(&schema, "required"); required != nullptr) {
      for (const JsonValue& name : *required->as_array()) {
        if (find(&value, *name.as_string()) == nullptr) {
          problems.push_back(place + ": lacks " + *name.as_string());
        }
      }
    }
    if (value.as_array() != nullptr && find(&schema, "items") != nullptr) {
      for (const JsonValue& item : *value.as_array()) {
        check(item, *find(&schema, "items"), place + "[]");
      }
    }
    const JsonValue* properties = find(&schema, "properties");
    if (value.as_object() == nullptr || properties == nullptr) return;
    for (const auto& [name, field] : *value.as_object()) {
      const JsonValue* property = find(properties, name);
      if (property == nullptr) {
        problems.push_back(place + ": has " + name + ", which the schema does not know");
      } else {
        check(field, *property, place + "." + name);
      }
    }
  }

  std::vector<std::string> problems;

 private:
  void check_kind(const JsonValue& value, const JsonValue& schema, const std::string& place) {
    const JsonValue* type = find(&schema, "type");
    if (type == nullptr) return;
    bool fits = type->as_string() != nullptr && is_of_kind(value, *type->as_string());
    for (std::size_t i = 0; type->as_array() != nullptr && i < type->as_array()->size(); ++i) {
      fits = fits || is_of_kind(value, *(*type->as_array())[i].as_string());
    }
    if (!fits) problems.push_back(place + ": is " + std::string(value.kind_name()));
  }

  const JsonValue& document_;
};

struct OpenApi : testing::Test {
  // Asks, and checks the answer against the schema that the document gives for it.
  Reply checked(const std::string& method, const std::string& pattern, const std::string& target,
                const std::string& body = "") {
    const Reply reply = world.ask(method, target, {.body = body});
    const JsonValue* operation = find(find(find(&document, "paths"), pattern), lower(method));
    const JsonValue* answer = find(find(operation, "responses"), std::to_string(reply.status));
    const JsonValue* schema = find(find(find(answer, "content"), "application/json"), "schema");
    if (schema == nullptr) {
      ADD_FAILURE() << method << " " << pattern << " answered " << reply.status
                    << ", of which the document knows nothing: " << reply.body;
      return reply;
    }
    Checker checker(document);
    const Result<JsonValue> parsed = parse_json(reply.body);
    EXPECT_TRUE(parsed.ok()) << reply.body;
    if (parsed.ok()) checker.check(*parsed, *schema, pattern);
    for (const std::string& problem : checker.problems) ADD_FAILURE() << problem;
    return reply;
  }

  ApiWorld world;
  const std::vector<Route> routes = all_routes();
  const JsonValue document = *parse_json(openapi_document(routes));
};

TEST_F(OpenApi, EveryRouteIsDescribed) {
  std::set<std::string> ids;
  for (const Route& route : routes) {
    const std::string name = std::string(route.method) + " " + std::string(route.pattern);
    EXPECT_FALSE(route.about.id.empty() || route.about.summary.empty() || route.about.tag.empty())
        << name << " has no description: give its Route an Operation (router.h)";
    EXPECT_TRUE(ids.insert(std::string(route.about.id)).second)
        << name << " has the id of another route: " << route.about.id;
    EXPECT_NE(find(find(find(&document, "paths"), route.pattern), lower(route.method)), nullptr)
        << name << " is missing in the document";
  }
}

TEST_F(OpenApi, NothingIsDescribedThatIsNotServed) {
  std::set<std::string> served;
  for (const Route& route : routes) {
    served.insert(lower(route.method) + " " + std::string(route.pattern));
  }
  std::size_t described = 0;
  for (const auto& [path, methods] : *find(&document, "paths")->as_object()) {
    for (const auto& [method, operation] : *methods.as_object()) {
      EXPECT_TRUE(served.contains(method + " " + path)) << method << " " << path;
      ++described;
    }
  }
  EXPECT_EQ(described, routes.size()) << "two routes have the same method and path";
}

TEST_F(OpenApi, EveryReferenceLeadsSomewhere) {
  std::set<std::string> refs;
  gather_refs(document, refs);
  EXPECT_TRUE(refs.contains("#/components/schemas/MessageOut"));
  for (const std::string& ref : refs) EXPECT_NE(resolve(document, ref), nullptr) << ref;
}

TEST_F(OpenApi, TheCheckerFindsWhatIsWrong) {
  Checker checker(document);
  const JsonValue schema = *parse_json(R"({"$ref":"#/components/schemas/MessageOut"})");
  checker.check(*parse_json(R"({"id":7,"eventType":"a","payload":{},"more":1})"), schema, "m");
  EXPECT_EQ(checker.problems,
            (std::vector<std::string>{"m: lacks timestamp", "m.id: is a number",
                                      "m: has more, which the schema does not know"}));
}

TEST_F(OpenApi, RealAnswersFitTheirSchemas) {
  const std::string app = "/api/v1/app/{app_id}";
  checked("POST", "/api/v1/app", "/api/v1/app", R"({"name":"A","uid":"acme"})");
  checked("GET", "/api/v1/app", "/api/v1/app");
  const std::string endpoint = checked("POST", app + "/endpoint", "/api/v1/app/acme/endpoint",
                                       R"({"url":"https://example.com","uid":"e1"})")
                                   .field("id");
  checked("GET", app + "/endpoint", "/api/v1/app/acme/endpoint");
  const std::string message =
      checked("POST", app + "/msg", "/api/v1/app/acme/msg",
              R"({"eventType":"a","tags":["t"],"deliverAt":"2027-01-15T09:00:00Z","payload":{}})")
          .field("id");
  model::AttemptResult result;
  result.outcome = policy::Outcome::answered(500);
  const std::string attempt = world.settle(endpoint, message, result);

  checked("GET", app + "/msg/{msg_id}", "/api/v1/app/acme/msg/" + message);
  checked("GET", app + "/msg", "/api/v1/app/acme/msg");
  checked("GET", app + "/attempt/msg/{msg_id}",
          "/api/v1/app/acme/attempt/msg/" + message + "?with_msg=true");
  checked("GET", app + "/msg/{msg_id}/attempt/{attempt_id}",
          "/api/v1/app/acme/msg/" + message + "/attempt/" + attempt);
  checked("GET", app + "/endpoint/{endpoint_id}/msg", "/api/v1/app/acme/endpoint/e1/msg");
  checked("GET", app + "/msg/{msg_id}/endpoint", "/api/v1/app/acme/msg/" + message + "/endpoint");
  checked("GET", app + "/delivery", "/api/v1/app/acme/delivery");
  checked("POST", app + "/endpoint/{endpoint_id}/recover", "/api/v1/app/acme/endpoint/e1/recover",
          R"({"since":"2027-01-15T07:00:00Z"})");
  checked("POST", app + "/endpoint/{endpoint_id}/send-example",
          "/api/v1/app/acme/endpoint/e1/send-example", R"({"eventType":"svix.ping"})");
  checked("GET", app + "/endpoint/{endpoint_id}/stats", "/api/v1/app/acme/endpoint/e1/stats");
  checked("POST", app + "/msg/precheck/active", "/api/v1/app/acme/msg/precheck/active",
          R"({"eventType":"a"})");
  checked("GET", "/api/v1/retry-policy", "/api/v1/retry-policy");
  checked("POST", "/api/v1/retry-policy/preview", "/api/v1/retry-policy/preview",
          R"({"policy":{},"samples":10})");
  checked("GET", "/api/v1/health", "/api/v1/health");
}

TEST_F(OpenApi, ARefusalFitsItsSchemaToo) { checked("POST", "/api/v1/app", "/api/v1/app", "{}"); }

TEST_F(OpenApi, IsServedWithAPageForPeople) {
  const Reply served = world.ask("GET", "/api/v1/openapi.json", {.token = "none"});
  EXPECT_EQ(served.status, 200);
  EXPECT_EQ(served.body, openapi_document(routes));
  const Reply page = world.ask("GET", "/docs/", {.token = "none"});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body, kDocsPage);
}

TEST_F(OpenApi, ThePageRunsNothingButItsOwnScriptAndStandsInNoFrame) {
  const Reply page = world.ask("GET", "/docs", {.token = "none"});
  const std::string policy = page.header("Content-Security-Policy");
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos) << policy;
  EXPECT_NE(policy.find("style-src 'sha256-"), std::string::npos) << policy;
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  // What the hashes do not cover would not run: handlers and styles in attributes.
  EXPECT_EQ(kDocsPage.find(" style="), std::string_view::npos);
  EXPECT_EQ(kDocsPage.find(" onclick="), std::string_view::npos);
  EXPECT_EQ(kDocsPage.find("<script"), kDocsPage.rfind("<script"));
}

TEST_F(OpenApi, ThePageNeedsNothingFromElsewhere) {
  EXPECT_EQ(kDocsPage.find("http://"), std::string_view::npos);
  EXPECT_EQ(kDocsPage.find("https://"), std::string_view::npos);
  EXPECT_EQ(kDocsPage.find("src="), std::string_view::npos);
}

}  // namespace
}  // namespace petrel::api
