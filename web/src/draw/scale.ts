// Symmetric-log time: log(1 + t / 10 s), from acceptance to give-up, so that the first attempt
// stands at the left end and a day does not push the first minute together.

const KNEE_MS = 10_000;
export const lean = (ms: number): number => Math.log(1 + Math.max(0, ms) / KNEE_MS);

/** Time since the beginning, in ms, to a place between `left` and `right`. */
export const timeScale = (lengthMs: number, left: number, right: number) => {
  const whole = lean(Math.max(lengthMs, 1000));
  return (ms: number): number => left + (Math.min(lean(ms), whole) / whole) * (right - left);
};

const STEPS: [string, number][] = [
  ["5 s", 5000], ["10 s", 10_000], ["30 s", 30_000], ["1 min", 60_000], ["5 min", 300_000], ["10 min", 600_000],
  ["30 min", 1_800_000], ["1 h", 3_600_000], ["3 h", 10_800_000], ["6 h", 21_600_000], ["12 h", 43_200_000],
  ["1 d", 86_400_000], ["2 d", 172_800_000], ["4 d", 345_600_000], ["7 d", 604_800_000], ["14 d", 1_209_600_000], ["30 d", 2_592_000_000],
];

/** Ticks that stand at least `apart` from each other and from both ends. */
export function ticks(lengthMs: number, place: (ms: number) => number, apart: number): [string, number][] {
  const chosen: [string, number][] = [];
  let last = place(0);
  const end = place(lengthMs);
  for (const [name, ms] of STEPS) {
    if (ms >= lengthMs) break;
    const x = place(ms);
    if (x - last < apart || end - x < apart) continue;
    chosen.push([name, ms]);
    last = x;
  }
  return chosen;
}

/** A lens from x0 to x1 around y: where a moment may fall, not how likely. */
export function lens(x0: number, x1: number, y: number, height: number): string {
  const width = Math.max(x1 - x0, 2);
  const a = x0 + width * 0.28;
  const b = x0 + width * 0.78;
  return `M${x0} ${y}C${a} ${y - height} ${b} ${y - height} ${x0 + width} ${y}C${b} ${y + height} ${a} ${y + height} ${x0} ${y}z`;
}
