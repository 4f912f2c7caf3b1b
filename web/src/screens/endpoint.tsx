// One endpoint: how it does, what waits for it, what it answered, and everything that can be done.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Application, type Attempt, type Delivery, type Endpoint, get, type Health, type Page, page, part, send } from "../base/api";
import { now } from "../base/clock";
import { endpointName, endpointTexts as t, type EndpointView, words } from "../base/en";
import { applicationOf, refreshFleet, stateOf } from "../base/fleet";
import { at, count, duration, moment, percent, roughly, statusWords } from "../base/format";
import { usePoll } from "../base/poll";
import { Link, params, setParams, to } from "../base/router";
import { isOrganisation, may } from "../base/session";
import { Answers } from "../draw/answers";
import { Glyph } from "../draw/glyph";
import { Storyboard } from "../draw/storyboard";
import { RowWake } from "../draw/wake";
import { Act, Drawing, Id, Loaded, Said, Skeleton } from "../parts/common";
import { EndpointDialog, type DialogName } from "../parts/endpoint_dialogs";
import { Guards, PolicySummary } from "../parts/endpoint_settings";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { Secret } from "../parts/secret";
import { DeliveryState } from "../parts/state";
import { Ago, Moment } from "../parts/time";

interface Data {
  application: Application;
  endpoint: Endpoint;
  health: Health;
}

const path = (app: string, endpoint: string): string => `/app/${part(app)}/endpoint/${part(endpoint)}`;

async function load(app: string, endpoint: string): Promise<Data> {
  const [application, found, health] = await Promise.all([
    applicationOf(app) ?? get<Application>(`/app/${part(app)}`),
    get<Endpoint>(path(app, endpoint)),
    get<Health>(`${path(app, endpoint)}/health`),
  ]);
  return { application, endpoint: found, health };
}

function Actions({ view, again, open }: { view: EndpointView; again: () => void; open: (name: DialogName) => void }): JSX.Element {
  const own = path(view.application.id, view.endpoint.id);
  const order = (verb: string, body?: unknown) => async (): Promise<void> => {
    await send("POST", `${own}/${verb}`, body);
    again();
    refreshFleet();
  };
  const canManage = may("ManageEndpoint");
  const isOpen = view.state === "open" || view.state === "halfopen";
  const dead = view.health?.deadLetters.total ?? 0;
  const button = (label: string, name: DialogName, look = "btn"): JSX.Element => <button type="button" class={look} onClick={() => open(name)}>{label}</button>;
  return (
    <>
      <div class="acts">
        {canManage && isOpen && <Act label={t.probe} first run={order("circuit/probe")} />}
        {canManage && view.state === "paused" && <Act label={t.resume} first run={order("resume")} />}
        {canManage && view.endpoint.disabled && <Act label={t.enable} first={view.state === "disabled"} run={async () => { await send("PATCH", own, { disabled: false }); again(); refreshFleet(); }} />}
        {dead > 0 && may("CreateAttempts") && button(t.recover, "recover", view.state === "dead" ? "btn first" : "btn")}
        {isOrganisation() && button(t.example, "example")}
        {canManage && !view.health?.paused && button(t.pause, "pause")}
        {may("CreateAttempts") && button(t.missing, "missing")}
        {canManage && button(t.edit, "edit")}
        {canManage && (
          <span class="apart row-act">
            {isOpen && button(t.closeCircuit, "close", "btn danger")}
            {button(t.remove, "remove", "btn danger")}
          </span>
        )}
      </div>
      <Said />
    </>
  );
}

function CircuitSection({ view, attempts }: { view: EndpointView; attempts: Attempt[] }): JSX.Element {
  const h = view.health!;
  const since = at(h.circuit.since);
  const isDown = h.circuit.state !== "closed";
  const pill = h.circuit.state === "open" ? <span class="pill bad"><Glyph name="open" tone="bad" />{t.openFor(now.value - since)}</span>
    : h.circuit.state === "half_open" ? <span class="pill busy"><Glyph name="halfopen" tone="busy" />{t.halfOpen}</span>
    : h.ramp ? <span class="pill busy"><Glyph name="ramp" tone="busy" />{t.ramping}</span>
    : <span class="pill good"><Glyph name="closed" tone="good" />{t.closedFor(now.value - since)}</span>;
  // What failed in a row up to now, from the opening on: while a circuit is open only probes go out.
  const probes = isDown ? probesOf(attempts, since) : [];
  return (
    <section>
      <div class="h"><h2>{t.circuit}</h2>{pill}</div>
      {(isDown || h.ramp) && <Storyboard health={h} probes={probes} now={now.value} />}
      {h.waitsFor && <p class="small faint more">{t.waitsFor(h.waitsFor)}</p>}
    </section>
  );
}

