// Text with marks from en.ts, as elements. Only text nodes are made of what people wrote.

import type { ComponentChildren, JSX } from "preact";
import { MARKS } from "../base/en";

export function Say({ text }: { text: string }): JSX.Element {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (rest !== "") {
    const start = rest.search(/[\uE000-\uE002]/);
    if (start < 0) {
      parts.push(rest);
      break;
    }
    if (start > 0) parts.push(rest.slice(0, start));
    const end = rest.indexOf(MARKS.end, start);
    const stop = end < 0 ? rest.length : end;
    const inside = rest.slice(start + 1, stop);
    const mark = rest[start];
    if (mark === MARKS.bold) parts.push(<b>{inside}</b>);
    else if (mark === MARKS.code) parts.push(<code>{inside}</code>);
    else parts.push(<span class="faint">{inside}</span>);
    rest = rest.slice(stop + 1);
  }
  return <>{parts}</>;
}
