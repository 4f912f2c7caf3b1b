// Every sentence and word that people read. Values are marked up by b(), c() and f(): bold, code,
// faint; <Say> turns the marks into elements, so nothing that a producer named can become markup.

import type { Application, Delivery, Endpoint, Health, Preview, Task } from "./api";
import {
  at, brief, capital, clock, count, countdown, duration, inWords, moment, plural, rate, roughly, statusWords,
  times, wholeDuration,
} from "./format";

export const MARKS = { bold: "\uE000", code: "\uE001", faint: "\uE002", end: "\uE003" };
const clean = (text: string): string => text.replace(/[\uE000-\uE003]/g, "");
export const b = (text: string): string => MARKS.bold + clean(text) + MARKS.end;
export const c = (text: string): string => MARKS.code + clean(text) + MARKS.end;
export const f = (text: string): string => MARKS.faint + clean(text) + MARKS.end;

/** What people call an endpoint: its uid, else its description, else the host it is at. */
export function endpointName(endpoint: Pick<Endpoint, "id" | "uid" | "description" | "url"> | undefined, id = ""): string {
  if (!endpoint) return id === "" ? "an endpoint" : id.slice(0, 7) + "…" + id.slice(-4);
  if (endpoint.uid) return endpoint.uid;
  if (endpoint.description) return endpoint.description.slice(0, 40);
  return hostOf(endpoint.url);
}
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
const owner = (name: string): string => (/s$/i.test(name) ? `${name}’` : `${name}’s`);

export const words = {
  product: "Petrel",
  find: "Find anything",
  overview: "Overview", applications: "Applications", deliveries: "Deliveries", deadLetters: "Dead letters",
  dead: "Dead", replays: "Replays", eventTypes: "Event types", system: "System", more: "More",
  docs: "API reference", signOut: "Sign out", darkOrLight: "Dark or light",
  delivered: "Delivered", pending: "Pending", retrying: "Retrying", held: "Held", sending: "In flight",
  discarded: "Discarded", cancel: "Cancel", copy: "Copy", copied: "Copied", save: "Save", close: "Close",
  skip: "Skip to the page", whereYouAre: "Where you are", main: "Main", mainSmall: "Main, small",
  organisation: "the organisation", application: "an application", loading: "Loading",
  none: "–", all: "all", any: "any",
};

export const signInTexts = {
  sentence: (host: string) => `This is the Petrel at ${b(host)}. It opens with a token.`,
  label: "token, of the organisation or of one application",
  button: "Sign in",
  kept: "Kept in this tab alone, until it is closed.",
  make: "On the server, one that lasts a working day:",
  command: "petrel token create --expires 8h",
  said: (detail: string) => `The server said: ${detail}.`,
  over: "The session is over: the server no longer takes its token.",
  unreachable: "The server does not answer.",
};

export const lostText = (since: number, seconds: number): string =>
  `Petrel has not answered since ${clock(since)}. ` +
  `What you see is from then; asking again${seconds > 0 ? ` in ${seconds} s` : ""}.`;

export const expiresSoon = (ms: number): string => `Your token expires in ${roughly(ms)}.`;
export const tokenNeverExpires = "Your token has no expiry: revoke it when you are done.";

/** The state of an endpoint: a glyph, a colour, a word. */
export type EndpointState =
  | "open" | "halfopen" | "paused" | "disabled" | "held" | "ramp" | "dead" | "waiting" | "healthy" | "unknown";

export const endpointStateWord: Record<EndpointState, string> = {
  open: "Circuit open", halfopen: "Half-open", paused: "Paused", disabled: "Disabled", held: "Held back",
  ramp: "Coming back", dead: "Dead letters", waiting: "Backlog", healthy: "Healthy", unknown: "Unknown",
};

export interface EndpointView {
  application: Application;
  endpoint: Endpoint;
  health: Health | undefined;
  state: EndpointState;
}

const waitingOf = (health: Health): number => (health.queue.fresh ?? 0) + (health.queue.retrying ?? 0);
const deadOf = (health: Health): number => health.deadLetters.total ?? 0;

