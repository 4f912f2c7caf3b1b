// The 12 px shapes of every state. Each is told apart by its form, not by its colour alone.

import type { JSX } from "preact";

const SHAPES = {
  delivered: <><circle cx="6" cy="6" r="5.6" fill="currentColor" /><path d="M3.3 6.3 5.2 8.2 8.8 4.2" fill="none" stroke="var(--paper)" stroke-width="1.5" /></>,
  pending: <circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" stroke-width="1.3" />,
  sending: <><circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" stroke-width="1.3" /><path d="M3.4 6h4.4M5.8 3.8 8 6 5.800 8.2" fill="none" stroke="currentColor" stroke-width="1.3" /></>,
  retrying: <><circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" stroke-width="1.3" /><path d="M6 6V2.6A3.4 3.4 0 0 1 9.4 6z" fill="currentColor" stroke="currentColor" stroke-width=".6" /></>,
  held: <><rect x="1" y="1" width="10" height="10" rx="1.2" fill="none" stroke="currentColor" stroke-width="1.4" /><path d="M6 3.4v5.2" stroke="currentColor" stroke-width="2" /></>,
  dead: <><path d="M6-.4 12.4 6 6 12.4-.4 6z" fill="currentColor" /><path d="M4.2 4.2 7.8 7.8M7.8 4.2 4.2 7.8" stroke="var(--paper)" stroke-width="1.3" /></>,
  discarded: <path d="M6 .8 11.2 6 6 11.2.8 6z" fill="none" stroke="currentColor" stroke-width="1.3" />,
  paused: <path d="M2.2 1h2.9v10H2.2zM6.9 1h2.9v10H6.9z" fill="currentColor" />,
  open: <path d="M7.6 1.4A4.9 4.9 0 0 1 10.9 5M10.6 7.7A4.9 4.9 0 0 1 4.4 10.6M1.6 8.2A4.9 4.9 0 0 1 4.6 1.3" fill="none" stroke="currentColor" stroke-width="2.1" />,
  halfopen: <><circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" stroke-width="1.4" /><circle cx="6" cy="6" r="2" fill="currentColor" /></>,
  ramp: <path d="M.5 11.5v-3h3.6V5h3.6V1.2h3.8v10.3z" fill="currentColor" />,
  fail: <path d="M2.4 2.4 9.6 9.6M9.6 2.4 2.4 9.6" stroke="currentColor" stroke-width="1.9" fill="none" />,
  closed: <circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" stroke-width="2.1" />,
} as const;

export type GlyphName = keyof typeof SHAPES;
export type Tone = "good" | "busy" | "hold" | "bad" | "acc" | "faint";

export function Glyph({ name, tone }: { name: GlyphName; tone: Tone }): JSX.Element {
  return <svg class={`g ${tone}`} viewBox="0 0 12 12" aria-hidden="true">{SHAPES[name]}</svg>;
}

/** For use inside a drawing, centred at x, y. */
export function Mark({ name, tone, x, y, size = 12 }: { name: GlyphName; tone: string; x: number; y: number; size?: number }): JSX.Element {
  const k = size / 12;
  return <g class={tone} transform={`translate(${x - size / 2} ${y - size / 2}) scale(${k})`}>{SHAPES[name]}</g>;
}

export const Petrel = (): JSX.Element => (
  <svg viewBox="0 0 26 20" aria-hidden="true">
    <path d="M1 6.6C5.4 2.2 9 3.6 12.2 8.6 14.6 3 19 .6 25 2.6 20.4 3.4 16.8 6.4 14.9 11.6 14.2 13.4 11.4 13.6 10.3 11.6 8.2 7.8 5.2 6 1 6.6z" fill="currentColor" />
    <path d="M0 17.6h9.4M12 17.6h5M19.6 17.6h2.8M25 17.6h1" stroke="currentColor" stroke-width="1.6" />
  </svg>
);

const TABS = {
  over: <><path d="M1 10C4 3 6 3 9 7s5 2 12-3" fill="none" stroke="currentColor" stroke-width="1.6" /><path d="M1 10.8h20M13 13.5v-2.7M15.5 12.5v-1.7" stroke="currentColor" stroke-width="1.4" /></>,
  del: <><path d="M1 8h20" stroke="currentColor" stroke-width="1.2" /><path d="M1.5 5.5l4 5M5.5 5.5l-4 5" stroke="currentColor" stroke-width="1.5" /><path d="M8 8q2-5 4 0-2 5-4 0zM13 8q3.500-9 7.500 0-4 9-7.500 0z" fill="none" stroke="currentColor" stroke-width="1.4" /></>,
  dead: <><path d="M11 1 18 8l-7 7-7-7z" fill="none" stroke="currentColor" stroke-width="1.5" /><path d="M8.800 5.800 13.200 10.200M13.200 5.800 8.800 10.200" stroke="currentColor" stroke-width="1.5" /></>,
  apps: <path d="M1 3h4M7.500 3H21M1 8h4M7.500 8H17M1 13h4M7.500 13h11" stroke="currentColor" stroke-width="1.6" />,
  more: <path d="M4 8h.01M11 8h.01M18 8h.01" stroke="currentColor" stroke-width="3" stroke-linecap="round" />,
} as const;
export const Tab = ({ name }: { name: keyof typeof TABS }): JSX.Element => (
  <svg viewBox="0 0 22 16" aria-hidden="true">{TABS[name]}</svg>
);
