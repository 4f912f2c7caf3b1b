// Time to answer of the last attempts, on a logarithmic scale. The chart is loaded when it is
// looked at; "as table" has the same figures.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Attempt } from "../base/api";
import { isUtc } from "../base/clock";
import { at, clock, duration, hourMinute } from "../base/format";

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);

/** A canvas knows nothing of light-dark(): the colour is asked of an element. */
function inkOf(name: string): string {
  const probe = document.createElement("span");
  probe.className = name;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

export function Answers({ attempts, width }: { attempts: Attempt[]; width: number }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const key = `${attempts[0]?.id} ${attempts.length} ${width} ${document.documentElement.dataset.theme ?? ""} ${isUtc.value}`;
  useEffect(() => {
    let chart: { destroy: () => void } | undefined;
    let isOver = false;
    void import("uplot").then(({ default: Plot }) => {
      const element = box.current;
      if (isOver || !element) return;
      const rows = [...attempts].reverse();
      const x = rows.map((each) => at(each.timestamp) / 1000);
      const took = (isGood: boolean) => rows.map((each) => ((each.status === 0) === isGood ? Math.max(1, each.responseDurationMs) : null));
      const faint = inkOf("faint");
      const isShort = (x.at(-1) ?? 0) - (x[0] ?? 0) < 900;
      const mono = `12px ${colour("--mono")}`;
      const axis = { stroke: faint, font: mono, grid: { stroke: inkOf("faint"), width: 0.15 }, ticks: { show: false } };
      const points = (tone: string, size: number) => ({ show: true, size, stroke: inkOf(tone), fill: inkOf(tone) });
      chart = new Plot(
        {
          width, height: 200, legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
          scales: { x: { time: true }, y: { distr: 3, log: 10, range: (_: unknown, __: number, most: number): [number, number] => [1, 10 ** Math.ceil(Math.log10(Math.max(10, most)))] } },
          axes: [
            { ...axis, values: (_: unknown, all: number[]) => all.map((s) => (isShort ? clock(s * 1000) : hourMinute(s * 1000))), space: 90 },
            { ...axis, size: 64, values: (_: unknown, all: (number | null)[]) => all.map((ms) => (ms && Math.log10(ms) % 1 === 0 ? duration(ms) : "")) },
          ],
          series: [{}, { paths: () => null, points: points("acc", 5) }, { paths: () => null, points: points("bad", 5) }],
        },
        [x, took(true), took(false)],
        element,
      );
    });
    return () => {
      isOver = true;
      chart?.destroy();
    };
  }, [key]);
  const bad = attempts.filter((each) => each.status !== 0).length;
  return <div ref={box} class="chartbox" role="img" aria-label={`${attempts.length} attempts, ${bad} of them failed`} />;
}
