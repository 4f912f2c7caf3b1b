// Lists of deliveries: all of an application's, or the dead letters of one application or of all
// that an organisation has.
//
// Thread: confined to the call's loop, but for what says otherwise.

#pragma once

#include <string>

#include "api/http/call.h"
#include "api/json/delivery.h"
#include "api/routes/delivery_walk.h"
#include "base/json_writer.h"
#include "node/lane_directory.h"

namespace petrel::api {

// Explains deliveries by what is known of their endpoints.
//
// Thread: any.
class Explainer {
 public:
  explicit Explainer(Call& call);

  // As it is shown: "held" and the like.
  std::string state_of(const model::Delivery& delivery) const;
  void write(const WalkedDelivery& row, JsonWriter& json) const;

 private:
  // Without what only the JSON form needs.
  DeliveryView view_of(const model::Delivery& delivery, const model::Endpoint* endpoint) const;

  const store::Catalogue& catalogue_;
  policy::RetryPolicy policy_;
  node::LaneDirectory& lanes_;
  WallTime now_;
};

enum class Which { All, DeadOnly };

// Answers with a page of the deliveries of the call's application.
Status list_deliveries(const CallPtr& call, Which which);

// Answers with a page of the dead letters of every application that the caller's organisation has.
// They go by application, and within one as its own list does.
Status list_dead_of_organisation(const CallPtr& call);

}  // namespace petrel::api
