// The server itself, and what else there is: the keys, the session, the way out.

import type { JSX } from "preact";
import { type Endpoint, Failure, get, type Page, text } from "../base/api";
import { isUtc, now } from "../base/clock";
import { b, systemTexts as t, words } from "../base/en";
import { moment, roughly, zoneName } from "../base/format";
import { usePoll } from "../base/poll";
import { Link, to } from "../base/router";
import { isOrganisation, session } from "../base/session";
import { Glyph } from "../draw/glyph";
import { Id, Loaded } from "../parts/common";
import { Head, leave, switchTheme, version } from "../parts/frame";
import { areKeysOn, KEYS, switchKeys } from "../parts/keys";
import { Say } from "../parts/say";
import { EndpointStateMark } from "../parts/state";

interface ServerHealth {
  database: { status: string };
  queue: { status: string };
  problems?: string[];
}

/** A server that is not well answers 503 with the same body. */
async function health(): Promise<ServerHealth> {
  try {
    return JSON.parse(await text("/health")) as ServerHealth;
  } catch (error) {
    if (error instanceof Failure && error.status === 503) return { database: { status: "error" }, queue: { status: "error" }, problems: [error.detail] };
    throw error;
  }
}

const Part = ({ name, status }: { name: string; status: string }): JSX.Element => (
  <><dt>{name}</dt><dd><span class="st"><Glyph name={status === "ok" ? "delivered" : "dead"} tone={status === "ok" ? "good" : "bad"} />{status === "ok" ? "well" : "not well"}</span></dd></>
);

export function SystemScreen(): JSX.Element {
  const data = usePoll("server health", health, 5000);
  const notices = usePoll("notices", () => get<Page<Endpoint>>("/operational-webhook/endpoint", { limit: 100 }), 10_000);
  return (
    <>
      <Head crumbs={[{ label: words.system }]} />
      <Loaded of={data}>{(found) => {
        const isWell = found.database.status === "ok" && found.queue.status === "ok";
        return (
          <>
            <h1><Say text={isWell ? t.ok(version.value) : t.ill(found.problems ?? [])} /></h1>
            {isWell && (found.problems ?? []).length > 0 && <p class="under">{found.problems!.join("; ")}</p>}
            <section class="cols two">
              <div><div class="h"><h2>Now</h2><span class="opts"><a href={new URL("metrics", document.baseURI).href}>{t.metrics}</a></span></div><dl class="facts"><Part name={t.store} status={found.database.status} /><Part name={t.loops} status={found.queue.status} /></dl></div>
              <SessionFacts />
            </section>
          </>
        );
      }}</Loaded>
      <section>
        <div class="h"><h2>{t.notices} <span class="faint plainw">{t.noticesUnder}</span></h2></div>
        <Loaded of={notices}>{(found) => found.data.length === 0 ? <p class="faint small">None is set: nobody is told when an endpoint goes down. They are made with <code>POST /api/v1/operational-webhook/endpoint</code>.</p> : (
          <table class="t rows" aria-label={t.notices}><thead><tr><th>state</th><th>URL</th><th>notices</th><th>id</th></tr></thead>
            <tbody>{found.data.map((each) => <tr key={each.id}><td class="c"><EndpointStateMark state={each.pause ? "paused" : each.disabled ? "disabled" : "healthy"} word={each.pause ? "Paused" : each.disabled ? "Disabled" : "On"} /></td><td class="a grow">{each.url}</td><td>{(each.eventTypes ?? each.filterTypes)?.join(", ") ?? "all"}</td><td class="d"><Id id={each.id} /></td></tr>)}</tbody></table>)}
        </Loaded>
      </section>
      <Keys />
    </>
  );
}

function SessionFacts(): JSX.Element {
  const who = session.value;
  return (
    <div>
      <div class="h"><h2>{t.session}</h2></div>
      <dl class="facts">
        <dt>signed in as</dt><dd>{who?.isOrganisation ? words.organisation : words.application}{who?.capabilities ? `, may: ${who.capabilities.join(", ")}` : ""}</dd>
        <dt>{t.expires}</dt><dd>{who?.expiresAt ? `${moment(who.expiresAt, now.value)}, in ${roughly(who.expiresAt - now.value)}` : "never"}</dd>
        <dt>{t.zone}</dt><dd>{zoneName()} · <button type="button" class="btn quiet" onClick={() => (isUtc.value = !isUtc.value)}>{isUtc.value ? "local time" : "UTC"}</button></dd>
      </dl>
    </div>
  );
}

function Keys(): JSX.Element {
  return (
    <section>
      <div class="h"><h2>{t.keys}</h2><span class="opts"><button type="button" class="btn quiet" onClick={switchKeys}>{areKeysOn.value ? t.keysOff : t.keysOn}</button></span></div>
      <dl class="facts">{KEYS.map(([key, what]) => <><dt><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
    </section>
  );
}

/** What the phone's bar has no room for. */
export function More(): JSX.Element {
  const links: [string, string][] = [[words.replays, "/replays"], [words.eventTypes, "/event-types"]];
  if (isOrganisation()) links.push([words.system, "/system"]);
  return (
    <>
      <Head crumbs={[{ label: words.more }]} />
      <h1><Say text={`${b("Petrel")} ${version.value}`} /></h1>
      <section>
        <table class="t" aria-label={words.more}><tbody>
          {links.map(([label, href]) => <tr key={href}><td><Link href={to(href)}>{label}</Link></td></tr>)}
          <tr><td><a href={new URL("docs", document.baseURI).href}>{words.docs}</a></td></tr>
        </tbody></table>
      </section>
      <div class="acts"><button type="button" class="btn" onClick={switchTheme}>{words.darkOrLight}</button><button type="button" class="btn" onClick={() => void leave()}>{words.signOut}</button></div>
      <section><SessionFacts /></section>
      <Keys />
    </>
  );
}
