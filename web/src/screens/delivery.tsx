// One delivery explained: the sentence, the wake, why then, what was sent and what came back.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Application, type Attempt, type Delivery, type Endpoint, Failure, get, type Health, type Page, part, type PreviewRow, send, text } from "../base/api";
import { now } from "../base/clock";
import { deliveryTexts as t, endpointName, explain, hostOf, words } from "../base/en";
import { applicationOf, endpoints } from "../base/fleet";
import { at, clockMs, count, duration, moment, statusWords } from "../base/format";
import { usePoll } from "../base/poll";
import { rawField } from "../base/raw";
import { Link, to } from "../base/router";
import { may } from "../base/session";
import { Wake } from "../draw/wake";
import { Glyph } from "../draw/glyph";
import { Bytes } from "../parts/bytes";
import { Act, CopyButton, Drawing, Id, Loaded, Said } from "../parts/common";
import { effectivePolicy, presetsOnce, previewOf } from "../parts/endpoint_settings";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { DeliveryState } from "../parts/state";
import { Countdown } from "../parts/time";

interface Data {
  delivery: Delivery;
  attempts: Attempt[]; // Oldest first.
  health: Health | undefined;
  endpoint: Endpoint | undefined;
}

const nothing = (error: unknown): undefined => {
  if (error instanceof Failure && (error.status === 404 || error.status === 403)) return undefined;
  throw error;
};

async function load(app: string, message: string, endpoint: string): Promise<Data> {
  const own = `/app/${part(app)}/endpoint/${part(endpoint)}`;
  const [delivery, attempts, health, found] = await Promise.all([
    get<Delivery>(`/app/${part(app)}/delivery/${part(message)}/${part(endpoint)}`),
    get<Page<Attempt>>(`/app/${part(app)}/attempt/msg/${part(message)}`, { endpoint_id: endpoint, limit: 250 }),
    get<Health>(`${own}/health`).catch(nothing),
    endpoints.peek().get(endpoint)?.endpoint ?? get<Endpoint>(own).catch(nothing),
  ]);
  return { delivery, attempts: [...attempts.data].reverse(), health, endpoint: found };
}

const isEnded = (d: Delivery): boolean => d.status === "delivered" || d.status === "dead" || d.status === "discarded";

/** The latest of what holds it: the due time, the probe, the hold. NaN if nothing is known. */
export function dueAt(d: Delivery, h: Health | undefined): number {
  const times = [at(d.nextAttemptAt)];
  if (d.status === "held" && h) times.push(at(h.circuit.nextProbeAt));
  if (h?.heldUntil) times.push(at(h.heldUntil));
  const known = times.filter((ms) => !Number.isNaN(ms));
  return known.length === 0 ? NaN : Math.max(...known);
}

function WhyThen({ d, h, name }: { d: Delivery; h: Health | undefined; name: string }): JSX.Element {
  const due = dueAt(d, h);
  const n = now.value;
  const next = d.next;
  const probe = at(h?.circuit.nextProbeAt);
  const hold = at(h?.heldUntil);
  const last = at(d.updatedAt);
  const rows: { key: string; label: string; text: string; at: number }[] = [];
  if (next && (next.basis === "schedule" || next.basis === "retryAfter" || next.basis === "probe")) {
    rows.push({ key: "policy", label: t.policyWait, text: t.nominal(next.nominalMs, next.jitterMs), at: last + next.nominalMs + next.jitterMs });
  }
  if (next?.retryAfterMs) rows.push({ key: "retryAfter", label: t.retryAfter, text: t.retryAfterAsked(next.retryAfterMs, next.basis === "retryAfter", name), at: at(next.notBefore) });
  const state = h?.circuit.state;
  rows.push({ key: "circuit", label: t.circuit, text: state === "open" ? t.openUntil : state === "half_open" ? t.halfOpen : t.closed, at: state === "open" ? probe : NaN });
  if (!Number.isNaN(hold) && hold > n) rows.push({ key: "hold", label: t.hold, text: t.heldUntil, at: hold });
  const decides = rows.filter((row) => !Number.isNaN(row.at)).sort((x, y) => y.at - x.at)[0]?.key;
  const isStill = h?.paused || h?.disabled;
  const left = due - n;
  return (
    <section class="why">
      <div>
        {Number.isNaN(due) ? <><p class="faint small">next attempt</p><p class="big"><small>{isStill ? "waits" : d.status === "sending" ? "in flight" : t.due}</small></p></>
          : left > 0 ? <><p class="faint small">{t.nextIn}</p><Countdown until={due} /><span class="vh">{moment(due, n)}</span></>
          : <><p class="faint small">next attempt</p><p class="big" data-countdown="0"><small>{t.due}</small></p></>}
        <p class="small faint"><DeliveryState delivery={d} health={h} /></p>
      </div>
      <table class="t rows" aria-label={t.whyThen}>
        <thead><tr><th>{t.whyThen}</th><th><span class="vh">more</span></th><th class="n">{t.at}</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} class={row.key === decides ? "decides" : ""} data-why={row.key}>
              <td class="a">{row.label}</td><td class="grow c">{row.text}</td><td class="n b">{Number.isNaN(row.at) ? "–" : moment(row.at, n)}</td>
            </tr>
          ))}
          <tr data-why="giveUp"><td class="a">{t.givenUp}</td><td class="grow c">{isStill ? t.giveUpStands : d.giveUpAt ? t.giveUpRuns(d.maxAttempts) : t.giveUpNotYet}</td><td class="n b">{d.giveUpAt ? moment(at(d.giveUpAt), n) : "–"}</td></tr>
        </tbody>
      </table>
    </section>
  );
}

