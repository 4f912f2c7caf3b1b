// A long table of which only what is in view exists as elements. Rows have a fixed height; what
// stands above and below is two empty rows as high as all that is left out.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const MARGIN = 30; // Rows beyond the edges.

export function Windowed<T>({ rows, head, row, rowHeight, phoneRowHeight, columns, className = "t rows", onEnd, label }: {
  rows: T[]; head: ComponentChildren; row: (item: T, index: number) => JSX.Element; rowHeight: number; phoneRowHeight: number;
  columns: number; className?: string; onEnd?: () => void; label: string;
}): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState<[number, number]>([0, 80]);
  const isPhone = matchMedia("(max-width: 760px)").matches;
  const height = isPhone ? phoneRowHeight : rowHeight;

  const measure = (): void => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    const first = Math.max(0, Math.floor(-top / height) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((innerHeight - top) / height) + MARGIN);
    setRange((before) => (before[0] === first && before[1] === last ? before : [first, Math.max(first, last)]));
    if (onEnd && last >= rows.length - MARGIN && rows.length > 0) onEnd();
  };
  useLayoutEffect(measure, [rows.length, height]);
  useEffect(() => {
    let frame = 0;
    const onScroll = (): void => {
      if (frame === 0) frame = requestAnimationFrame(() => { frame = 0; measure(); });
    };
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("resize", onScroll);
    return () => {
      removeEventListener("scroll", onScroll);
      removeEventListener("resize", onScroll);
      cancelAnimationFrame(frame);
    };
  });

  const [from, to] = [Math.min(range[0], rows.length), Math.min(range[1], rows.length)];
  const pad = (size: number, key: string): JSX.Element | null =>
    size > 0 ? <tr key={key} class="pad" aria-hidden="true"><td colSpan={columns} style={{ height: `${size}px` }} /></tr> : null;
  return (
    <table class={className} aria-label={label} aria-rowcount={rows.length + 1}>
      <thead>{head}</thead>
      <tbody ref={body}>
        {pad(from * height, "above")}
        {rows.slice(from, to).map((item, i) => row(item, from + i))}
        {pad((rows.length - to) * height, "below")}
      </tbody>
    </table>
  );
}
