// A filter is a sentence with blanks. What is filled in lives in the address, so it survives a
// reload, goes back with the browser, and can be sent to somebody.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { serverNow } from "../base/clock";
import { params, setParams } from "../base/router";

export const filled = (name: string): string => params.value.get(name) ?? "";

/** A blank to choose from. */
export function Choice({ name, label, blank, options, clears = [] }: { name: string; label: string; blank: string; options: [string, string][]; clears?: string[] }): JSX.Element {
  const value = filled(name);
  const known = options.some(([each]) => each === value);
  return (
    <label>{label}
      <select class={value ? "" : "blank"} value={value} data-filter={name}
        onChange={(event) => setParams({ ...Object.fromEntries(clears.map((each) => [each, null])), [name]: event.currentTarget.value || null })}>
        <option value="">{blank}</option>
        {!known && value && <option value={value}>{value}</option>}
        {options.map(([each, text]) => <option key={each} value={each}>{text}</option>)}
      </select>
    </label>
  );
}

/** A blank to write into; it counts when it is left, or on Enter. */
export function Word({ name, label, blank, size = 12 }: { name: string; label: string; blank: string; size?: number }): JSX.Element {
  const value = filled(name);
  const [draft, setDraft] = useState<string | null>(null);
  const keep = (text: string): void => {
    setDraft(null);
    if (text.trim() !== value) setParams({ [name]: text.trim() || null });
  };
  return (
    <label>{label}
      <input type="text" class={value || draft ? "" : "blank"} size={size} placeholder={blank} value={draft ?? value} data-filter={name}
        onInput={(event) => setDraft(event.currentTarget.value)} onBlur={(event) => keep(event.currentTarget.value)}
        onKeyDown={(event) => { if (event.key === "Enter") keep(event.currentTarget.value); }} />
    </label>
  );
}

/** A moment in UTC: "2026-11-16 03:10", or a time of today's day. What is none counts for nothing. */
export function When({ name, label }: { name: string; label: string }): JSX.Element {
  const isBad = filled(name) !== "" && whenOf(name) === null;
  return <><Word name={name} label={label} blank="any time" size={16} />{isBad && <span class="said bad" role="alert">write 2026-11-16 03:10, in UTC</span>}</>;
}

export function whenOf(name: string): string | null {
  const text = filled(name);
  const today = new Date(serverNow()).toISOString().slice(0, 10);
  const found = /^(?:(\d{4}-\d\d-\d\d)[ T]?)?(\d\d:\d\d(?::\d\d)?)?$/.exec(text);
  if (!found || text === "") return null;
  const time = found[2] ?? "00:00";
  const moment = `${found[1] ?? today}T${time.length === 5 ? `${time}:00` : time}Z`;
  return Number.isNaN(Date.parse(moment)) ? null : moment;
}

export function Clear({ names, label }: { names: string[]; label: string }): JSX.Element | null {
  if (names.every((each) => !filled(each))) return null;
  return <button type="button" class="btn quiet" onClick={() => setParams(Object.fromEntries(names.map((each) => [each, null])))}>{label}</button>;
}
