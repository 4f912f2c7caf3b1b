// The applications of the organisation, and one of them with its endpoints and latest messages.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Application, get, type Message, type Page, part, send } from "../base/api";
import { b, words, type EndpointView } from "../base/en";
import { applicationOf, applications, fleetFailure, loadedAt, refreshFleet, views } from "../base/fleet";
import { count, plural } from "../base/format";
import { usePoll } from "../base/poll";
import { go, Link, to } from "../base/router";
import { isOrganisation, may } from "../base/session";
import { Confirm, Curl, FailureText, Field, Id, Loaded, Said, Skeleton } from "../parts/common";
import { EndpointForm } from "../parts/endpoint_form";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { EndpointStateMark } from "../parts/state";
import { Ago } from "../parts/time";
import { EndpointTable, Figures } from "./overview";

const of = (application: Application): EndpointView[] => views.value.filter((view) => view.application.id === application.id);

export function NewApplication({ onClose }: { onClose: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [uid, setUid] = useState("");
  return (
    <Confirm title="New application" action="Create" onClose={onClose} onDone={refreshFleet}
      run={async () => {
        const made = await send<Application>("POST", "/app", { name, ...(uid ? { uid } : {}) });
        go(to(`/app/${part(made.id)}`));
      }}>
      <Field id="app-name" label="name, as people know it"><input id="app-name" type="text" value={name} onInput={(e) => setName(e.currentTarget.value)} /></Field>
      <Field id="app-uid" label="uid, as your own systems know it (may be left out)"><input id="app-uid" class="mono" type="text" value={uid} onInput={(e) => setUid(e.currentTarget.value)} /></Field>
    </Confirm>
  );
}

export function Applications(): JSX.Element {
  const [isMaking, setMaking] = useState(false);
  const apps = applications.value;
  const head = <Head crumbs={[{ label: words.applications }]} />;
  if (loadedAt.value === 0) return <>{head}{fleetFailure.value ? <FailureText failure={fleetFailure.value} /> : <Skeleton lines={8} />}</>;
  const bad = apps.filter((app) => of(app).some((view) => !["healthy", "unknown", "waiting"].includes(view.state)));
  return (
    <>
      {head}
      <h1><Say text={apps.length === 0 ? `${b("No applications yet.")} Each of your customers is one; it owns endpoints and messages.` : `${b(plural(apps.length, "application"))}, ${bad.length === 0 ? "all healthy" : `${count(bad.length)} with an endpoint that needs a look`}.`} /></h1>
      {isOrganisation() && <div class="acts"><button type="button" class={apps.length === 0 ? "btn first" : "btn"} onClick={() => setMaking(true)}>New application…</button></div>}
      {apps.length === 0 && <section class="empty"><Curl text={`curl ${new URL("api/v1/app", document.baseURI).href} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -d '{"name": "Acme", "uid": "acme"}'`} /></section>}
      {apps.length > 0 && (
        <section>
          <table class="t rows" aria-label={words.applications}>
            <thead><tr><th>application</th><th>uid</th><th>state</th><th class="n">endpoints</th><th class="n">waiting</th><th class="n">dead</th><th class="n opt">made</th></tr></thead>
            <tbody>
              {[...apps].sort((x, y) => views.value.findIndex((v) => v.application.id === x.id) - views.value.findIndex((v) => v.application.id === y.id)).map((app) => {
                const mine = of(app);
                const worst = mine[0];
                const waiting = mine.reduce((sum, v) => sum + (v.health?.queue.fresh ?? 0) + (v.health?.queue.retrying ?? 0), 0);
                const dead = mine.reduce((sum, v) => sum + (v.health?.deadLetters.total ?? 0), 0);
                return (
                  <tr key={app.id}>
                    <td class="a grow"><Link href={to(`/app/${part(app.id)}`)}><b>{app.name}</b></Link></td>
                    <td><span class="id faint">{app.uid ?? ""}</span></td>
                    <td class="c">{worst ? <EndpointStateMark state={worst.state} /> : <span class="faint">no endpoints</span>}</td>
                    <td class="n">{count(mine.length)}</td>
                    <td class={`n b${waiting === 0 ? " z" : ""}`}>{count(waiting)}<span class="u ph"> waiting</span></td>
                    <td class={`n d${dead === 0 ? " z" : ""}`}>{count(dead)}<span class="u ph"> dead</span></td>
                    <td class="n opt"><Ago value={app.createdAt} /></td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
      {isMaking && <NewApplication onClose={() => setMaking(false)} />}
    </>
  );
}

function LatestMessages({ app }: { app: Application }): JSX.Element {
  const list = usePoll(`msgs ${app.id}`, () => get<Page<Message>>(`/app/${part(app.id)}/msg`, { limit: 10, with_content: false }), 3000);
  return (
    <section>
      <div class="h"><h2>Latest messages</h2><span class="opts"><Link href={to(`/app/${part(app.id)}/deliveries`)}>all deliveries</Link></span></div>
      <Loaded of={list}>
        {(page) => page.data.length === 0
          ? <div class="empty"><p class="faint">No message was accepted in this application yet.</p>
            <Curl text={`curl ${new URL(`api/v1/app/${app.uid ?? app.id}/msg`, document.baseURI).href} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -d '{"eventType": "invoice.paid", "payload": {"id": 17}}'`} /></div>
          : <table class="t rows" aria-label="Latest messages">
            <thead><tr><th>type</th><th>event id</th><th>id</th><th class="n">accepted</th></tr></thead>
            <tbody>{page.data.map((each) => (
              <tr key={each.id}>
                <td class="a"><Link href={to(`/app/${part(app.id)}/message/${part(each.id)}`)}>{each.eventType}</Link></td>
                <td class="c grow faint">{each.eventId ?? ""}</td>
                <td><Id id={each.id} /></td>
                <td class="n b"><Ago value={each.timestamp} /></td>
              </tr>))}</tbody>
          </table>}
      </Loaded>
    </section>
  );
}

export function ApplicationScreen({ app: name }: { app: string }): JSX.Element {
  const [isMaking, setMaking] = useState(false);
  const app = applicationOf(name);
  const head = <Head crumbs={[...(isOrganisation() ? [{ label: words.applications, href: to("/app") }] : []), { label: app?.name ?? name }]} />;
  if (!app) return <>{head}{loadedAt.value === 0 && !fleetFailure.value ? <Skeleton lines={8} /> : fleetFailure.value ? <FailureText failure={fleetFailure.value} /> : <h1>There is no such application.</h1>}</>;
  const mine = of(app);
  const bad = mine.filter((view) => !["healthy", "unknown", "waiting"].includes(view.state));
  return (
    <>
      {head}
      <h1><Say text={mine.length === 0 ? `${b(app.name)} has no endpoints yet: its messages go nowhere until it has one.` : `${b(app.name)} has ${plural(mine.length, "endpoint")}; ${bad.length === 0 ? (mine.length === 1 ? "it is healthy" : "all of them are healthy") : `${count(bad.length)} ${bad.length === 1 ? "needs" : "need"} a look`}.`} /></h1>
      <p class="under"><Id id={app.id} />{app.uid && <> · uid <span class="id">{app.uid}</span></>}</p>
      <div class="acts">
        {may("ManageEndpoint") && <button type="button" class={mine.length === 0 ? "btn first" : "btn"} onClick={() => setMaking(true)}>New endpoint…</button>}
        <Link class="btn" href={to(`/app/${part(app.id)}/deliveries`)}>Deliveries</Link>
        <Link class="btn" href={to("/dead-letters", { app: app.id })}>Dead letters</Link>
      </div>
      <Said />
      {mine.length > 0 && <section><Figures list={mine} /></section>}
      {mine.length > 0 && <section><div class="h"><h2>Endpoints</h2></div><EndpointTable list={mine} withApplication={false} label="Endpoints" /></section>}
      <LatestMessages app={app} />
      {isMaking && <EndpointForm app={app} onClose={() => setMaking(false)} />}
    </>
  );
}
