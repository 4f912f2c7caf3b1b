"""Defects that Petrel once had, put back one at a time: what the simulation has to find.

Each is the mend of a real defect, undone by replacing text in the sources. If a text is not there
any more, the code has changed: say anew here how the defect would look in it.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Edit:
    path: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True)
class Undone:
    name: str
    what: str
    edits: tuple[Edit, ...]

    def apply(self, tree):
        """Edits the copy of the sources below `tree`. Returns what they were, by path."""
        originals = {}
        for edit in self.edits:
            path = tree / edit.path
            text = path.read_text(encoding="utf-8")
            if text.count(edit.before) != 1:
                raise ValueError(f"{self.name}: not once in {edit.path}: {edit.before!r}")
            originals.setdefault(edit.path, text)
            path.write_text(text.replace(edit.before, edit.after), encoding="utf-8")
        return originals


def _one(name, what, path, before, after):
    return Undone(name, what, (Edit(path, before, after),))


UNDONE = (
    _one(
        "resend-during-probe",
        "A delivery that was resent during a probe stays live although the probe delivered it.",
        "src/store/settlement_effect.cpp",
        "  if (!settlement.attempt || !stored.is_live()) return None;\n",
        "  return None;\n",
    ),
    _one(
        "catalogue-after-unknown-commit",
        "After a commit of unknown outcome the catalogue is not read again.",
        "src/node/changes.cpp",
        "  parts_.effects.unsure(change, [this, turn] { end(turn); });\n",
        "  end(turn);\n",
    ),
    Undone(
        "authority-by-shard",
        "Lanes are placed by their endpoint, so an authority's limit holds on each shard.",
        (
            Edit(
                "src/node/lane_router.cpp",
                "  return *part % shards_.size();\n",
                "  return std::hash<EndpointId>()(endpoint) % shards_.size();\n",
            ),
            Edit(
                "src/node/lane_router.cpp",
                "  if (old_shard == new_shard) return;\n",
                "  if (old_shard != new_shard || old_shard == new_shard) return;\n",
            ),
        ),
    ),
    _one(
        "authority-never-shrinks",
        "The limit of an authority stays when the endpoint that raised it is gone.",
        "src/node/authority_limits.cpp",
        "  if (maximum != place.maxima.end() && --maximum->second == 0)",
        "  if (maximum != place.maxima.end() && --maximum->second < 0)",
    ),
    _one(
        "repeat-nudges",
        "A repeated post has every lane that it matched read its backlog again.",
        "src/intake/intake.cpp",
        "      acceptance.message.id = accepted.message;\n",
        "      acceptance.message.id = accepted.message;\n"
        "      for (const model::Delivery& each : acceptance.deliveries) {\n"
        "        parts_.events.unsure({each.key.endpoint});\n"
        "      }\n",
    ),
    Undone(
        "lanes-stay",
        "The lanes of deleted and of idle endpoints stay until the process ends.",
        (
            Edit(
                "src/engine/core_lanes.cpp",
                "  if (state.config.is_deleted) return now.mono;\n",
                "  if (state.config.is_deleted) return std::nullopt;\n",
            ),
            Edit(
                "src/engine/core_lanes.cpp",
                "  return state.history.over_at().value_or(now.mono);\n",
                "  return std::nullopt;\n",
            ),
        ),
    ),
    _one(
        "stale-lane-snapshot",
        "A settlement repeated after an outage of the store writes its lane as it was then.",
        "src/engine/core_settling.cpp",
        "    if (unsettled.keeps_lane) {\n",
        "    if (unsettled.keeps_lane && !unsettled.settlement.lane) {\n",
    ),
    _one(
        "exhausted-despite-success",
        "Ten exhausted deliveries open a circuit right after successes.",
        "src/lane/failure_tally.cpp",
        "      !was_success_within(settings_.exhausted_window, now)) {\n",
        "      settings_.exhausted_to_open > 0) {\n",
    ),
    Undone(
        "ramp-without-end",
        "A ramp does not end on an idle lane.",
        (
            Edit(
                "src/engine/core.cpp",
                "  if (state.guard.ramp_step_ends_at()) {\n    state.guard.pass(",
                "  if (false) {\n    state.guard.pass(",
            ),
            Edit(
                "src/engine/core.cpp",
                "  if (const auto step_ends_at = state.guard.ramp_step_ends_at()) {\n",
                "  if (const auto step_ends_at = std::optional<MonoTime>()) {\n",
            ),
        ),
    ),
    _one(
        "expunged-from-memory",
        "An expunged payload is still sent from memory.",
        "src/engine/core_lanes.cpp",
        "  for (DueQueue& queue : found->second->queues) queue.forget_payloads();\n",
        "",
    ),
    Undone(
        "copy-of-each-attempt",
        "Each attempt loads a copy of its own of the payload, beyond the memory budget.",
        (
            Edit(
                "src/engine/payload_shelf.cpp",
                "    model::Payload bytes = place.bytes.lock();\n",
                "    model::Payload bytes = nullptr;\n",
            ),
            Edit(
                "src/engine/payload_shelf.cpp",
                "  if (!hold) return {.no_room_for = size};\n",
                "",
            ),
            Edit(
                "src/engine/payload_shelf.cpp",
                "    if (model::Payload there = place.bytes.lock()) {\n",
                "    if (model::Payload there = nullptr) {\n",
            ),
        ),
    ),
    _one(
        "memory-not-asked",
        "A payload is loaded whether memory has room for it or not.",
        "src/engine/payload_shelf.cpp",
        "  if (!hold) return {.no_room_for = size};\n",
        "",
    ),
    _one(
        "url-of-the-end",
        "An attempt records the URL that its endpoint has when it ends.",
        "src/engine/core_settling.cpp",
        "                               .url = out.record->url,\n",
        "                               .url = state.config.record->url,\n",
    ),
    _one(
        "raised-rate-waits",
        "A raised application rate is ignored by the lanes that wait for it already.",
        "src/lane/shared_rate.cpp",
        "  ++edition_;\n",
        "",
    ),
    _one(
        "stale-configuration-resumes",
        "A change from before the server's own pause lets the lane send again.",
        "src/engine/core.cpp",
        "  if (state->is_pause_wanted) config.settings.may_send = false;\n",
        "",
    ),
    Undone(
        "slots-first-come",
        "No slots are kept for lanes that have nothing in flight.",
        (
            Edit(
                "src/engine/slot_budget.h",
                "share_of(SlotKind kind) { return kind == SlotKind::First ? first_ : further_; }\n",
                "share_of(SlotKind) { return further_; }\n",
            ),
            Edit(
                "src/engine/slot_budget.cpp",
                "further_(slots - first_of(slots, first_percent), shards) {}\n",
                "further_(slots, shards) {}\n",
            ),
        ),
    ),
    _one(
        "slots-without-threshold",
        "One lane may have all slots that are not for first attempts.",
        "src/engine/slot_budget.cpp",
        "constexpr int kParts = 4;\n",
        "constexpr int kParts = 0;\n",
    ),
    Undone(
        "slots-by-shard",
        "Slots are divided by shards.",
        (
            Edit(
                "src/node/node.cpp",
                " core.first_percent);\n",
                " core.first_percent);\n"
                "  core.slots = (core.slots - 1) / int(shards) + 1;\n",
            ),
            Edit(
                "src/node/node.cpp",
                "  settings.shard = shard;\n",
                "  settings.shard = shard - shard;\n  settings.budget = nullptr;\n",
            ),
        ),
    ),
    _one(
        "given-slot-not-told",
        "A shard is not told that it was given the slot it has waited for.",
        "src/node/shard.cpp",
        "            parts_.router.send_to_shard(slot.shard, SlotGiven{slot.kind});\n",
        "            static_cast<void>(slot);\n",
    ),
    _one(
        "authority-first-come",
        "At an authority no places are kept for endpoints that have nothing in flight there.",
        "src/engine/core_limits.cpp",
        "  return authority.out - authority.firsts < cap - kept - 1;\n",
        "  return kept >= 0;\n",
    ),
)
