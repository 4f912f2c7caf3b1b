#include "store/store.h"

namespace petrel::store {

DueClass due_class(model::DeliveryState state) {
  return state == model::DeliveryState::Retrying ? DueClass::Retry : DueClass::Fresh;
}

}  // namespace petrel::store
