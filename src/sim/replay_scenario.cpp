#include "sim/replay_scenario.h"

namespace petrel::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// One kind of trouble is there or not, so that there are quiet days too.
Duration maybe(Dice& dice, double share, Duration first, Duration last) {
  return dice.chance(share) ? dice.spread(first, last) : Duration(0);
}

ReplayTrouble draw_trouble(Dice& dice) {
  ReplayTrouble trouble;
  trouble.latency_max = dice.spread(milliseconds(1), milliseconds(50));
  if (dice.chance(0.4)) trouble.is_slow = 0.02;
  if (dice.chance(0.4)) trouble.fails = dice.one_of({0.01, 0.05, 0.2});
  if (dice.chance(0.5)) trouble.commit_unknown = dice.one_of({0.01, 0.05, 0.2});
  if (dice.chance(0.4)) trouble.read_fails = dice.one_of({0.001, 0.01, 0.05});
  return trouble;
}

ReplayIncidents draw_incidents(Dice& dice) {
  ReplayIncidents incidents;
  incidents.crash = maybe(dice, 0.5, minutes(1), minutes(20));
  if (dice.chance(0.5)) incidents.crash_events = dice.one_of({30, 200, 1000});
  incidents.crash_loop = maybe(dice, 0.3, minutes(10), minutes(60));
  incidents.stall = maybe(dice, 0.3, minutes(5), minutes(30));
  incidents.refusal = maybe(dice, 0.3, minutes(5), minutes(30));
  incidents.clock_step = maybe(dice, 0.3, minutes(10), minutes(60));
  incidents.stop = maybe(dice, 0.7, minutes(1), minutes(20));
  incidents.deletion = maybe(dice, 0.2, minutes(30), minutes(90));
  incidents.expunging = maybe(dice, 0.3, seconds(30), minutes(10));
  incidents.resend = maybe(dice, 0.6, seconds(2), minutes(2));
  incidents.message = maybe(dice, 0.6, seconds(5), minutes(2));
  incidents.edit = maybe(dice, 0.7, seconds(20), minutes(10));
  return incidents;
}

ReplayAnswers draw_answers(Dice& dice) {
  ReplayAnswers answers;
  if (dice.chance(0.7)) answers.bad = dice.one_of({0.03, 0.15, 0.5, 0.9});
  if (dice.chance(0.5)) answers.late = dice.one_of({0.05, 0.3});
  if (dice.chance(0.3)) answers.never = dice.one_of({0.02, 0.3});
  return answers;
}

}  // namespace

model::Pacing draw_pacing(Dice& dice) {
  model::Pacing pacing;
  pacing.has_ramp = dice.chance(0.5);
  pacing.rate_per_minute = pacing.has_ramp ? dice.one_of({1, 6, 30, 100})
                                           : dice.one_of({1, 2, 7, 30, 60, 300, 1200, 6000});
  pacing.rate_per_minute_max = pacing.rate_per_minute;
  if (pacing.has_ramp) pacing.rate_per_minute_max *= dice.one_of({1, 2, 10});
  return pacing;
}

ReplayScenario draw_replay_scenario(std::uint64_t seed) {
  Dice dice(seed);
  ReplayScenario scenario;
  scenario.seed = seed;
  scenario.length = dice.between(minutes(30), minutes(120));
  scenario.endpoints = dice.between(1, 6);
  scenario.messages = dice.one_of({5, 30, 100, 250});
  scenario.tasks = dice.between(1, 6);
  if (dice.chance(0.4)) scenario.has_no_payload = dice.one_of({0.02, 0.2});
  scenario.trouble = draw_trouble(dice);
  scenario.incidents = draw_incidents(dice);
  scenario.answers = draw_answers(dice);
  return scenario;
}

}  // namespace petrel::sim
