// The state of a delivery or an endpoint: its shape, its colour and its word.

import type { JSX } from "preact";
import type { Delivery, Health } from "../base/api";
import { endpointStateWord, stateWord, type EndpointState } from "../base/en";
import { Glyph, type GlyphName, type Tone } from "../draw/glyph";

const DELIVERY: Record<Delivery["status"], [GlyphName, Tone]> = {
  delivered: ["delivered", "good"], pending: ["pending", "faint"], sending: ["sending", "acc"], retrying: ["retrying", "busy"],
  held: ["held", "hold"], dead: ["dead", "bad"], discarded: ["discarded", "faint"],
};

export function DeliveryState({ delivery, health }: { delivery: Pick<Delivery, "status" | "attempt" | "maxAttempts" | "reason">; health?: Health | undefined }): JSX.Element {
  const [glyph, tone] = DELIVERY[delivery.status];
  return <span class="st" data-state={delivery.status}><Glyph name={glyph} tone={tone} />{stateWord(delivery, health)}</span>;
}

const ENDPOINT: Record<EndpointState, [GlyphName, Tone]> = {
  open: ["open", "bad"], halfopen: ["halfopen", "busy"], paused: ["paused", "hold"], disabled: ["held", "hold"],
  held: ["retrying", "busy"], ramp: ["ramp", "busy"], dead: ["dead", "bad"], waiting: ["pending", "faint"],
  healthy: ["delivered", "good"], unknown: ["pending", "faint"],
};
export const endpointGlyph = (state: EndpointState): [GlyphName, Tone] => ENDPOINT[state];

export function EndpointStateMark({ state, word }: { state: EndpointState; word?: string }): JSX.Element {
  const [glyph, tone] = ENDPOINT[state];
  return <span class="st" data-state={state}><Glyph name={glyph} tone={tone} />{word ?? endpointStateWord[state]}</span>;
}
