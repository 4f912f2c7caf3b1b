// The circuit of an endpoint as frames: what was, what is, what comes. What the API tells today is
// the present state; the probes are the attempts that were begun since the circuit opened.

import type { ComponentChildren, JSX } from "preact";
import type { Attempt, Health } from "../base/api";
import { storyTexts as t } from "../base/en";
import { at, count, moment } from "../base/format";
import { Glyph, type GlyphName, type Tone } from "./glyph";

type When = "past" | "now" | "then";

function Panel({ when, glyph, tone, title, time, children }: { when: When; glyph: GlyphName; tone: Tone; title: string; time: string; children: ComponentChildren }): JSX.Element {
  return (
    <li class={when === "past" ? "" : when}>
      <h3><Glyph name={glyph} tone={when === "then" ? "acc" : tone} />{title}</h3>
      <time>{time || "\u00A0"}</time>
      <p>{children}</p>
    </li>
  );
}

export function Storyboard({ health: h, probes, now }: { health: Health; probes: Attempt[]; now: number }): JSX.Element {
  const state = h.circuit.state;
  const opened = at(h.circuit.since);
  const failed = probes.filter((each) => each.status !== 0);
  const last = probes[0];
  const waiting = (h.queue.fresh ?? 0) + (h.queue.retrying ?? 0);
  const probe = at(h.circuit.nextProbeAt);
  const isDown = state !== "closed";
  const openedText = moment(opened, now);
  return (
    <ol class="story" aria-label="Circuit, frame by frame" data-frames={failed.length}>
      <Panel when={isDown || h.ramp ? "past" : "now"} glyph="closed" tone="good" title={t.closed} time={isDown ? t.till(openedText) : h.ramp ? "" : moment(at(h.circuit.since), now)}>{t.closedBody}</Panel>
      {isDown && <Panel when="past" glyph="open" tone="bad" title={t.opened} time={openedText}>{h.circuit.why ?? ""}</Panel>}
      {isDown && (
        <Panel when={state === "open" ? "now" : "past"} glyph="fail" tone="bad" title={failed.length === 0 ? t.noProbe : t.probesFailed(failed.length)}
          time={last ? moment(at(last.timestamp), now) : ""}>
          {t.probesBody(failed.length, last ? (last.responseStatusCode ? String(last.responseStatusCode) : "none") : "", last?.responseDurationMs ?? 0, waiting)}
        </Panel>
      )}
      {isDown && (
        <Panel when={state === "half_open" ? "now" : "then"} glyph="halfopen" tone="busy" title={t.half}
          time={state === "half_open" ? t.inFlight : Number.isNaN(probe) || probe <= now ? t.due : t.atOrNow(moment(probe, now))}>{t.halfBody}</Panel>
      )}
      {(isDown || h.ramp) && (
        <Panel when={h.ramp && !isDown ? "now" : "then"} glyph="ramp" tone="busy" title={t.ramp} time={h.ramp && !isDown ? `${count(h.ramp.ratePerSecond ?? 0)} /s, ${h.ramp.inFlightLimit ?? 1} in flight` : t.fromFirst}>{t.rampBody}</Panel>
      )}
      {(isDown || h.ramp) && <Panel when="then" glyph="closed" tone="good" title={t.normal} time="">{t.normalBody(h.maxInFlight)}</Panel>}
    </ol>
  );
}
