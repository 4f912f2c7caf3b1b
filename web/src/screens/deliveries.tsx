// The deliveries of an application, newest first, by a filter that lives in the address.

import type { JSX } from "preact";
import { type Delivery, part } from "../base/api";
import { now } from "../base/clock";
import { b, endpointName, words } from "../base/en";
import { applicationOf, applications, loadedAt, views } from "../base/fleet";
import { capital, count, statusWords } from "../base/format";
import { go, Link, to } from "../base/router";
import { isOrganisation, session } from "../base/session";
import { RowWake } from "../draw/wake";
import { FailureText, Id, Skeleton } from "../parts/common";
import { Choice, Clear, filled, When, whenOf, Word } from "../parts/filter";
import { Head } from "../parts/frame";
import { useRows } from "../parts/rows";
import { Say } from "../parts/say";
import { DeliveryState } from "../parts/state";
import { Ago } from "../parts/time";
import { Windowed } from "../parts/windowed";
import { deliveryHref } from "./endpoint";

const STATES = ["pending", "retrying", "held", "delivered", "dead", "discarded"];
const NAMES = ["status", "endpoint", "type", "tag", "since", "until"];

/** Without an application in the address: the one there is, or a choice. */
export function AllDeliveries(): JSX.Element {
  const only = session.value?.appId ?? (applications.value.length === 1 ? applications.value[0]!.id : null);
  if (only) return <Deliveries app={only} />;
  const head = <Head crumbs={[{ label: words.deliveries }]} />;
  if (loadedAt.value === 0) return <>{head}<Skeleton /></>;
  return (
    <>
      {head}
      <h1><Say text={applications.value.length === 0 ? `${b("No deliveries yet.")} A delivery is one message on its way to one endpoint.` : `${b("Whose deliveries?")} They are listed by application.`} /></h1>
      <section>
        <table class="t rows" aria-label={words.applications}><thead><tr><th>application</th><th class="n">endpoints</th><th class="n">waiting</th></tr></thead>
          <tbody>{applications.value.map((app) => {
            const mine = views.value.filter((view) => view.application.id === app.id);
            const waiting = mine.reduce((sum, v) => sum + (v.health?.queue.fresh ?? 0) + (v.health?.queue.retrying ?? 0), 0);
            return <tr key={app.id}><td class="a grow"><Link href={to(`/app/${part(app.id)}/deliveries`)}><b>{app.name}</b></Link></td><td class="n c">{count(mine.length)}<span class="u ph"> endpoints</span></td><td class={`n b${waiting === 0 ? " z" : ""}`}>{count(waiting)}</td></tr>;
          })}</tbody></table>
      </section>
    </>
  );
}

export function Deliveries({ app }: { app: string }): JSX.Element {
  const owner = applicationOf(app);
  const id = owner?.id ?? app;
  const mine = views.value.filter((view) => view.application.id === id);
  const list = useRows<Delivery>(`/app/${part(id)}/delivery`, {
    status: filled("status"), endpoint_id: filled("endpoint"), event_types: filled("type"), tag: filled("tag"), after: whenOf("since"), before: whenOf("until"),
  }, (row) => row.msgId + row.endpointId, 2500);
  const hasFilter = NAMES.some((name) => filled(name));
  const nameOf = (endpoint: string): string => endpointName(mine.find((view) => view.endpoint.id === endpoint)?.endpoint, endpoint);
  const healthOf = (endpoint: string) => mine.find((view) => view.endpoint.id === endpoint)?.health;
  return (
    <>
      <Head crumbs={[...(isOrganisation() ? [{ label: words.applications, href: to("/app") }] : []), { label: owner?.name ?? app, href: to(`/app/${part(app)}`) }, { label: words.deliveries }]} />
      <h1><Say text={`${b(`Deliveries of ${owner?.name ?? "this application"}`)}, newest message first.`} /></h1>
      <div class="asks" role="search" aria-label="Filter">
        {isOrganisation() && applications.value.length > 1 && (
          <label>of <select value={id} data-filter="app" onChange={(e) => go(to(`/app/${part(e.currentTarget.value)}/deliveries`, { status: filled("status") }))}>{applications.value.map((each) => <option key={each.id} value={each.id}>{each.name}</option>)}</select></label>
        )}
        <Choice name="status" label="that are" blank="in any state" options={STATES.map((each) => [each, each])} />
        <Choice name="endpoint" label="for" blank="any endpoint" options={mine.map((view) => [view.endpoint.id, endpointName(view.endpoint)])} />
        <Word name="type" label="of type" blank="any" />
        <Word name="tag" label="tagged" blank="anything" size={8} />
        <When name="since" label="accepted since" />
        <When name="until" label="until" />
        <Clear names={NAMES} label="clear" />
      </div>
      <p class="said" role="status">{list.fresh > 0 && <button type="button" class="btn" onClick={list.reload}>{list.fresh >= 50 ? "50 or more new" : `${count(list.fresh)} new`}</button>}</p>
      {list.failure && <FailureText failure={list.failure} />}
      {list.rows.length === 0 && list.hasLoaded && !list.failure && list.isDone && <p class="empty faint">{hasFilter ? "Nothing fits this filter." : "No delivery has been made in this application yet: it needs an endpoint and a message."}</p>}
      {list.rows.length === 0 && !list.hasLoaded && <Skeleton lines={10} />}
      {list.rows.length > 0 && (
        <Windowed rows={list.rows} rowHeight={36} phoneRowHeight={59} columns={8} label={words.deliveries} onEnd={list.more}
          head={<tr><th>state</th><th>message</th><th>endpoint</th><th>wake</th><th class="n">attempts</th><th class="n">answer</th><th class="n opt">accepted</th><th class="opt">id</th></tr>}
          row={(d, i) => (
            <tr key={d.msgId + d.endpointId} aria-rowindex={i + 2}>
              <td class="c"><DeliveryState delivery={d} health={healthOf(d.endpointId)} /><span class="ph"> · {nameOf(d.endpointId)}</span></td>
              <td class="a grow"><Link href={deliveryHref(d)}>{d.eventType ?? "a message"} <span class="faint">{d.eventId ?? ""}</span></Link></td>
              <td>{nameOf(d.endpointId)}</td>
              <td><RowWake delivery={d} now={now.value} /></td>
              <td class="n b">{d.attemptsTotal}<span class="u"> of {d.maxAttempts}</span></td>
              <td class="n d" title={d.lastStatus ? statusWords(d.lastStatus) : (d.lastError ?? "")}>{d.lastStatus ?? (d.lastError ? "none" : "–")}</td>
              <td class="n opt"><Ago value={d.acceptedAt} /></td>
              <td class="opt"><Id id={d.msgId} /></td>
            </tr>
          )} />
      )}
      {!list.isDone && list.hasLoaded && <p class="small faint more">{list.isLoading ? `${words.loading}…` : <>{capital(count(list.rows.length))} loaded · <button type="button" class="btn quiet" onClick={list.more}>go on</button></>}</p>}
    </>
  );
}
