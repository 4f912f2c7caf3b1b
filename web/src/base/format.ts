// Figures as the dashboard writes them: two units at most, the second padded; thousands by comma;
// ids shortened in the middle.

import { isUtc } from "./clock";

const UNITS: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** "22 min 56 s", "5 h 20 min", "0.4 s", "165 ms". */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 1000) return `${Math.round(length)} ms`;
  if (length < 10_000 && length % 1000 !== 0) return `${(length / 1000).toFixed(1)} s`;
  return wholeDuration(Math.round(length / 1000) * 1000);
}

/** As duration(), in whole seconds. */
export function wholeDuration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000)) * 1000;
  for (let i = 0; i < UNITS.length; i++) {
    const [name, size] = UNITS[i]!;
    if (left < size && name !== "s") continue;
    const count = Math.floor(left / size);
    left -= count * size;
    const next = UNITS[i + 1];
    if (!next) return `${count} ${name}`;
    const rest = Math.floor(left / next[1]);
    if (rest === 0) return `${count} ${name}`;
    return `${count} ${name} ${String(rest).padStart(2, "0")} ${next[0]}`;
  }
  return "0 s";
}

/** Time that is left, rounded up: it must not say 0 while there is some. */
export const countdown = (ms: number): string => wholeDuration(Math.ceil(Math.max(0, ms) / 1000) * 1000);

/** Only the larger unit: "22 min". */
export function roughly(ms: number): string {
  return wholeDuration(ms).split(" ").slice(0, 2).join(" ");
}

/** A duration as policies write it ("1h30m"), in ms; NaN if it is none. */
export function parseDuration(text: string): number {
  const sizes: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text) return NaN;
  return parts.reduce((sum, part) => sum + Number(part[1]) * sizes[part[2]!]!, 0);
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const count = (n: number): string => whole.format(n);

/** "98.2 %" */
export function percent(share: number): string {
  const value = share * 100;
  return `${value === 100 || value === 0 ? value : value.toFixed(1)} %`;
}

/** "8 /s", "1.4 /s" */
export const rate = (perSecond: number): string =>
  `${perSecond >= 10 ? count(perSecond) : Number(perSecond.toFixed(1))} /s`;

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
  return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/** "msg_3MC0…3nar" */
export function shortId(id: string): string {
  const bar = id.indexOf("_");
  return id.length <= 16 || bar < 0 ? id : `${id.slice(0, bar + 5)}…${id.slice(-4)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function parts(ms: number): Record<string, string> {
  const zone = isUtc.value ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone, day: "numeric", month: "short", year: "numeric", hour: "2-digit",
      minute: "2-digit", second: "2-digit", hourCycle: "h23",
    });
    formats.set(zone, format);
  }
  return Object.fromEntries(format.formatToParts(ms).map((part) => [part.type, part.value]));
}

export const date = (ms: number): string => {
  const p = parts(ms);
  return `${p.day} ${p.month} ${p.year}`;
};
export const clock = (ms: number): string => {
  const p = parts(ms);
  return `${p.hour}:${p.minute}:${p.second}`;
};
export const hourMinute = (ms: number): string => clock(ms).slice(0, 5);
export const clockMs = (ms: number): string =>
  `${clock(ms)}.${String(Math.floor(ms) % 1000).padStart(3, "0")}`;

/** "14:09:12" on the same day as `reference`, else "20 Nov 14:09". */
export function moment(ms: number, reference: number): string {
  const p = parts(ms);
  if (date(ms) === date(reference)) return clock(ms);
  return `${p.day} ${p.month}${p.year === parts(reference).year ? "" : ` ${p.year}`} ${p.hour}:${p.minute}`;
}
/** As moment(), without seconds. */
export const brief = (ms: number, reference: number): string =>
  date(ms) === date(reference) ? hourMinute(ms) : moment(ms, reference);

/** With everything: for tooltips. */
export const exact = (ms: number): string =>
  `${date(ms)} ${clockMs(ms)} ${isUtc.value ? "UTC" : "local time"}`;

export const zoneName = (): string => (isUtc.value ? "UTC" : "local time");

/** RFC 3339 to ms; NaN for null. */
export const at = (text: string | null | undefined): number => (text ? Date.parse(text) : NaN);

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
export const inWords = (n: number): string => NUMBERS[n] ?? count(n);
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;
export const times = (n: number): string =>
  n === 1 ? "once" : n === 2 ? "twice" : `${inWords(n)} times`;

const STATUS_WORDS: Record<number, string> = {
  200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
  400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
  408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Content Too Large", 415: "Unsupported Media Type",
  422: "Unprocessable Content", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
  502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
};
/** "503 Service Unavailable" */
export const statusWords = (status: number): string =>
  STATUS_WORDS[status] ? `${status} ${STATUS_WORDS[status]}` : String(status);
