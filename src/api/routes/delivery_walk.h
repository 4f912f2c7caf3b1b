// DeliveryWalk goes over the deliveries of an application, in an order that can be taken up again
// anywhere.
//
//   all of them       by message, then by endpoint
//   of one endpoint   by message
//   the dead ones     by endpoint, then by the time of death, then by message
//
// The dead have an index of their own: finding a few among millions does not look at the millions.
//
// Thread: any that may wait for the disk.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes/message_lookup.h"
#include "base/id.h"
#include "base/result.h"
#include "model/delivery.h"
#include "model/message.h"
#include "store/browse.h"

namespace petrel::api {

// Where a delivery stands in the walk. As text: "msg_….ep_…", with the microsecond of its death
// behind it in the walk over the dead.
struct DeliveryCursor {
  model::DeliveryKey key;
  std::optional<WallTime> died_at = {};

  std::string text() const;
  static std::optional<DeliveryCursor> parse(std::string_view text);
};

struct WalkedDelivery {
  model::Delivery delivery;
  std::optional<model::Message> message;  // Empty if it is gone.
};

struct WalkedBatch {
  std::vector<WalkedDelivery> rows;
  DeliveryCursor looked_to;  // Where to go on; of use only if there is more.
  bool has_more = false;
};

class DeliveryWalk {
 public:
  static constexpr std::size_t kBatch = 100;

  struct Range {
    ApplicationId application;
    std::optional<EndpointId> endpoint = {};  // Only this one's.
    bool is_dead_only = false;
    MessageFilter messages =
        {};  // Its limits in time end the walk early; the rest is not looked at.
    store::Order order = store::Order::Descending;
  };

  DeliveryWalk(store::Browse& browse, Range range) : browse_(browse), range_(std::move(range)) {}

  // The next few behind `after`; from the beginning if it is empty.
  //
  // REQUIRES: `after` is a cursor of a walk of the same kind.
  Result<WalkedBatch> next(const std::optional<DeliveryCursor>& after);

  DeliveryCursor cursor_of(const model::Delivery& delivery) const;

 private:
  Result<WalkedBatch> next_dead(const std::optional<DeliveryCursor>& after);
  Result<WalkedBatch> next_of_endpoint(const std::optional<DeliveryCursor>& after);
  Result<WalkedBatch> next_of_application(const std::optional<DeliveryCursor>& after);
  Status add_message(const model::Message& message, const std::optional<EndpointId>& after,
                     WalkedBatch& batch);
  Status add(const model::Delivery& delivery, WalkedBatch& batch);
  store::Page page_behind(const std::optional<DeliveryCursor>& after) const;

  store::Browse& browse_;
  const Range range_;
};

}  // namespace petrel::api