/** Newest first. The attempt whose failure opened the circuit began before it, if only by a little. */
function probesOf(attempts: Attempt[], since: number): Attempt[] {
  return attempts.filter((each) => at(each.timestamp) > since + 5);
}

function NowFigures({ h }: { h: Health }): JSX.Element {
  const dead = h.deadLetters.total ?? 0;
  const oldest = at(h.oldestAt);
  const ms = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : duration(value));
  const zero = (n: number): JSX.Element => (n === 0 ? <span class="faint">0</span> : <>{count(n)}</>);
  return (
    <dl class="figs">
      <div><dt>{t.inFlight}</dt><dd>{zero(h.inFlight)} <small>of {h.inFlightLimit} now, {h.maxInFlight} at most</small></dd></div>
      <div><dt>{t.fresh}</dt><dd>{zero(h.queue.fresh ?? 0)}</dd></div>
      <div><dt>{t.toRetry}</dt><dd>{zero(h.queue.retrying ?? 0)}</dd></div>
      <div><dt>{t.oldest}</dt><dd>{Number.isNaN(oldest) ? <span class="faint">–</span> : <>{moment(oldest, now.value)} <small>{roughly(now.value - oldest)} ago</small></>}</dd></div>
      <div><dt>{t.dead}</dt><dd>{zero(dead)}</dd></div>
      <div><dt>{t.success}</dt><dd>{h.attempts1h === 0 ? <span class="faint">–</span> : <>{percent(h.successRate1h ?? 0)} <small>of {count(h.attempts1h)}</small></>}</dd></div>
      <div><dt>{t.latency}</dt><dd>{ms(h.latencyMs1h.p50)} <small>·</small> {ms(h.latencyMs1h.p95)} <small>·</small> {ms(h.latencyMs1h.p99)}</dd></div>
    </dl>
  );
}

function Waiting({ view }: { view: EndpointView }): JSX.Element {
  const { application: app, endpoint } = view;
  const h = view.health!;
  const isHeld = h.paused || h.disabled || h.circuit.state !== "closed";
  const wanted = isHeld ? "held" : (h.queue.retrying ?? 0) > 0 ? "retrying" : "pending";
  const total = (h.queue.fresh ?? 0) + (h.queue.retrying ?? 0);
  const list = usePoll(`waits ${endpoint.id} ${wanted} ${total > 0}`, () =>
    total === 0 ? Promise.resolve({ data: [], iterator: null, done: true } as Page<Delivery>) : page<Delivery>(`/app/${part(app.id)}/delivery`, { endpoint_id: endpoint.id, status: wanted, limit: 8 }), 2000);
  return (
    <section>
      <div class="h"><h2>{t.queue} <span class="faint plainw">{t.queueUnder}</span></h2><span class="opts"><Link href={to(`/app/${part(app.id)}/deliveries`, { endpoint: endpoint.id, status: wanted })}>{t.allThatWait}</Link></span></div>
      <Loaded of={list}>{(found) => found.data.length === 0 ? <p class="faint small">{t.nothingWaits}</p> : (
        <table class="t rows" aria-label={t.queue}>
          <thead><tr><th>state</th><th>message</th><th class="opt">id</th><th class="n">accepted</th><th>wake</th><th class="n">attempts</th><th class="n">given up</th></tr></thead>
          <tbody>{found.data.map((each) => (
            <tr key={each.msgId}>
              <td class="d"><DeliveryState delivery={each} health={h} /></td>
              <td class="a grow"><Link href={deliveryHref(each)}>{each.eventType ?? "a message"}</Link> <span class="faint">{each.eventId ?? ""}</span></td>
              <td class="opt"><Id id={each.msgId} /></td>
              <td class="n c"><Moment value={each.acceptedAt} /></td>
              <td><RowWake delivery={each} now={now.value} /></td>
              <td class="n b">{each.attempt}<span class="u"> of {each.maxAttempts}</span></td>
              <td class="n faint"><Moment value={each.giveUpAt} /></td>
            </tr>))}</tbody>
        </table>)}
      </Loaded>
    </section>
  );
}

export const deliveryHref = (d: Pick<Delivery, "appId" | "msgId" | "endpointId">): string => to(`/app/${part(d.appId)}/delivery/${part(d.msgId)}/${part(d.endpointId)}`);

