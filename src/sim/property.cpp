#include "sim/property.h"

#include <array>

namespace petrel::sim {
namespace {

constexpr std::array<std::string_view, 13> kNames = {
    "P1 no loss",       "P2 delivered is true", "P3 bounded duplicates", "P4 in flight",
    "P5 circuit holds", "P6 Retry-After",       "P7 gives up",           "P8 delay",
    "P9 herd bound",    "P10 isolation",        "P14 idempotency",       "P15 comes to rest",
    "P16 audit grows",
};

}  // namespace

std::string to_string(const Promise& promise) {
  return std::visit([](auto each) { return std::string(to_string(each)); }, promise);
}

std::string_view to_string(Property property) { return kNames[static_cast<std::size_t>(property)]; }

}  // namespace petrel::sim
