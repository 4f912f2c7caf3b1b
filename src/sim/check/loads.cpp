#include "sim/check/loads.h"

namespace petrel::sim::check {

MonoTime Loads::granted_at(MessageId message, MonoTime now) const {
  const auto load = loads_.find(message);
  if (load == loads_.end() || load->second.first != now) return now;
  return now - load->second.second;
}

}  // namespace petrel::sim::check