export const overviewTexts = {
  needs: "Needs attention, worst first",
  needLook: "Endpoints that need a look",
  allEndpoints: (n: number) => `all ${count(n)}`,
  nothingToDo: "nothing to do",
  sentence(views: EndpointView[], now: number): string {
    const bad = views.filter((each) => each.state !== "healthy" && each.state !== "unknown" && each.state !== "waiting");
    const worst = bad[0];
    const rest = views.length - bad.length;
    if (!worst || !worst.health) {
      return views.length === 1 ? `${b("The one endpoint is healthy.")}` : `${b(`All ${count(views.length)} endpoints are healthy.`)}`;
    }
    const name = `${owner(worst.application.name)} ${endpointName(worst.endpoint)}`;
    const h = worst.health;
    const waiting = waitingOf(h);
    const more = bad.length - 1;
    const tail =
      (more > 0 ? ` ${capital(inWords(more))} more ${more === 1 ? "endpoint needs" : "endpoints need"} a look` : "") +
      (rest > 0 && more > 0 ? `; the other ${count(rest)} ${rest === 1 ? "is" : "are"} healthy.` : more > 0 ? "." : rest > 0 ? ` The other ${count(rest)} ${rest === 1 ? "is" : "are"} healthy.` : "");
    const wait = waiting === 0 ? "; nothing waits for it" : waiting === 1 ? ", and 1 delivery waits for it" : `, and ${count(waiting)} deliveries wait for it`;
    switch (worst.state) {
      case "open":
      case "halfopen":
        return `${b(`${name} has been down for ${roughly(now - at(h.circuit.since))}`)}${wait}.${tail}`;
      case "paused":
      case "disabled":
        return `${b(`${name} is ${worst.state}`)}${wait}.${tail}`;
      case "dead":
        return `${b(`${name} has ${plural(deadOf(h), "dead letter")}`)}.${tail}`;
      case "held":
        return `${b(`${name} asked to be left alone`)} until ${moment(at(h.heldUntil), now)}${wait}.${tail}`;
      default:
        return `${b(`${name} answers again`)}${wait}.${tail}`;
    }
  },
  line(view: EndpointView, now: number): string {
    const h = view.health!;
    const waiting = waitingOf(h);
    const wait = waiting === 0 ? "Nothing waits" : waiting === 1 ? "1 delivery waits" : `${count(waiting)} deliveries wait`;
    switch (view.state) {
      case "open": {
        const probe = at(h.circuit.nextProbeAt);
        const next = Number.isNaN(probe) || probe <= now ? "the next probe is due" : `the next probe is in ${countdown(probe - now)}`;
        return ` is down${h.circuit.why ? `: ${h.circuit.why}` : ""}. No attempts are spent meanwhile; ${next}.`;
      }
      case "halfopen":
        return ` is being probed: ${h.circuit.why ?? "it was down"}. ${wait}.`;
      case "paused":
        return ` is paused${view.endpoint.pause?.reason ? `: ${view.endpoint.pause.reason}` : ""}. ${wait}; ${waiting === 1 ? "its" : "their"} give-up clock stands still.`;
      case "disabled":
        return ` is disabled. ${wait}, and new messages make no deliveries for it.`;
      case "held":
        return ` asked for a pause until ${moment(at(h.heldUntil), now)}. ${wait}${Number.isNaN(at(h.oldestAt)) ? "" : `, the oldest for ${roughly(now - at(h.oldestAt))}`}.`;
      case "ramp":
        return ` answers again. ${wait}; it gets ${rate(h.ramp?.ratePerSecond ?? 0)} now, doubled every step while it goes well.`;
      case "dead":
        return ` has ${plural(deadOf(h), "delivery", "deliveries")} that will not be tried again: ${reasonList(h)}.`;
      default:
        return `: ${wait.charAt(0).toLowerCase() + wait.slice(1)}.`;
    }
  },
  inFlight: "in flight", allowed: (n: number) => `of ${count(n)} allowed`, fresh: "waiting, fresh",
  retrying: "waiting, to be retried", oldest: "oldest waits since", circuits: "circuits open", ofN: (n: number) => `of ${count(n)}`,
  dead: "dead letters",
  lastHour: "last hour", lookedAt: (n: number, total: number) => `Health of the first ${count(n)} of ${count(total)} endpoints.`,
  emptySentence: `${b("Nothing has been sent through this Petrel yet.")} Three lines and it delivers; this page then says what needs you, worst first.`,
  emptyUnder: `The lines carry this server’s address. ${c("$TOKEN")} is what you signed in with.`,
  steps: [
    ["An application", "One of your customers. It owns endpoints and messages."],
    ["An endpoint", "Where its messages go. Its page can send an example."],
    ["A message", "Answered with 202 once it is on disk. Its delivery shows here within seconds."],
  ] as [string, string][],
};