function AttemptTable({ data, chosen, choose }: { data: Data; chosen: number; choose: (i: number) => void }): JSX.Element {
  const { attempts, delivery: d } = data;
  const longest = Math.max(1, ...attempts.map((each) => each.responseDurationMs));
  const left = isEnded(d) ? 0 : Math.max(0, d.maxAttempts - d.attempt);
  return (
    <section>
      <div class="h"><h2>{t.attempts} <span class="faint plainw">{t.made(attempts.length, left)}</span></h2></div>
      {attempts.length > 0 && (
        <table class="t rows" aria-label={t.attempts}>
          <thead><tr><th class="n">#</th><th class="n">{t.started}</th><th class="n">{t.waited}</th><th>{t.answer}</th><th class="opt"><span class="vh">length</span></th><th class="n">{t.took}</th><th class="opt">{t.id}</th></tr></thead>
          <tbody>
            {attempts.map((each, i) => ({ each, i })).reverse().map(({ each, i }) => {
              const before = attempts[i - 1];
              return (
                <tr key={each.id} data-selected={i === chosen ? "" : undefined}>
                  <td class="n d"><span class="ph">attempt </span>{i + 1}</td>
                  <td class="n c" title={each.timestamp}>{clockMs(at(each.timestamp))}</td>
                  <td class="n">{before ? duration(at(each.timestamp) - at(before.timestamp) - before.responseDurationMs) : "–"}</td>
                  <td class="a"><button type="button" class="btn quiet" aria-pressed={i === chosen} onClick={() => choose(i)}><Glyph name={each.status === 0 ? "delivered" : "fail"} tone={each.status === 0 ? "good" : "bad"} /> {each.responseStatusCode ? statusWords(each.responseStatusCode) : t.noResponse}</button>{each.triggerType === 1 && <span class="faint"> {t.byPerson}</span>}</td>
                  <td class="grow opt"><svg class="fallsvg" viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true"><rect class="seg-wait" x="0" y="2" width={Math.max(1, (200 * each.responseDurationMs) / longest)} height="8" /></svg></td>
                  <td class="n b">{duration(each.responseDurationMs)}</td>
                  <td class="opt"><Id id={each.id} /></td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

const quoted = (value: string): string => `'${value.replace(/'/g, `'\\''`)}'`;

function SentAndAnswered({ data, payload, chosen }: { data: Data; payload: string | undefined; chosen: number }): JSX.Element {
  const attempt = data.attempts[chosen];
  const url = attempt?.url ?? data.delivery.endpointUrl ?? "";
  let parsed: URL | null = null;
  try { parsed = new URL(url); } catch { /* Shown as it is. */ }
  const isExpired = payload === '{"expired":true}';
  return (
    <section class="cols two">
      <div>
        <div class="h"><h2>{attempt ? t.sent(chosen + 1) : t.sentNone}</h2></div>
        <pre tabIndex={0}>POST {parsed ? parsed.pathname + parsed.search : url}{"\n"}<span class="faint">host</span> {parsed ? parsed.host : hostOf(url)}{"\n"}<span class="faint">webhook-id</span> {data.delivery.msgId}</pre>
        <p class="small faint sub2">{t.perAttempt}</p>
        {payload !== undefined && (isExpired ? <p class="small faint sub2">{t.expired}</p> : <Bytes raw={payload} label={t.payload} isJson />)}
      </div>
      <div>
        <div class="h"><h2>{attempt ? t.answered(chosen + 1) : "Answered"}</h2></div>
        {attempt ? (
          <>
            <pre tabIndex={0}><b>{attempt.responseStatusCode ? statusWords(attempt.responseStatusCode) : t.noResponse}</b>  {t.after(attempt.responseDurationMs)}</pre>
            {attempt.response !== "" ? <Bytes raw={attempt.response} label={attempt.responseStatusCode ? t.body : "what went wrong"} /> : <p class="small faint sub2">{t.noBody}</p>}
          </>
        ) : <p class="faint small">{t.noAnswerYet}</p>}
      </div>
    </section>
  );
}

export function DeliveryScreen({ app, message, endpoint }: { app: string; message: string; endpoint: string }): JSX.Element {
  const key = `${app} ${message} ${endpoint}`;
  const [picked, setPicked] = useState<number | null>(null);
  const [settled, setSettled] = useState(false);
  const data = usePoll(`delivery ${key}`, async () => {
    const found = await load(app, message, endpoint);
    setSettled(isEnded(found.delivery));
    return found;
  }, settled ? 3000 : 700);
  const raw = usePoll(`payload ${app} ${message}`, async () => rawField(await text(`/app/${part(app)}/msg/${part(message)}`), "payload"), 0);
  const owner = usePoll(`owner ${app}`, async () => applicationOf(app) ?? get<Application>(`/app/${part(app)}`), 0);
  const found = data.data?.endpoint;
  const rows = usePoll(`rows ${endpoint} ${found?.updatedAt} ${owner.data?.updatedAt}`, async (): Promise<PreviewRow[]> => {
    if (!found || !owner.data || !may("ManageEndpoint")) return [];
    const { policy } = effectivePolicy({ application: owner.data, endpoint: found });
    const used = policy ?? (await presetsOnce()).data.find((each) => each.isDefault)?.name;
    return used ? (await previewOf(used)).attempts : [];
  }, 0);
  const d = data.data?.delivery;
  const name = endpointName(found, endpoint);
  const crumbs = [
    { label: owner.data?.name ?? app, href: to(`/app/${part(app)}`) },
    { label: words.deliveries, href: to(`/app/${part(app)}/deliveries`) },
    { label: d?.eventId ?? d?.eventType ?? "delivery" },
  ];
  if (!data.data || !d) return <><Head crumbs={crumbs} /><Loaded of={data} lines={10}>{() => null}</Loaded></>;
  const { attempts, health } = data.data;
  const lastCode = attempts.at(-1)?.responseStatusCode;
  let same = 0;
  for (let i = attempts.length - 1; i >= 0 && same < d.attempt && attempts[i]!.responseStatusCode === lastCode; i--) same++;
  const chosen = picked !== null && picked < attempts.length ? picked : attempts.length - 1;
  // A policy that the preview does not agree with on the number of attempts is not the one in force.
  const preview = rows.data && rows.data.length === d.maxAttempts ? rows.data : [];
  const curl = `curl -X POST ${quoted(d.endpointUrl ?? "")} -H 'content-type: application/json' -H ${quoted(`webhook-id: ${d.msgId}`)} --data-raw ${quoted(raw.data ?? "")}`;
  return (
    <>
      <Head crumbs={crumbs} />
      <h1 data-status={d.status}><Say text={explain({ delivery: d, name, health, now: now.value, firstAt: attempts[0] ? at(attempts[0].timestamp) : NaN, same })} /></h1>
      <p class="under"><Link class="plain" href={to(`/app/${part(app)}/message/${part(d.msgId)}`)}><Id id={d.msgId} /></Link> → <Link class="plain" href={to(`/app/${part(app)}/endpoint/${part(endpoint)}`)}><span class="id">{d.endpointUrl ?? endpoint}</span></Link>{d.acceptedAt && <> · {t.accepted(at(d.acceptedAt), now.value)}</>}</p>
      <div class="acts">
        {may("CreateAttempts") && d.status !== "sending" && <Act label={isEnded(d) ? t.sendAgain : t.sendNow} first={d.status !== "delivered"} run={async () => { await send("POST", `/app/${part(app)}/msg/${part(message)}/endpoint/${part(endpoint)}/resend`); setSettled(false); data.again(); }} />}
        {raw.data !== undefined && <CopyButton text={curl} label={t.copyCurl} />}
        {may("ManageEndpoint") && found && <Link class="btn" href={to(`/app/${part(app)}/endpoint/${part(endpoint)}/policy`)}>{t.policy}</Link>}
        <Link class="btn" href={to(`/app/${part(app)}/message/${part(d.msgId)}`)}>{t.message}</Link>
      </div>
      <Said />
      <section><Drawing draw={(width) => <Wake data={{ delivery: d, attempts, rows: preview, health, due: dueAt(d, health), now: now.value }} width={width} />} /></section>
      {!isEnded(d) && <WhyThen d={d} h={health} name={name} />}
      <p class="small faint sub2">The server’s own words: {d.why}.</p>
      <AttemptTable data={data.data} chosen={chosen} choose={setPicked} />
      <SentAndAnswered data={data.data} payload={raw.data} chosen={chosen} />
      <p class="vh">{count(attempts.length)} attempts</p>
    </>
  );
}
