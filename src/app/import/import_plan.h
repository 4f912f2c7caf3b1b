// What an import makes of a record of the source: the body that makes it in the target, and what
// cannot be taken along, in words.
//
// Fields are passed on to the byte, and only those that the target knows. An endpoint that could
// not work as it is (a header or a key that the source does not show is missing) is made all the
// same, but paused: its messages wait, until someone sets what is missing and resumes it.
//
// Nothing here prints or keeps a secret; notes name fields and headers, never values.
//
// Thread: any. Values.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/client/json_view.h"

namespace petrel::app {

// A body, and what it leaves out.
struct ImportBody {
  std::string json;
  std::vector<std::string> notes;
};

ImportBody application_body(const RawObject& record);

// Not archived, whatever the source says: an endpoint may still name it, and the target refuses
// endpoints that name what is archived. It is archived when all endpoints are made.
ImportBody event_type_body(const RawObject& record);

struct EndpointParts {
  RawObject record;
  std::string secret;  // As the source shows it; of an asymmetric one only the public half.
  RawObject headers;   // {"headers": {…}, "sensitive": […]}
  bool has_transformation = false;
};

class ImportPlan {
 public:
  explicit ImportPlan(const EndpointParts& parts);

  std::string body() const;

  // Takes out what the target has refused, by the path of the field ("headers.Via"), if an endpoint
  // can be made without it. False if it cannot.
  bool leave_out(const std::string& place, const std::string& why);

  const std::vector<std::string>& notes() const { return notes_; }

  // Why it is to be paused once it is made. Empty: it is not.
  const std::string& pause_reason() const { return pause_reason_; }

 private:
  using RawFields = std::vector<std::pair<std::string, std::string>>;

  void take_secret(const std::string& secret);
  void take_headers(const RawObject& headers);
  void take_pause(const RawObject& record);
  void miss(const std::string& note, const std::string& what);

  RawFields fields_;
  RawFields headers_;
  std::vector<std::string> notes_;
  std::string pause_reason_;
};

}  // namespace petrel::app