const REASONS: Record<string, string> = {
  permanent: "refused for good", exhausted: "out of attempts", expired: "out of time", gone: "receiver gone",
  cancelled: "cancelled", blocked: "address not allowed",
};
export const reasonWords = (reason: string | null): string => (reason ? (REASONS[reason] ?? reason) : "");
const reasonList = (h: Health): string =>
  Object.entries(h.deadLetters.byReason ?? {}).filter(([, n]) => n > 0).sort((x, y) => y[1] - x[1])
    .map(([reason, n]) => `${count(n)} ${reasonWords(reason)}`).join(", ");

/** What a delivery is called: its type, and the producer's own id if there is one. */
export const deliveryTitle = (d: Pick<Delivery, "eventType" | "eventId">): string =>
  `${c(d.eventType ?? "a message")}${d.eventId ? ` ${f(`(${d.eventId})`)}` : ""}`;

export interface DeliveryStory {
  delivery: Delivery;
  name: string; // Of the endpoint.
  health: Health | undefined;
  now: number;
  firstAt: number; // Of the first attempt; NaN if there was none.
  same: number; // How many attempts in a row ended as the last did.
}

function lastWords(d: Delivery, same: number): string {
  if (d.lastStatus !== null) return `it answered ${d.lastStatus}${same > 1 ? ` ${times(same)}` : ""}`;
  if (d.lastError !== null) return same > 1 ? `${inWords(same)} attempts failed (${d.lastError})` : `the attempt failed (${d.lastError})`;
  return "no attempt has ended";
}

function becauseOf(d: Delivery): string {
  if (!d.next) return "";
  switch (d.next.basis) {
    case "retryAfter":
      return `, because the receiver asked for ${duration(d.next.retryAfterMs ?? 0)}`;
    case "release":
      return ", because the receiver has recovered";
    case "resend":
      return ", because a person sent it again";
    case "replay":
      return ", because a replay put it back";
    default:
      return "";
  }
}

