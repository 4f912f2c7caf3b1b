// The attempts of a retry policy as lenses on a logarithmic axis, several policies below each other.

import type { JSX } from "preact";
import type { Preview } from "../base/api";
import { duration } from "../base/format";
import { lens, ticks, timeScale } from "./scale";

export interface Band {
  name: string;
  under: string;
  preview: Preview;
  giveUpMs: number;
  isMain: boolean;
}

const lengthOf = (preview: Preview): number => preview.attempts.reduce((sum, row) => sum + row.maxMs, 0);
const ROWS_MAX = 60;

export function lenses(preview: Preview): { n: number; from: number; mean: number; to: number }[] {
  let from = 0;
  let to = 0;
  return preview.attempts.slice(1, ROWS_MAX).map((row) => {
    from += row.minMs;
    to += row.maxMs;
    return { n: row.n, from, mean: row.cumulativeMeanMs, to };
  });
}

export function Bands({ bands, width, side }: { bands: Band[]; width: number; side: number }): JSX.Element {
  const length = Math.max(60_000, ...bands.map((band) => Math.max(lengthOf(band.preview), band.isMain ? Math.min(band.giveUpMs, lengthOf(band.preview) * 4) : 0)));
  const left = side;
  const right = width - 10;
  const place = timeScale(length, left, right);
  const tops: number[] = [];
  let y = 42;
  for (const band of bands) {
    tops.push(y);
    y += band.isMain ? 58 : 40;
  }
  const bottom = y - 8;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${bottom + 22}`} role="img" aria-label={bands.map((band) => `${band.name}: ${band.preview.attempts.length} attempts over ${duration(lengthOf(band.preview))} at most`).join("; ")}>
      {ticks(length, place, 56).map(([name, ms]) => (
        <g key={name}><path class="grid-l" d={`M${place(ms)} 4V${bottom}`} /><text class="ax m" x={place(ms)} y={bottom + 16}>{name}</text></g>
      ))}
      <text class="ax m" x={left} y={bottom + 16}>first</text>
      {bands.map((band, i) => {
        const at = tops[i]!;
        const all = lenses(band.preview);
        const tall = band.isMain ? 24 : 9;
        return (
          <g key={band.name}>
            {side > 40 && <text class={band.isMain ? "lb lh" : "lf"} x="0" y={at - 2}>{band.name}</text>}
            {side > 40 && <text class="lf" x="0" y={at + 13}>{band.under}</text>}
            <path class={band.isMain ? "tick" : "grid-l"} d={`M${left} ${at}H${right}`} />
            <circle class={band.isMain ? "f-acc" : "f-faint"} cx={left} cy={at} r={band.isMain ? 4 : 2.5} />
            {all.map((each, k) => {
              const height = band.isMain ? Math.min(11 + k * 2, tall) : tall;
              return (
                <g key={each.n}>
                  <path class={band.isMain ? "lens" : "lens ghost2"} d={lens(place(each.from), place(each.to), at, height)} />
                  <path class={band.isMain ? "k-a" : "k-f"} d={`M${place(each.mean)} ${at - 4}v8`} />
                  {band.isMain && (all.length < 20 || k % 5 === 0) && <text class="ax m" x={place(each.mean)} y={at - height + 1}>{each.n}</text>}
                </g>
              );
            })}
            {band.isMain && band.giveUpMs <= length && <path class="k w2" d={`M${place(band.giveUpMs)} ${at - 20}v40`} />}
          </g>
        );
      })}
    </svg>
  );
}
