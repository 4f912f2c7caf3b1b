#include "sim/dice.h"

#include <cmath>

namespace petrel::sim {

Duration Dice::spread(Duration first, Duration last) {
  const double low = std::log(static_cast<double>(first.count()));
  const double high = std::log(static_cast<double>(last.count()));
  const double drawn = std::exp(low + (high - low) * random_.unit());
  return Duration(static_cast<Duration::rep>(std::llround(drawn)));
}

}  // namespace petrel::sim
