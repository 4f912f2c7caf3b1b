// The wake of a delivery: past attempts as marks, the next as a ring, later ones as lenses between
// their earliest and latest moment, now as a needle, the end as a bar.

import type { JSX } from "preact";
import type { Attempt, Delivery, Health, PreviewRow } from "../base/api";
import { at, brief, clock, duration, moment } from "../base/format";
import { Mark } from "./glyph";
import { lens, ticks, timeScale } from "./scale";

export interface WakeData {
  delivery: Delivery;
  attempts: Attempt[]; // Oldest first.
  rows: PreviewRow[]; // The policy played through; empty if it is not known.
  health: Health | undefined;
  due: number; // When the next attempt can start, with all that holds it; NaN if that is not known.
  now: number;
}

interface Future {
  n: number;
  from: number;
  mean: number;
  to: number;
}

/** The attempts behind the next one, as offsets from acceptance. */
export function futureOf(data: WakeData, start: number, end: number): Future[] {
  const { delivery: d, rows, due: next } = data;
  if (Number.isNaN(next) || d.status === "held") return [];
  const begin = Math.max(next, data.now) - start;
  const future: Future[] = [];
  let from = begin;
  let mean = begin;
  let to = begin;
  for (const row of rows) {
    if (row.n <= d.attempt + 1 || row.n > d.maxAttempts) continue;
    from += row.minMs;
    mean += row.meanMs;
    to += row.maxMs;
    if (from > end) break;
    future.push({ n: row.n, from, mean: Math.min(mean, end), to: Math.min(to, end) });
  }
  return future;
}

/** From where the drawing begins, and how long it is, in ms. */
export function spanOf(data: WakeData): [number, number] {
  const { delivery: d, attempts, now } = data;
  const start = Number.isNaN(at(d.acceptedAt)) ? (attempts[0] ? at(attempts[0].timestamp) : now) : at(d.acceptedAt);
  const ended = d.status === "delivered" || d.status === "dead" || d.status === "discarded";
  const last = attempts.length > 0 ? at(attempts.at(-1)!.timestamp) : now;
  let end = ended ? Math.max(last, at(d.updatedAt)) : Math.max(now, last);
  const giveUp = at(d.giveUpAt);
  if (!ended && !Number.isNaN(giveUp)) end = Math.max(end, giveUp);
  else if (!ended) end = start + Math.max((now - start) * 2, 60_000, (data.due - start) * 1.5 || 0);
  return [start, Math.max(end - start, 1000)];
}

const isGood = (attempt: Attempt): boolean => attempt.status === 0;

export function describe(data: WakeData): string {
  const { delivery: d, attempts, now } = data;
  const parts = [`${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"} so far`];
  if (!Number.isNaN(data.due)) parts.push(`the next ${moment(data.due, now)}`);
  if (d.giveUpAt) parts.push(`given up ${moment(at(d.giveUpAt), now)}`);
  parts.push(d.status);
  return parts.join("; ");
}