/** The sentence at the top of a delivery. */
export function explain({ delivery: d, name, health, now, firstAt, same }: DeliveryStory): string {
  const title = deliveryTitle(d);
  const next = at(d.nextAttemptAt);
  switch (d.status) {
    case "delivered": {
      const took = at(d.updatedAt) - at(d.acceptedAt);
      const late = Number.isNaN(took) ? "" : `, ${duration(took)} after it was accepted`;
      return d.attemptsTotal <= 1
        ? `${title} ${b(`reached ${name}`)} at the first attempt${late}.`
        : `${title} ${b(`reached ${name} at attempt ${d.attemptsTotal}`)}${late}.`;
    }
    case "dead":
      if (d.reason === "permanent") return `${b(`${name} refused`)} ${title}: ${d.lastStatus ?? d.lastError ?? ""}, which is final. Nothing more is tried.`;
      if (d.reason === "exhausted")
        return `${b(`All ${inWords(d.attempt)} attempts`)} of ${title} to ${name} are spent; the last was ${d.lastStatus !== null ? `answered ${d.lastStatus}` : `lost (${d.lastError ?? "no answer"})`} at ${brief(at(d.updatedAt), now)}.`;
      return `${title} ${b(`is dead`)} at ${name}: ${d.why}.`;
    case "discarded":
      return `${title} to ${name} ${b("was discarded")}. It can still be sent again.`;
    case "sending":
      return `${title} is on its way to ${b(name)}: attempt ${d.attempt + 1} of ${d.maxAttempts} is in flight.`;
    case "held": {
      if (health?.paused) return `${title} waits until ${b(`${name} is resumed`)}. Its give-up clock stands still.`;
      if (health?.disabled) return `${title} waits until ${b(`${name} is enabled`)} again. Its give-up clock stands still.`;
      if (health?.circuit.state === "closed") return `${title} ${b("is held")}: ${d.why}. Its give-up clock stands still.`;
      const probe = health ? at(health.circuit.nextProbeAt) : NaN;
      const when = Number.isNaN(probe) || probe <= now ? "A probe is due" : `Next probe in ${b(countdown(probe - now))}`;
      const giveUp = at(d.giveUpAt);
      const end = Number.isNaN(giveUp) ? "it is not given up before its first attempt" : `given up ${onMoment(giveUp, now)}, and that clock runs on`;
      return `${title} waits for ${b(`${name}, which is down`)}. ${when}; ${end}.`;
    }
    case "retrying": {
      const spent = `${title} ${b(`has not reached ${name}`)}: ${lastWords(d, same)}.`;
      const number = `Attempt ${d.attempt + 1} of ${d.maxAttempts}`;
      if (Number.isNaN(next) || next <= now) {
        return `${spent} ${b(`${number} is due`)}; ${health?.waitsFor ? `it waits: ${health.waitsFor}` : "it waits for its turn"}.`;
      }
      return `${spent} ${b(`${number} in ${countdown(next - now)}`)}${becauseOf(d)}.`;
    }
    default:
      if (!Number.isNaN(next) && next > now + 1000) return `${title} goes to ${b(name)} in ${b(countdown(next - now))}: ${d.why}.`;
      if (Number.isNaN(firstAt) && health?.waitsFor) return `${title} waits for its first attempt to ${b(name)}: ${health.waitsFor}.`;
      return `${title} waits for its turn at ${b(name)}: ${d.why}.`;
  }
}

export const onMoment = (ms: number, now: number): string => {
  const text = moment(ms, now);
  return /^\d\d:/.test(text) ? `at ${text}` : `on ${text}`;
};

export const deliveryTexts = {
  sendNow: "Send now", sendAgain: "Send again", copyCurl: "Copy as curl, unsigned", policy: "Its policy", message: "Its message",
  accepted: (ms: number, now: number) => `accepted ${moment(ms, now)}`,
  nextIn: "next attempt in", due: "due", endedAt: "ended at",
  whyThen: "why then: the latest of these decides", at: "at",
  policyWait: "the policy’s wait", retryAfter: "the receiver’s Retry-After", circuit: "the circuit", hold: "the endpoint’s hold",
  givenUp: "given up, unless delivered",
  nominal: (nominal: number, jitter: number) =>
    jitter === 0 ? `${duration(nominal)}, no jitter` : `${duration(nominal)} nominal, ${jitter < 0 ? "less" : "and"} ${duration(Math.abs(jitter))} of jitter`,
  retryAfterAsked: (ms: number, decides: boolean, name: string) => `${duration(ms)}${decides ? ", decides" : ""}; a 429 or 503 holds all of ${name}`,
  closed: "closed", openUntil: "open; the next probe", halfOpen: "half-open; a probe is in flight", heldUntil: "the receiver asked all to wait",
  giveUpRuns: (max: number) => `after attempt ${max}, or at this time at the latest; it runs on while a circuit is open`,
  giveUpStands: "stands still while the endpoint is paused or disabled",
  giveUpNotYet: "counts from the first attempt",
  attempts: "Attempts", made: (n: number, left: number) => `${count(n)} made${left > 0 ? `, ${count(left)} left` : ""}`,
  started: "started", waited: "waited", answer: "answer", took: "took", id: "id", byPerson: "sent by a person",
  sent: (n: number) => `Sent at attempt ${n}`, sentNone: "To be sent", answered: (n: number) => `Answered to attempt ${n}`,
  payload: "payload, the same bytes each time", body: "body", after: (ms: number) => `after ${duration(ms)}`,
  perAttempt: "webhook-timestamp and webhook-signature are made anew for each attempt and are not kept.",
  noAnswerYet: "No attempt has ended yet.", noBody: "The response had no body.",
  noResponse: "no response", expired: "The payload was deleted, or its time is over.",
  fold: (n: string) => `show all ${n}`,
};

