// What is broken, since when, and what to press.

import type { JSX } from "preact";
import { part, send } from "../base/api";
import { now } from "../base/clock";
import { endpointName, endpointStateWord, overviewTexts as t, words, type EndpointView } from "../base/en";
import { applications, fleetFailure, isPartial, loadedAt, refreshFleet, views } from "../base/fleet";
import { at, brief, capital, count, countdown, moment, percent, roughly, wholeDuration } from "../base/format";
import { Link, to } from "../base/router";
import { isOrganisation, may } from "../base/session";
import { Glyph } from "../draw/glyph";
import { Act, Curl, FailureText, Said, Skeleton } from "../parts/common";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { endpointGlyph, EndpointStateMark } from "../parts/state";

export const endpointHref = (view: EndpointView): string => to(`/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}`);

const base = (view: EndpointView): string => `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}`;
async function order(path: string): Promise<void> {
  await send("POST", path, path.endsWith("pause") ? {} : undefined);
  refreshFleet();
}

function ActionOf({ view, first }: { view: EndpointView; first: boolean }): JSX.Element {
  const dead = view.health?.deadLetters.total ?? 0;
  const look = first ? "btn first" : "btn";
  switch (view.state) {
    case "open":
      if (may("ManageEndpoint")) return <span class="act"><Act label="Probe now" first={first} run={() => order(`${base(view)}/circuit/probe`)} /></span>;
      break;
    case "paused":
      if (may("ManageEndpoint")) return <span class="act"><Act label="Resume" first={first} run={() => order(`${base(view)}/resume`)} /></span>;
      break;
    case "dead":
      return <span class="act"><Link class={look} href={to("/dead-letters", { app: view.application.id, endpoint: view.endpoint.id })}>{may("ManageEndpoint") ? `Replay ${count(dead)}…` : "See them"}</Link></span>;
    case "ramp":
    case "halfopen":
      return <span class="act faint small">{t.nothingToDo}</span>;
  }
  return <span class="act"><Link class={look} href={endpointHref(view)}>See why</Link></span>;
}

function sinceOf(view: EndpointView): number {
  const h = view.health;
  if (view.state === "open" || view.state === "halfopen" || view.state === "ramp") return at(h?.circuit.since);
  if (view.state === "paused") return at(view.endpoint.pause?.since);
  return at(h?.oldestAt);
}

function LogLine({ view, worst }: { view: EndpointView; worst: boolean }): JSX.Element {
  const [glyph, tone] = endpointGlyph(view.state);
  const since = sinceOf(view);
  const dead = view.health?.deadLetters.total ?? 0;
  return (
    <li class={worst ? "worst" : ""}>
      <time>{Number.isNaN(since) ? "" : brief(since, now.value)}</time>
      <span class="st"><Glyph name={glyph} tone={tone} />{view.state === "dead" ? `${count(dead)} dead` : endpointStateWord[view.state]}</span>
      <p><Link class="name" href={endpointHref(view)}>{endpointName(view.endpoint)}</Link> <span class="faint">{view.application.name}</span><Say text={t.line(view, now.value)} /></p>
      <ActionOf view={view} first={worst} />
    </li>
  );
}

export function Figures({ list }: { list: EndpointView[] }): JSX.Element {
  const sum = (pick: (view: EndpointView) => number): number => list.reduce((total, view) => total + (view.health ? pick(view) : 0), 0);
  const oldest = list.map((view) => at(view.health?.oldestAt)).filter((ms) => !Number.isNaN(ms)).sort((x, y) => x - y)[0];
  const zero = (n: number): JSX.Element => (n === 0 ? <span class="faint">0</span> : <>{count(n)}</>);
  return (
    <dl class="figs">
      <div><dt>{t.inFlight}</dt><dd>{zero(sum((v) => v.health!.inFlight))} <small>{t.allowed(sum((v) => v.health!.inFlightLimit))}</small></dd></div>
      <div><dt>{t.fresh}</dt><dd>{zero(sum((v) => v.health!.queue.fresh ?? 0))}</dd></div>
      <div><dt>{t.retrying}</dt><dd>{zero(sum((v) => v.health!.queue.retrying ?? 0))}</dd></div>
      <div><dt>{t.oldest}</dt><dd>{oldest === undefined ? <span class="faint">–</span> : <>{moment(oldest, now.value)} <small>{roughly(now.value - oldest)}</small></>}</dd></div>
      <div><dt>{t.circuits}</dt><dd>{zero(sum((v) => (v.health!.circuit.state === "closed" ? 0 : 1)))} <small>{t.ofN(list.length)}</small></dd></div>
      <div><dt>{t.dead}</dt><dd>{zero(sum((v) => v.health!.deadLetters.total ?? 0))}</dd></div>
    </dl>
  );
}