/** Full width. Drawn for `width` units; the height is that of the mock. */
export function Wake({ data, width }: { data: WakeData; width: number }): JSX.Element {
  const { delivery: d, attempts, now, due: next } = data;
  const [start, length] = spanOf(data);
  const ended = d.status === "delivered" || d.status === "dead" || d.status === "discarded";
  const left = 10;
  const right = width - 14;
  const place = timeScale(length, left, right);
  const y = 88;
  const nowX = place(now - start);
  const endX = ended ? place(at(d.updatedAt) - start) : right;
  const nextX = place(Math.max(next, now) - start);
  const isHeld = d.status === "held";
  const future = futureOf(data, start, length);
  const lastX = attempts.length > 0 ? place(at(attempts.at(-1)!.timestamp) - start) : left;
  const isAsked = d.next?.basis === "retryAfter" && !Number.isNaN(next);
  const label = (x: number): string => (x < 60 ? "" : x > width - 80 ? "e" : "m");
  const shown = attempts.filter((each, i) => i === 0 || place(at(each.timestamp) - start) - place(at(attempts[i - 1]!.timestamp) - start) > 3 || i === attempts.length - 1);
  let labelled = -100;
  const axis = ticks(length, place, 76);

  return (
    <svg class="chart" viewBox={`0 0 ${width} 176`} role="img" aria-label={describe(data)}>
      <path class="grid-l" d={`M${left} 142H${right}`} />
      <path class="tick" d={`M${left} 142v4M${right} 142v4`} />
      <text class="lf" x="0" y="158">accepted</text>
      <text class="ax" x="0" y="173">{clock(start)}</text>
      {axis.map(([name, ms]) => (
        <g key={name}>
          <path class="tick" d={`M${place(ms)} 142v4`} />
          <text class="ax m" x={place(ms)} y="158">{name}</text>
          {ms >= 600_000 && <text class="ax m" x={place(ms)} y="173">{brief(start + ms, start)}</text>}
        </g>
      ))}
      <text class="ax e" x={width} y="158">{duration(Math.round(length / 1000) * 1000)}</text>
      <text class="ax e" x={width} y="173">{moment(start + length, start)}</text>

      {isHeld && nowX < right && <path class="t-hold" d={`M${nowX} ${y - 14}H${right}V${y + 14}H${nowX}z`} />}
      <path class="k w1" d={`M${left} ${y}H${ended ? endX : nowX}`} />
      {!ended && (isHeld ? <path class="k-h w15 dot" d={`M${nowX + 2} ${y}H${right}`} /> : <path class="tick" d={`M${nowX} ${y}H${right}`} />)}
      {isAsked && nextX - lastX > 8 && (
        <>
          <path class="t-busy" d={`M${lastX} ${y}Q${(lastX + nextX) / 2} ${y - 60} ${nextX} ${y}z`} />
          <path class="k-y w15" d={`M${lastX} ${y}Q${(lastX + nextX) / 2} ${y - 60} ${nextX} ${y}`} />
          <text class={`lb lh f-busy halo ${nowX > width - 190 ? "e" : ""}`} x={nowX > width - 190 ? nowX - 10 : nowX + 10} y={y - 38}>
            the receiver asked for {duration(d.next!.retryAfterMs ?? 0)}
          </text>
        </>
      )}
      {future.map((each, i) => {
        const height = Math.min(14 + i * 3, 28);
        const x = place(each.mean);
        return (
          <g key={each.n}>
            <path class="lens" d={lens(place(each.from), place(each.to), y, height)} />
            <path class="k-a" d={`M${x} ${y - 4}v8`} />
            {(future.length < 24 || i % 4 === 0) && <text class="ax m" x={x} y={y - height + 2}>{each.n}</text>}
          </g>
        );
      })}
      {shown.map((each) => {
        const x = place(at(each.timestamp) - start);
        const isFar = x - labelled > 34;
        if (isFar) labelled = x;
        const n = attempts.indexOf(each) + 1;
        return (
          <g key={each.id}>
            <Mark name={isGood(each) ? "delivered" : "fail"} tone={isGood(each) ? "good" : "bad"} x={x} y={y} size={isGood(each) ? 14 : 11} />
            {isFar && <text class={`ax ${label(x)}`} x={x} y={y - 14}>{n}</text>}
            {isFar && <text class={`lm lh ${label(x)}`} x={x} y={y + 20}>{each.responseStatusCode || "no answer"}</text>}
          </g>
        );
      })}
      {!ended && !isHeld && !Number.isNaN(next) && (
        <>
          <circle class="k-a f-paper w2" cx={nextX} cy={y} r="5.500" />
          <text class={`lm lh f-acc ${label(nextX)}`} x={nextX} y={y + 36}>{d.attempt + 1} {next > now ? `at ${moment(next, now)}` : "due"}</text>
        </>
      )}
      {d.status === "dead" && <Mark name="dead" tone="bad" x={endX < left + 40 ? endX + 24 : endX} y={y} size={16} />}
      {d.status === "discarded" && <Mark name="discarded" tone="faint" x={endX < left + 40 ? endX + 24 : endX} y={y} size={16} />}
      {!ended && d.giveUpAt && (
        <>
          <path class="k w2" d={`M${right} ${y - 18}v36`} />
          <text class="lf e" x={width} y={y - 24}>given up</text>
        </>
      )}
      {!ended && (
        <>
          <path class="k w15" d={`M${nowX} 30V142`} />
          <path class="f-ink" d={`M${nowX - 5} 24h10l-5 7z`} />
          <text class={`lb lh ${nowX < 120 ? "" : "e"}`} x={nowX < 120 ? nowX + 10 : nowX - 9} y="32">now <tspan class="ax f-ink">{clock(now)}</tspan></text>
        </>
      )}
    </svg>
  );
}

/** 96 px wide, for rows: the beginning, attempts as far as they are known, now, the end. */
export function RowWake({ delivery: d, now, attempts = [] }: { delivery: Delivery; now: number; attempts?: Attempt[] }): JSX.Element {
  const data: WakeData = { delivery: d, attempts, rows: [], health: undefined, due: at(d.nextAttemptAt), now };
  const [start, length] = spanOf(data);
  const place = timeScale(length, 4, 91);
  const ended = d.status === "delivered" || d.status === "dead" || d.status === "discarded";
  const x = ended ? place(length) : place(now - start);
  const next = at(d.nextAttemptAt);
  const last = place(at(d.updatedAt) - start);
  return (
    <svg class="wake" viewBox="0 0 96 24" role="img" aria-label={describe({ ...data, attempts: [] }).replace("0 attempts so far", `${d.attemptsTotal} of ${d.maxAttempts} attempts`)}>
      <path class="tick" d={`M3 12H${x}`} />
      {!ended && (d.status === "held" ? <path class="k-h w15 dot" d={`M${x + 2} 12H92`} /> : <path class="tick" d={`M${x} 12H92`} />)}
      {d.attemptsTotal > 0 && !ended && <Mark name="fail" tone="f-ink" x={Math.min(last, x - 4)} y={12} size={7} />}
      {!ended && d.status === "retrying" && !Number.isNaN(next) && <circle class="lens" cx={place(Math.max(next, now) - start)} cy="12" r="2.6" />}
      {!ended && d.giveUpAt && <path class="tick" d="M92.500 7v10" />}
      {!ended && <path class="k w15" d={`M${x} 2v20`} />}
      {ended && <Mark name={d.status === "delivered" ? "delivered" : d.status === "dead" ? "dead" : "discarded"} tone={d.status === "delivered" ? "good" : d.status === "dead" ? "bad" : "faint"} x={x} y={12} size={11} />}
    </svg>
  );
}
