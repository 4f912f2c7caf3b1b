// Moments and countdowns. The moment itself is the stable text; what counts is hidden from screen
// readers, which would read it out every second.

import type { JSX } from "preact";
import { isUtc, now } from "../base/clock";
import { at, countdown, exact, moment, roughly } from "../base/format";

export function Moment({ value, precise = false }: { value: string | null | undefined; precise?: boolean }): JSX.Element {
  const ms = at(value);
  if (Number.isNaN(ms)) return <span class="faint">–</span>;
  void isUtc.value;
  const text = precise ? moment(ms, now.peek()) : moment(ms, now.peek());
  return <time dateTime={value!} title={exact(ms)}>{text}</time>;
}

/** "3 min ago" */
export function Ago({ value }: { value: string | null | undefined }): JSX.Element {
  const ms = at(value);
  if (Number.isNaN(ms)) return <span class="faint">–</span>;
  const passed = now.value - ms;
  return <time dateTime={value!} title={exact(ms)}>{passed < 1000 ? "now" : `${roughly(passed)} ago`}</time>;
}

/** Time until a moment, large: 1 min 12 s. */
export function Countdown({ until }: { until: number }): JSX.Element {
  const left = Math.max(0, until - now.value);
  const parts = countdown(left).split(" ");
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) pairs.push([parts[i]!, parts[i + 1]!]);
  return (
    <p class="big" data-countdown={Math.ceil(left / 1000)} aria-hidden="true">
      {pairs.map(([figure, unit]) => <>{figure}<small>{unit}</small></>)}
    </p>
  );
}