export function EndpointTable({ list, withApplication, label }: { list: EndpointView[]; withApplication: boolean; label: string }): JSX.Element {
  return (
    <table class="t rows" aria-label={label}>
      <thead><tr><th>state</th><th>endpoint</th><th>{t.lastHour}</th><th class="n">in flight</th><th class="n">waiting</th><th class="n">oldest</th><th class="n">dead</th><th class="opt"><span class="vh">what it waits for</span></th></tr></thead>
      <tbody>
        {list.map((view) => {
          const h = view.health;
          const waiting = (h?.queue.fresh ?? 0) + (h?.queue.retrying ?? 0);
          const oldest = at(h?.oldestAt);
          const dead = h?.deadLetters.total ?? 0;
          const probe = at(h?.circuit.nextProbeAt);
          return (
            <tr key={view.endpoint.id}>
              <td class="c"><EndpointStateMark state={view.state} /></td>
              <td class="a"><Link href={endpointHref(view)}><b>{endpointName(view.endpoint)}</b>{withApplication && <span class="faint"> {view.application.name}</span>}</Link></td>
              <td>{!h || h.attempts1h === 0 ? <span class="faint">nothing sent</span> : <>{percent(h.successRate1h ?? 0)} <span class="faint">of {count(h.attempts1h)}</span></>}</td>
              <td class="n">{h?.inFlight ?? "–"}<span class="u"> / {h?.inFlightLimit ?? "–"}</span></td>
              <td class={`n b${waiting === 0 ? " z" : ""}`}>{count(waiting)}<span class="u ph"> waiting</span></td>
              <td class="n">{Number.isNaN(oldest) ? <span class="z">–</span> : wholeDuration(now.value - oldest)}</td>
              <td class={`n d${dead === 0 ? " z" : ""}`}>{count(dead)}<span class="u ph"> dead</span></td>
              <td class="opt faint">{view.state === "open" && !Number.isNaN(probe) && probe > now.value ? `probe in ${countdown(probe - now.value)}` : (h?.waitsFor ?? "")}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What would be here, with lines that make it so. */
export function FirstSteps(): JSX.Element {
  const api = new URL("api/v1", document.baseURI).href;
  const auth = `\\\n  -H "Authorization: Bearer $TOKEN" \\\n  -d `;
  const lines = [
    `curl ${api}/app ${auth}'{"name": "Acme", "uid": "acme"}'`,
    `curl ${api}/app/acme/endpoint ${auth}'{"url": "https://example.com/hook", "uid": "billing"}'`,
    `curl ${api}/app/acme/msg ${auth}'{"eventType": "invoice.paid", "payload": {"id": 17}}'`,
  ];
  return (
    <>
      <h1><Say text={t.emptySentence} /></h1>
      <p class="under"><Say text={t.emptyUnder} /></p>
      <section>
        <ol class="steps">
          {t.steps.map(([title, under], i) => (
            <li key={title}><div><h2>{title}</h2><p class="small faint">{under}</p></div><Curl text={lines[i]!} /></li>
          ))}
        </ol>
      </section>
    </>
  );
}

export function Overview(): JSX.Element {
  const all = views.value;
  const head = <Head crumbs={[{ label: words.overview }]} />;
  if (loadedAt.value === 0) return <>{head}{fleetFailure.value ? <FailureText failure={fleetFailure.value} /> : <><h1>{"\u00A0"}</h1><Skeleton lines={8} /></>}</>;
  if (all.length === 0 && isOrganisation()) return <>{head}<FirstSteps /></>;
  const bad = all.filter((view) => !["healthy", "unknown", "waiting"].includes(view.state));
  const look = all.filter((view) => view.state !== "healthy");
  const shown = look.length > 0 ? look.slice(0, 20) : all.slice(0, 20);
  return (
    <>
      {head}
      <h1><Say text={all.length === 0 ? "This application has no endpoints yet." : t.sentence(all, now.value)} /></h1>
      <Said />
      {bad.length > 0 && (
        <ol class="log" aria-label={t.needs}>
          {bad.slice(0, 8).map((view, i) => <LogLine key={view.endpoint.id} view={view} worst={i === 0 && ["open", "halfopen", "dead", "paused"].includes(view.state)} />)}
        </ol>
      )}
      <section><div class="h"><h2>{capital("now")}</h2></div><Figures list={all} /></section>
      <section>
        <div class="h"><h2>{look.length > 0 ? t.needLook : "Endpoints"}</h2><span class="opts"><Link href={to(isOrganisation() || !applications.value[0] ? "/app" : `/app/${applications.value[0].id}`)}>{t.allEndpoints(all.length)}</Link></span></div>
        <EndpointTable list={shown} withApplication label={t.needLook} />
        {isPartial.value && <p class="small faint more">{t.lookedAt(200, all.length)}</p>}
      </section>
    </>
  );
}
