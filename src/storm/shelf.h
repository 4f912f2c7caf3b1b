// Shelf is the least that an engine needs of a store: the live deliveries of a few endpoints in
// memory, in the order in which they are due. It writes nothing down and answers at once.
//
// Thread: confined.

#pragma once

#include <map>
#include <utility>

#include "model/settlement.h"
#include "store/store.h"

namespace petrel::storm {

class Shelf {
 public:
  // REQUIRES: it is live.
  void put(const model::Delivery& delivery);

  // Takes the delivery from where it stood, and puts it where it belongs now if it is live.
  //
  // REQUIRES: it stood there.
  void settle(const model::Settlement& settlement);

  store::DuePage load(const store::DueQuery& query) const;

 private:
  using Queue = std::map<store::DuePosition, model::Delivery>;

  std::map<std::pair<EndpointId, store::DueClass>, Queue> queues_;
};

}  // namespace petrel::storm
