// Calls of the server's API. Paths are relative to the page's <base>, so that a server behind a
// path works too. Every response sets the clock, and tells whether the server answers at all.

import { signal } from "@preact/signals";
import { observeDate, serverNow } from "./clock";
import type * as schema from "./schema";
import { signOut, token } from "./session";

export type Application = schema.ApplicationOut;
export type Endpoint = schema.EndpointOut & { pause?: { since: string; reason: string } | null };
export type Health = schema.EndpointHealthOut;
export type Delivery = schema.DeliveryOut;
export type Message = schema.MessageOut;
export type Attempt = schema.MessageAttemptOut;
export type EventType = schema.EventTypeOut & { validate?: boolean };
export type Preset = schema.RetryPolicyPresetOut;
export type Policy = schema.RetryPolicy;

export interface Page<T> {
  data: T[];
  iterator: string | null;
  done: boolean;
}

export interface Task {
  id: string;
  state: "running" | "paused" | "finished" | "cancelled" | "failed";
  kind: string;
  task: string;
  appId: string | null;
  endpointId: string | null;
  createdAt: string;
  updatedAt: string;
  data: {
    total: number | null; done: number; skipped: number; succeeded?: number; failed?: number;
    ratePerMinute?: number; maxRatePerMinute?: number; ramp?: boolean; secondsLeft?: number | null;
    waitsFor?: string | null; why?: string;
  };
}

export interface PreviewRow {
  n: number; minMs: number; meanMs: number; p99Ms: number; maxMs: number; cumulativeMeanMs: number;
}
export interface Preview {
  attempts: PreviewRow[];
  ends: string;
}

export interface FieldError {
  loc: string[];
  msg: string;
}

/** What went wrong with a call; `status` 0 means that no response came. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly fields: FieldError[] = [],
    readonly retryAfter = 0, // Seconds.
  ) {
    super(detail);
  }
}

/** Since when the server has not answered; null while it does. */
export const lostSince = signal<number | null>(null);
/** When the server last answered. */
export const heardAt = signal(serverNow());

const TIMEOUT_MS = 20_000;

export type Query = Record<string, string | number | boolean | null | undefined>;

function urlOf(path: string, query: Query): string {
  const url = new URL(`api/v1${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  }
  return url.href;
}

function failureOf(response: Response, text: string): Failure {
  const wait = Number(response.headers.get("retry-after") ?? 0) || 0;
  try {
    const body = JSON.parse(text) as { detail?: unknown };
    if (Array.isArray(body.detail)) {
      const fields = body.detail as FieldError[];
      const words = fields.map((each) => `${each.loc.slice(1).join(".")} ${each.msg}`.trim());
      return new Failure(response.status, words.join("; "), fields, wait);
    }
    if (typeof body.detail === "string") return new Failure(response.status, body.detail, [], wait);
  } catch {
    // Not JSON: a proxy on the way said something of its own.
  }
  return new Failure(response.status, `the server answered ${response.status}`, [], wait);
}

interface Order {
  method?: string;
  query?: Query;
  body?: unknown;
  token?: string | null;
  key?: string;
  timeoutMs?: number;
}

/** The body of a good response as text. */
export async function text(path: string, order: Order = {}): Promise<string> {
  const headers: Record<string, string> = { accept: "application/json" };
  const bearer = order.token === undefined ? token.value : order.token;
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  if (order.body !== undefined) headers["content-type"] = "application/json";
  if (order.key) headers["idempotency-key"] = order.key;
  let response: Response;
  let body: string;
  try {
    response = await fetch(urlOf(path, order.query ?? {}), {
      method: order.method ?? "GET",
      headers,
      body: order.body === undefined ? null : JSON.stringify(order.body),
      signal: AbortSignal.timeout(order.timeoutMs ?? TIMEOUT_MS),
      cache: "no-store",
      credentials: "omit",
    });
    body = await response.text();
  } catch {
    lostSince.value ??= heardAt.value;
    throw new Failure(0, "the server does not answer");
  }
  heardAt.value = serverNow();
  lostSince.value = null;
  observeDate(response.headers.get("date"), Date.now());
  if (response.ok) return body;
  // A session that is over: what was signed in with is no longer good.
  if (response.status === 401 && order.token === undefined) signOut();
  throw failureOf(response, body);
}

// A server that hangs is as far away as one that is gone: while nothing else is heard of it, it is
// asked whether it is there. Both together stay below five seconds.
const SILENCE_MS = 1500;
const PING_TIMEOUT_MS = 2500;
let isPinging = false;
setInterval(() => {
  if (isPinging || document.hidden || !token.value || serverNow() - heardAt.value < SILENCE_MS) return;
  isPinging = true;
  text("/health/ping", { token: null, timeoutMs: PING_TIMEOUT_MS }).then(
    () => (isPinging = false),
    () => (isPinging = false),
  );
}, 500);

export async function get<T>(path: string, query: Query = {}): Promise<T> {
  return JSON.parse(await text(path, { query })) as T;
}

/** Anything that changes something; repeated by a proxy or a retry it still happens once. */
export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await text(path, { method, body, key: crypto.randomUUID?.() });
  return (answer === "" ? undefined : JSON.parse(answer)) as T;
}

export const part = encodeURIComponent;

/** Pages are read on while they are empty but not the last, at most this many. */
const PAGES_MAX = 20;

/** At least one row, or the end of the list, or PAGES_MAX pages further. */
export async function page<T>(path: string, query: Query): Promise<Page<T>> {
  let iterator = query.iterator;
  for (let i = 1; ; i++) {
    const found = await get<Page<T>>(path, { ...query, iterator });
    if (found.data.length > 0 || found.done || i === PAGES_MAX) return found;
    iterator = found.iterator;
  }
}

/** All rows of a list up to `most`; `done` says whether that was all. */
export async function all<T>(path: string, query: Query, most: number): Promise<Page<T>> {
  const rows: T[] = [];
  let iterator: string | null = null;
  for (;;) {
    const found: Page<T> = await get<Page<T>>(path, { limit: 250, ...query, iterator });
    rows.push(...found.data);
    iterator = found.iterator;
    if (found.done || rows.length >= most) return { data: rows, iterator, done: found.done };
  }
}