export const stateWord = (d: Pick<Delivery, "status" | "attempt" | "maxAttempts" | "reason">, health?: Health): string => {
  switch (d.status) {
    case "retrying":
      return `${words.retrying} · ${d.attempt} of ${d.maxAttempts}`;
    case "held":
      return health?.paused ? "Held · paused" : health?.disabled ? "Held · disabled" : health?.circuit.state === "closed" ? "Held · after crashes" : health ? "Held · circuit" : "Held";
    case "dead":
      return `Dead · ${d.reason ?? ""}`;
    case "sending":
      return words.sending;
    default:
      return capital(d.status);
  }
};

export const endpointTexts = {
  sentence(view: EndpointView, now: number): string {
    const name = endpointName(view.endpoint);
    const h = view.health;
    if (!h) return b(name);
    const waiting = waitingOf(h);
    const wait = waiting === 0 ? "nothing waits" : waiting === 1 ? "1 delivery waits" : `${count(waiting)} deliveries wait`;
    const probe = at(h.circuit.nextProbeAt);
    switch (view.state) {
      case "open":
        return `${b(name)} has been down since ${brief(at(h.circuit.since), now)}. ${b(capital(wait))} and ${waiting === 1 ? "spends" : "spend"} no attempts meanwhile; the next probe ${Number.isNaN(probe) || probe <= now ? "is due" : `goes out in ${b(countdown(probe - now))}`}.`;
      case "halfopen":
        return `${b(name)} is being probed; ${wait}, and nothing else goes out until the probe is answered.`;
      case "paused":
        return `${b(`${name} is paused`)} since ${brief(at(view.endpoint.pause?.since), now)}. ${capital(wait)}; the give-up clock stands still.`;
      case "disabled":
        return `${b(`${name} is disabled`)}. ${capital(wait)}, and new messages make no deliveries for it.`;
      case "held":
        return `${b(name)} asked for a pause until ${b(moment(at(h.heldUntil), now))}; ${wait}.`;
      case "ramp":
        return `${b(`${name} answers again`)}. ${capital(wait)}; it gets ${rate(h.ramp?.ratePerSecond ?? 0)} and ${h.ramp?.inFlightLimit ?? 1} in flight, doubled every step while it goes well.`;
      case "dead":
        return `${b(name)} answers, but ${b(plural(deadOf(h), "delivery", "deliveries"))} will not be tried again: ${reasonList(h)}.`;
      default:
        if (h.attempts1h === 0) return `${b(name)} is ready; nothing was sent to it in the last hour${waiting > 0 ? `, and ${wait}` : ""}.`;
        return `${b(`${name} is healthy`)}: ${count(h.attempts1h)} ${h.attempts1h === 1 ? "attempt" : "attempts"} in the last hour, ${h.successRate1h === 1 ? "all answered well" : `${(100 * (h.successRate1h ?? 0)).toFixed(1)} % answered well`}; ${wait}.`;
    }
  },
  takesAll: "takes every event type", takes: "takes",
  probe: "Probe now", pause: "Pause…", resume: "Resume", closeCircuit: "Close circuit…", example: "Send example…", edit: "Edit…",
  recover: "Recover dead letters…", missing: "Send what it missed…", remove: "Delete…", enable: "Enable", policy: "edit",
  circuit: "Circuit", openFor: (ms: number) => `Open for ${wholeDuration(ms)}`, closedFor: (ms: number) => `Closed for ${roughly(ms)}`,
  halfOpen: "Half-open", ramping: "Coming back", waitsFor: (text: string) => `The next delivery waits: ${text}.`,
  now: "Now", answers: "Answers", answersUnder: "time to answer of the last attempts, logarithmic", asTable: "as table", asChart: "as chart",
  queue: "Waiting", queueUnder: "newest first", allThatWait: "all that wait", attempts: "Last attempts",
  fresh: "fresh", toRetry: "to be retried", oldest: "oldest accepted", dead: "dead letters", inFlight: "in flight",
  success: "answered well, 1 h", latency: "p50 · p95 · p99, 1 h", policyTitle: "Retry policy", guards: "Guards", secret: "Signing secret",
  show: "Show", hide: "Hide", hidesIn: (s: number) => `hidden again in ${s} s`, rotate: "Rotate…",
  secretUnder: "What the receiver verifies signatures with.",
  nothingWaits: "Nothing waits for this endpoint.",
  noAttempts: "Nothing was sent to it yet. What it answers will be listed here.",
};