function AttemptsSection({ view, attempts }: { view: EndpointView; attempts: Attempt[] }): JSX.Element {
  const isTable = params.value.get("answers") === "table";
  const shown = attempts.slice(0, 12);
  return (
    <>
      {attempts.length > 1 && (
        <section>
          <div class="h"><h2>{t.answers} <span class="faint plainw">{t.answersUnder}</span></h2>
            <span class="opts"><button type="button" class="btn quiet" onClick={() => setParams({ answers: isTable ? null : "table" })}>{isTable ? t.asChart : t.asTable}</button></span></div>
          {isTable ? (
            <table class="t compact" aria-label={t.answers}><thead><tr><th class="n">at</th><th>answer</th><th class="n">took</th></tr></thead>
              <tbody>{attempts.slice(0, 100).map((each) => <tr key={each.id}><td class="n"><Moment value={each.timestamp} /></td><td class="grow">{each.responseStatusCode ? statusWords(each.responseStatusCode) : "no response"}</td><td class="n">{duration(each.responseDurationMs)}</td></tr>)}</tbody></table>
          ) : <Drawing draw={(width) => <Answers attempts={attempts} width={width} />} />}
        </section>
      )}
      <section>
        <div class="h"><h2>{t.attempts}</h2></div>
        {shown.length === 0 ? <p class="faint small">{t.noAttempts}</p> : (
          <table class="t rows" aria-label={t.attempts}>
            <thead><tr><th class="n">started</th><th>answer</th><th>message</th><th class="n">took</th><th class="opt">id</th></tr></thead>
            <tbody>{shown.map((each) => {
              const message = (each as Attempt & { msg?: { eventType: string; eventId?: string | null } }).msg;
              return (
                <tr key={each.id}>
                  <td class="n d"><Ago value={each.timestamp} /></td>
                  <td class="a"><Glyph name={each.status === 0 ? "delivered" : "fail"} tone={each.status === 0 ? "good" : "bad"} /> {each.responseStatusCode ? statusWords(each.responseStatusCode) : <span class="faint">no response</span>}</td>
                  <td class="c grow"><Link href={to(`/app/${part(view.application.id)}/delivery/${part(each.msgId)}/${part(each.endpointId)}`)}>{message?.eventType ?? each.msgId}</Link> <span class="faint">{message?.eventId ?? ""}</span></td>
                  <td class="n b">{duration(each.responseDurationMs)}</td>
                  <td class="opt"><Id id={each.id} /></td>
                </tr>);
            })}</tbody>
          </table>
        )}
      </section>
    </>
  );
}

export function EndpointScreen({ app, endpoint }: { app: string; endpoint: string }): JSX.Element {
  const data = usePoll(`endpoint ${app} ${endpoint}`, () => load(app, endpoint), 1000);
  const attempts = usePoll(`attempts ${app} ${endpoint}`, () => get<Page<Attempt>>(`/app/${part(app)}/attempt/endpoint/${part(endpoint)}`, { limit: 250, with_content: false, with_msg: true }), 1500);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const loaded = data.data;
  const crumbs = [
    ...(isOrganisation() ? [{ label: words.applications, href: to("/app") }] : []),
    { label: loaded?.application.name ?? applicationOf(app)?.name ?? app, href: to(`/app/${part(app)}`) },
    { label: loaded ? endpointName(loaded.endpoint) : endpoint },
  ];
  if (!loaded) return <><Head crumbs={crumbs} /><Loaded of={data} lines={10}>{() => null}</Loaded></>;
  const view: EndpointView = { ...loaded, state: stateOf(loaded.endpoint, loaded.health) };
  const types = loaded.endpoint.eventTypes ?? loaded.endpoint.filterTypes;
  const again = (): void => {
    data.again();
    attempts.again();
  };
  return (
    <>
      <Head crumbs={crumbs} />
      <h1><Say text={t.sentence(view, now.value)} /></h1>
      <p class="under"><span class="id" title={loaded.endpoint.url}>{loaded.endpoint.url.length > 90 ? `${loaded.endpoint.url.slice(0, 88)}…` : loaded.endpoint.url}</span> · <Id id={loaded.endpoint.id} /> · {types && types.length > 0 ? <>{t.takes} {types.map((each, i) => <>{i > 0 ? ", " : ""}<code>{each}</code></>)}</> : t.takesAll}</p>
      <Actions view={view} again={again} open={setDialog} />
      <CircuitSection view={view} attempts={attempts.data?.data ?? []} />
      <section><div class="h"><h2>{t.now}</h2></div><NowFigures h={loaded.health} /></section>
      <Waiting view={view} />
      {attempts.data ? <AttemptsSection view={view} attempts={attempts.data.data} /> : <Skeleton />}
      <section class="cols two">
        <PolicySummary view={view} />
        <Guards view={view} />
      </section>
      {may("ViewEndpointSecret") && <Secret view={view} />}
      {dialog && <EndpointDialog name={dialog} view={view} onClose={() => setDialog(null)} onDone={again} />}
    </>
  );
}
