// What a person who mistyped a word most likely meant.
//
//   closest("serv", {"serve", "token"})   "serve"
//   closest("fly", {"serve", "token"})    nothing: a far-fetched guess helps less than none
//
// Thread: any.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace petrel::app {

// The candidate that is the fewest slips of the finger away. Empty if none is near.
std::string closest(std::string_view word, std::span<const std::string> candidates);

// ": did you mean --listen?", to be put behind what was wrong. Empty if nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace petrel::app