export const storyTexts = {
  closed: "Closed", closedBody: "Everything goes out, within the limits.",
  till: (t: string) => `till ${t}`, opened: "Opened", since: (t: string) => t,
  probesFailed: (n: number) => `${plural(n, "probe")} failed`, noProbe: "No probe yet", probed: "Probed",
  probesBody: (n: number, status: string, took: number, waiting: number) =>
    n === 0 ? `The first goes out by itself. ${count(waiting)} held, 0 attempts spent.` : `Last answer ${status} in ${duration(took)}. ${count(waiting)} held, 0 attempts spent on them.`,
  half: "Half-open", halfBody: "One probe, the oldest delivery that is due. Nothing else goes out.",
  due: "due", inFlight: "in flight now", atOrNow: (t: string) => `${t}, or now`,
  ramp: "Ramp", rampBody: "One in flight and a tenth of the former rate, doubled every step while under a tenth fails.",
  fromFirst: "from the first good answer", normal: "Normal", normalBody: (n: number) => `Up to ${n} in flight.`,
};

export const policyTexts = {
  sentence(name: string, preview: Preview, giveUp: string): string {
    const last = preview.attempts.at(-1);
    if (!last) return b(name);
    const n = preview.attempts.length;
    const min = preview.attempts.reduce((sum, row) => sum + row.minMs, 0);
    const max = preview.attempts.reduce((sum, row) => sum + row.maxMs, 0);
    if (n === 1) return `A delivery to ${b(name)} is tried ${b("once")}.`;
    const range = max - min < 1000 ? "" : `, between ${duration(min)} and ${duration(max)}`;
    return `A delivery to ${b(name)} is tried ${count(n)} times and ${b(`given up after ${wholeDuration(last.cumulativeMeanMs)}`)} on average${range}; in any case after ${giveUp}.`;
  },
  under: (own: string) => own, own: "Its own policy replaces the application’s and the server’s whole. It counts from the next failure on; attempts already planned keep their time.",
  inherited: "It has no policy of its own yet: what is saved here replaces the application’s and the server’s whole.",
  when: "When the attempts come", whenUnder: "if all of them fail; time since the first, logarithmic", thisPolicy: "this policy",
  form: "Form", startFrom: "start from", preset: "a preset", json: "JSON", rules: "Rules", rulesUnder: "what an answer means, where it is not the usual",
  addRule: "add a rule", remove: "remove", saveFor: (name: string) => `Save for ${name}`, discard: "Discard changes", inherit: "Inherit again…",
  table: "Attempt by attempt", tableUnder: "10,000 deliveries played through; since the first: average",
  columns: ["attempt", "waits at least", "on average", "at most", "since the first"],
  fields: {
    strategy: "strategy", baseDelay: "first wait", multiplier: "then times", maxDelay: "longest wait", jitter: "jitter",
    jitterPercent: "jitter, percent", maxAttempts: "attempts", giveUpAfter: "given up after", retryAfterCap: "longest Retry-After", schedule: "waits, by comma",
  } as Record<string, string>,
  saved: "Saved.", notJson: "This is not JSON.",
};

