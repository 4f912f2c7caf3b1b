// A replay's rate: as it is planned (doubling each minute up to its ceiling), or as it was seen.

import type { JSX } from "preact";
import { count } from "../base/format";

export interface Step {
  minute: number; // Where it begins.
  length: number; // In minutes.
  rate: number; // Per minute.
}

export function planned(total: number, first: number, most: number): Step[] {
  const steps: Step[] = [];
  let left = total;
  let rate = Math.min(first, most);
  for (let minute = 0; left > 0 && minute < 10_000; minute++) {
    const length = Math.min(1, left / rate);
    const last = steps.at(-1);
    if (last && last.rate === rate) last.length += length;
    else steps.push({ minute, length, rate });
    left -= rate * length;
    rate = Math.min(rate * 2, most);
  }
  return steps;
}

export function PacePlan({ steps, width }: { steps: Step[]; width: number }): JSX.Element {
  const last = steps.at(-1);
  const minutes = Math.max(1, last ? last.minute + last.length : 1);
  const most = Math.max(1, ...steps.map((step) => step.rate));
  const left = 44;
  const x = (minute: number): number => left + (minute / minutes) * (width - left - 8);
  const y = (rate: number): number => 140 - (rate / most) * 112;
  let line = `M${x(0)} ${y(0)}`;
  for (const step of steps) line += `V${y(step.rate)}H${x(step.minute + step.length)}`;
  line += `V${y(0)}`;
  const marks = minutes < 2 ? [0, 1] : [0, 0.25, 0.5, 0.75, 1];
  return (
    <svg class="chart" viewBox={`0 0 ${width} 164`} role="img" aria-label={`Begins with ${count(steps[0]?.rate ?? 0)} per minute, reaches ${count(most)}, takes ${minutes.toFixed(1)} min`}>
      <text class="lf" x={left - 30} y="12">deliveries per minute</text>
      {[0.5, 1].map((share) => <g key={share}><path class="grid-l" d={`M${left} ${y(most * share)}H${width - 8}`} /><text class="ax e" x={left - 6} y={y(most * share) + 4}>{count(most * share)}</text></g>)}
      <path class="water" d={line + "z"} /><path class="k-a w15" d={line} /><path class="zero" d={`M${left} 140H${width - 8}`} />
      {marks.map((share) => <text key={share} class={`ax ${share === 1 ? "e" : "m"}`} x={x(minutes * share)} y="156">{share === 1 ? `${minutes < 2 ? minutes.toFixed(1) : Math.round(minutes)} min` : minutes * share < 10 && minutes * share % 1 ? (minutes * share).toFixed(1) : Math.round(minutes * share)}</text>)}
    </svg>
  );
}

export type Sample = [at: number, done: number, rate: number];

/** What was put back over time, as this tab has seen it. Between samples nothing is guessed. */
export function PaceSeen({ samples, width }: { samples: Sample[]; width: number }): JSX.Element {
  const first = samples[0]?.[0] ?? 0;
  const last = samples.at(-1)?.[0] ?? first + 1;
  const most = Math.max(1, ...samples.map((each) => each[2]));
  const left = 56;
  const x = (ms: number): number => left + ((ms - first) / Math.max(1000, last - first)) * (width - left - 90);
  const y = (rate: number): number => 130 - (rate / most) * 104;
  let line = "";
  samples.forEach(([ms, , rate], i) => { line += i === 0 ? `M${x(ms)} ${y(rate)}` : `H${x(ms)}V${y(rate)}`; });
  const now = samples.at(-1);
  return (
    <svg class="chart" viewBox={`0 0 ${width} 150`} role="img" data-samples={samples.length} aria-label={`Rate over ${Math.round((last - first) / 1000)} s, now ${count(now?.[2] ?? 0)} per minute`}>
      {[0.5, 1].map((share) => <g key={share}><path class="grid-l" d={`M${left} ${y(most * share)}H${width - 90}`} /><text class="ax e" x={left - 6} y={y(most * share) + 4}>{count(most * share)}</text></g>)}
      <text class="ax e" x={left - 6} y={134}>0</text>
      <path class="zero" d={`M${left} 130H${width - 90}`} />
      {samples.length > 1 && <path class="water" d={`${line}V130H${x(first)}z`} />}
      <path class="k-a w15" d={line} />
      {now && <text class="lm lh" x={x(now[0]) + 8} y={y(now[2]) + 4}>{count(now[2])} <tspan class="lf">/min</tspan></text>}
    </svg>
  );
}
