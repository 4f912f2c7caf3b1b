// What every screen of the organisation stands on: its applications, their endpoints, and how each
// endpoint does. The API has one health call for each endpoint, so they are asked in turns, a few
// at a time, the more slowly the more there are.

import { computed, signal } from "@preact/signals";
import { all, type Application, type Endpoint, Failure, get, type Health, part } from "./api";
import type { EndpointState, EndpointView } from "./en";
import { at } from "./format";
import { serverNow } from "./clock";
import { session, token } from "./session";

const APPLICATIONS_MAX = 500;
const HEALTH_MAX = 200;
const AT_ONCE = 4;
const CATALOGUE_EVERY_MS = 10_000;

export const applications = signal<Application[]>([]);
export const endpoints = signal<Map<string, { application: Application; endpoint: Endpoint }>>(new Map());
const healths = signal<Map<string, Health>>(new Map());
/** When all of it had been read once; 0 before. */
export const loadedAt = signal(0);
export const fleetFailure = signal<Failure | null>(null);
/** Whether there are more endpoints than are looked at. */
export const isPartial = signal(false);

export function stateOf(endpoint: Endpoint, health: Health | undefined): EndpointState {
  if (!health) return "unknown";
  if (health.circuit.state === "open" && !health.paused && !health.disabled) return "open";
  if (health.circuit.state === "half_open" && !health.paused && !health.disabled) return "halfopen";
  if (health.paused || endpoint.pause) return "paused";
  if (health.disabled) return "disabled";
  if (health.heldUntil && at(health.heldUntil) > serverNow()) return "held";
  if (health.ramp) return "ramp";
  if ((health.deadLetters.total ?? 0) > 0) return "dead";
  const oldest = at(health.oldestAt);
  if (!Number.isNaN(oldest) && serverNow() - oldest > 60_000) return "waiting";
  return "healthy";
}

const WORST: EndpointState[] = ["open", "halfopen", "dead", "paused", "held", "ramp", "disabled", "waiting", "unknown", "healthy"];

const weight = (view: EndpointView): number => {
  const h = view.health;
  return h ? (h.queue.fresh ?? 0) + (h.queue.retrying ?? 0) + (h.deadLetters.total ?? 0) : 0;
};

/** Every endpoint, the worst first. */
export const views = computed<EndpointView[]>(() =>
  [...endpoints.value.values()]
    .map(({ application, endpoint }) => {
      const health = healths.value.get(endpoint.id);
      return { application, endpoint, health, state: stateOf(endpoint, health) };
    })
    .sort((x, y) => WORST.indexOf(x.state) - WORST.indexOf(y.state) || weight(y) - weight(x)),
);

export const applicationOf = (idOrUid: string): Application | undefined =>
  applications.value.find((each) => each.id === idOrUid || each.uid === idOrUid);

let round = 0;

async function readCatalogue(): Promise<void> {
  const who = session.value;
  if (!who) return;
  let apps: Application[];
  if (who.appId) apps = [await get<Application>(`/app/${part(who.appId)}`)];
  else apps = (await all<Application>("/app", {}, APPLICATIONS_MAX)).data;
  const found = new Map<string, { application: Application; endpoint: Endpoint }>();
  for (let i = 0; i < apps.length; i += AT_ONCE) {
    await Promise.all(
      apps.slice(i, i + AT_ONCE).map(async (application) => {
        const list = await all<Endpoint>(`/app/${part(application.id)}/endpoint`, {}, 1000);
        for (const endpoint of list.data) found.set(endpoint.id, { application, endpoint });
      }),
    );
  }
  applications.value = apps;
  endpoints.value = found;
}

async function readHealth(): Promise<void> {
  const wanted = [...endpoints.value.values()].slice(0, HEALTH_MAX);
  isPartial.value = endpoints.value.size > HEALTH_MAX;
  const found = new Map<string, Health>();
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    await Promise.all(
      wanted.slice(i, i + AT_ONCE).map(async ({ application, endpoint }) => {
        try {
          found.set(endpoint.id, await get<Health>(`/app/${part(application.id)}/endpoint/${part(endpoint.id)}/health`));
        } catch (error) {
          // Deleted meanwhile: the next catalogue is without it.
          if (!(error instanceof Failure && error.status === 404)) throw error;
        }
      }),
    );
  }
  healths.value = found;
}

let catalogueAt = 0;
let timer = 0;

async function run(mine: number): Promise<void> {
  clearTimeout(timer);
  let wait = Math.max(2000, endpoints.value.size * 60);
  try {
    if (Date.now() - catalogueAt > CATALOGUE_EVERY_MS) {
      await readCatalogue();
      if (mine !== round) return;
      catalogueAt = Date.now();
    }
    await readHealth();
    if (mine !== round) return;
    fleetFailure.value = null;
    loadedAt.value = serverNow();
  } catch (error) {
    if (mine !== round) return;
    if (!(error instanceof Failure)) throw error;
    fleetFailure.value = error;
    wait = error.retryAfter > 0 ? error.retryAfter * 1000 : 2000;
  }
  if (!document.hidden && token.value) timer = window.setTimeout(() => void run(mine), wait);
}

/** Reads it all again now: after a change, and when somebody signs in. */
export function refreshFleet(): void {
  catalogueAt = 0;
  void run(++round);
}

export function forgetFleet(): void {
  ++round;
  clearTimeout(timer);
  catalogueAt = 0;
  applications.value = [];
  endpoints.value = new Map();
  healths.value = new Map();
  loadedAt.value = 0;
}

document.addEventListener("visibilitychange", () => {
  if (token.value && !document.hidden) void run(++round);
});
