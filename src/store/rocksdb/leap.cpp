#include "store/rocksdb/leap.h"

#include <algorithm>
#include <array>

namespace petrel::store {
namespace {

// A place as a number, highest byte first like the keys.
class Place {
 public:
  explicit Place(std::string_view key) {
    bytes_.fill(0);
    for (std::size_t i = 0; i < std::min(key.size(), kPlaceBytes); ++i) {
      bytes_[i] = static_cast<unsigned char>(key[i]);
    }
  }

  // The last one in this order.
  static Place last(Order order) {
    Place place{std::string_view()};
    place.bytes_.fill(order == Order::Ascending ? 0xFF : 0);
    return place;
  }

  // Further on by two to the power of `bit`; the last one if there is no such place, as for every
  // bit that a place does not have.
  //
  // REQUIRES: bit <= 8 * kPlaceBytes.
  Place at_distance(std::size_t bit, Order order) const {
    Place place = *this;
    unsigned step = 1U << (bit % 8);
    for (std::size_t at = kPlaceBytes - bit / 8; at > 0; --at) {
      const unsigned was = place.bytes_[at - 1];
      const unsigned is = order == Order::Ascending ? was + step : was - step;
      place.bytes_[at - 1] = static_cast<unsigned char>(is & 0xFFU);
      if (is <= 0xFFU) return place;
      step = 1;
    }
    return last(order);
  }

  static Place between(const Place& one, const Place& other) {
    Place sum = one;
    unsigned carry = 0;
    for (std::size_t at = kPlaceBytes; at > 0; --at) {
      carry += unsigned{one.bytes_[at - 1]} + other.bytes_[at - 1];
      sum.bytes_[at - 1] = static_cast<unsigned char>(carry & 0xFFU);
      carry >>= 8U;
    }
    for (unsigned char& byte : sum.bytes_) {
      const unsigned whole = carry << 8U | byte;
      byte = static_cast<unsigned char>(whole >> 1U);
      carry = whole & 1U;
    }
    return sum;
  }

  std::string text() const { return {bytes_.begin(), bytes_.end()}; }

  friend bool operator==(const Place&, const Place&) = default;

 private:
  std::array<unsigned char, kPlaceBytes> bytes_;
};

}  // namespace

std::optional<std::string> find_readable(
    std::string_view from, Order order,
    const std::function<bool(const std::string& place)>& can_read) {
  const Place begin(from);
  Place unread = begin;
  Place found = begin;
  for (std::size_t bit = 0; found == unread; ++bit) {
    if (unread == Place::last(order)) return std::nullopt;
    const Place tried = begin.at_distance(bit, order);
    found = tried;
    if (!can_read(tried.text())) unread = tried;
  }
  // Neither of the two: they are neighbours then.
  for (Place middle = Place::between(unread, found); middle != unread && middle != found;
       middle = Place::between(unread, found)) {
    (can_read(middle.text()) ? found : unread) = middle;
  }
  return found.text();
}

}  // namespace petrel::store