export const deadTexts = {
  sentence(total: number, app: string | null, reasons: Record<string, number>, filtered: boolean): string {
    if (total === 0) return `${b("No dead letters")}${app ? ` of ${app}` : ""}${filtered ? " that fit this filter" : ""}. What cannot be delivered will wait here until someone decides.`;
    const list = Object.entries(reasons).filter(([, n]) => n > 0).sort((x, y) => y[1] - x[1]).map(([reason, n]) => `${count(n)} ${reasonWords(reason)}`).join(", ");
    return `${b(`${plural(total, "delivery", "deliveries")}${app ? ` of ${app}` : ""} will not be tried again`)}: ${list}.`;
  },
  of: "Dead letters of", died: "that died since", until: "until", reason: "for the reason", type: "of type", tag: "tagged", clear: "clear",
  everyApp: "all applications", everyEndpoint: "any endpoint", anyReason: "any", anyType: "any type", anyTime: "any time", noTag: "anything",
  diedColumn: "died", message: "message", answer: "answer", attempts: "attempts", id: "id", replay: "Replay", discard: "Discard…",
  selected: (n: number) => `${count(n)} selected`, replayN: (n: number) => `Replay ${count(n)}`, discardN: (n: number) => `Discard ${count(n)}…`,
  selectAll: "select all in view", plannerTitle: "Replay all that match", counted: (t: string) => `counted by a dry run at ${t}, with this filter`,
  beginWith: "begin with", atMost: "at most", perMinute: "deliveries per minute",
  through: (t: string) => `Through in ${b(t)} if all goes well. The rate doubles each minute while 95 % succeed, and is halved when more than a tenth fails.`,
  start: (n: number) => `Replay ${count(n)}`, canStop: "Can be paused and cancelled. What dies from now on is not included.",
  chooseApp: "A replay belongs to one application. Choose one above to replay what matches.",
  inexpressible: (what: string) => `A replay cannot go by ${what}: it would send more than you see. Take that out of the filter, or select rows and replay those.`,
  none: "Nothing matches, so there is nothing to replay.",
  lookedBack: (t: string) => `Looked back to ${t}`, goOn: "go on", goneMessage: "its message is gone",
};

export const taskTexts = {
  kinds: {
    "replay-dead": "Replay of dead letters", recover: "Recovery", "replay-missing": "Sending what was missed", "bulk-replay": "Bulk replay",
    discard: "Discarding", "expunge-content": "Deleting payloads",
  } as Record<string, string>,
  sentence(task: Task): string {
    const d = task.data;
    const name = taskTexts.kinds[task.kind] ?? capital(task.kind.replace(/-/g, " "));
    const of = d.total === null ? count(d.done) : `${count(d.done)} of ${count(d.total)}`;
    switch (task.state) {
      case "finished":
        return `${b(`${name} is through`)}: ${plural(d.done, "delivery", "deliveries")} put back${d.skipped > 0 ? `, ${count(d.skipped)} skipped` : ""}.`;
      case "cancelled":
        return `${b(`${name} was cancelled`)} after ${of}.`;
      case "failed":
        return `${b(`${name} failed`)} after ${of}${d.why ? `: ${d.why}` : ""}.`;
      case "paused":
        return `${b(`${name} is paused`)} at ${of}.`;
      default:
        if (d.waitsFor) return `${b(`${of} are back`)}. The rest waits: ${d.waitsFor}.`;
        return `${b(`${of} are back`)}${d.secondsLeft ? `; through in about ${duration(d.secondsLeft * 1000)}` : ""}.`;
    }
  },
  rate: "rate now", succeeded: "succeeded", failed: "failed at the first attempt", skipped: "skipped", left: "time left", put: "put back",
  curve: "Put back per minute", curveUnder: "as seen by this tab", pause: "Pause", resume: "Resume", cancel: "Cancel replay…", begun: "begun", state: "state",
  empty: "No replay has run yet. Dead letters are replayed from their list; an endpoint can be sent what it missed.",
};

export const systemTexts = {
  ok: (version: string) => `${b("The server is well")}: the store takes writes and every event loop turns. Petrel ${version}.`,
  ill: (problems: string[]) => `${b("The server is not well")}: ${problems.join("; ")}.`,
  store: "store", loops: "event loops", figures: "Since the server started", notices: "Endpoints for notices",
  noticesUnder: "where the organisation is told what happens to endpoints and deliveries", metrics: "all figures", session: "This session",
  expires: "token expires", zone: "times are shown in", keys: "Keyboard", keysOff: "switch the keys off", keysOn: "switch the keys on",
};

export const httpStatus = statusWords;
