// What will not be tried again by itself: found by a filter, replayed by the row, by the selection
// or as a whole.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Delivery, Failure, get, part, send } from "../base/api";
import { serverNow } from "../base/clock";
import { deadTexts as t, endpointName, reasonWords, words } from "../base/en";
import { applicationOf, applications, views } from "../base/fleet";
import { at, brief, count, moment } from "../base/format";
import { usePoll } from "../base/poll";
import { Link } from "../base/router";
import { may, session } from "../base/session";
import { Glyph } from "../draw/glyph";
import { Act, Confirm, FailureText, Id, Said, Skeleton } from "../parts/common";
import { Choice, Clear, filled, When, whenOf, Word } from "../parts/filter";
import { Head } from "../parts/frame";
import { Planner, type Selection } from "../parts/planner";
import { useRows } from "../parts/rows";
import { Say } from "../parts/say";
import { DeliveryState } from "../parts/state";
import { Moment } from "../parts/time";
import { Windowed } from "../parts/windowed";
import { deliveryHref } from "./endpoint";

const REASONS = ["permanent", "exhausted", "expired", "gone", "cancelled", "blocked"];
const NAMES = ["app", "endpoint", "reason", "type", "tag", "since", "until"];
const keyOf = (d: Delivery): string => `${d.msgId} ${d.endpointId}`;

interface Counts {
  total: number;
  reasons: Record<string, number>;
}

const WATCH_MS = 60_000;

/** Sends one again and follows it until the receiver has answered. */
async function replayOne(d: Delivery, show: (now: Delivery) => void): Promise<void> {
  await send("POST", `/app/${part(d.appId)}/msg/${part(d.msgId)}/endpoint/${part(d.endpointId)}/resend`);
  const end = serverNow() + WATCH_MS;
  while (serverNow() < end) {
    const found = await get<Delivery>(`/app/${part(d.appId)}/delivery/${part(d.msgId)}/${part(d.endpointId)}`);
    show(found);
    if (found.status === "delivered" || found.status === "dead" || found.status === "held" || (found.status === "retrying" && found.attempt > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

export function DeadLetters(): JSX.Element {
  const own = session.value?.appId ?? null;
  const app = own ?? (filled("app") || null);
  const id = app ? (applicationOf(app)?.id ?? app) : null;
  const mine = views.value.filter((view) => view.application.id === id);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [followed, setFollowed] = useState<Map<string, Delivery>>(new Map());
  const [isDiscarding, setDiscarding] = useState(false);

  const list = useRows<Delivery>(id ? `/app/${part(id)}/dead-letter` : "/dead-letter", {
    reason: filled("reason"), ...(id ? { endpoint_id: filled("endpoint") } : {}), event_types: filled("type"), tag: filled("tag"),
  }, keyOf);
  const counts = usePoll(`dead counts ${id}`, () => get<Counts>(id ? `/app/${part(id)}/dead-letter/count` : "/dead-letter/count"), 4000);

  // The list's own times are the message's; a replay goes by the death. What is shown goes by the death too.
  const since = at(whenOf("since"));
  const until = at(whenOf("until"));
  const rows = list.rows.filter((d) => !(at(d.updatedAt) < since) && !(at(d.updatedAt) >= until));
  const hasTimes = !Number.isNaN(since) || !Number.isNaN(until);
  if (hasTimes && rows.length < 50 && list.hasLoaded && !list.isDone && !list.isLoading && list.rows.length < 5000) queueMicrotask(list.more);

  const selection: Selection = {
    ...(filled("endpoint") ? { endpointId: filled("endpoint") } : {}), ...(filled("type") ? { eventTypes: filled("type").split(",") } : {}),
    ...(filled("reason") ? { reasons: [filled("reason")] } : {}), ...(whenOf("since") ? { since: whenOf("since")! } : {}), ...(whenOf("until") ? { until: whenOf("until")! } : {}),
  };
  const refusal = filled("tag") ? t.inexpressible("a tag") : null;
  const inView = rows.filter((d) => chosen.has(keyOf(d)));
  const follow = (d: Delivery) => (found: Delivery): void => setFollowed((before) => new Map(before).set(keyOf(d), found));
  const replayChosen = async (): Promise<void> => {
    for (const d of inView) await replayOne(d, follow(d));
    setChosen(new Set());
    counts.again();
  };
  const discardChosen = async (): Promise<void> => {
    for (const d of inView) {
      await send("DELETE", `/app/${part(d.appId)}/dead-letter/${part(d.msgId)}/${part(d.endpointId)}`).catch((error: unknown) => {
        if (!(error instanceof Failure && error.status === 404)) throw error;
      });
    }
  };
  const toggle = (key: string): void => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const hasFilter = NAMES.some((name) => filled(name));
  const total = counts.data?.total ?? 0;
  const reasons = counts.data?.reasons ?? {};
  const canReplay = may("CreateAttempts");
  const isEmpty = counts.data !== undefined && total === 0 && list.hasLoaded && rows.length === 0;
  return (
    <>
      <Head crumbs={[{ label: words.deadLetters }]} />
      <h1>{counts.data ? <Say text={t.sentence(total, id ? (applicationOf(id)?.name ?? "this application") : null, reasons, false)} /> : "\u00A0"}</h1>
      <div class="asks" role="search" aria-label="Filter">
        {!own && <Choice name="app" label={t.of} blank={t.everyApp} options={applications.value.map((each) => [each.id, each.name])} clears={["endpoint"]} />}
        {id && <Choice name="endpoint" label={own ? t.of : "at"} blank={t.everyEndpoint} options={mine.map((view) => [view.endpoint.id, endpointName(view.endpoint)])} />}
        <When name="since" label={t.died} />
        <When name="until" label={t.until} />
        <Choice name="reason" label={t.reason} blank={t.anyReason} options={REASONS.map((each) => [each, each])} />
        <Word name="type" label={t.type} blank={t.anyType} />
        <Word name="tag" label={t.tag} blank={t.noTag} size={8} />
        <Clear names={NAMES} label={t.clear} />
      </div>
      <Said />
      {isEmpty ? <p class="empty faint">{hasFilter ? "Nothing fits this filter." : "A delivery comes here when its attempts or its time are spent, or when the receiver refuses it for good. From here it is replayed, or discarded."}</p> : (
        <section class="cols planner">
          <div>
            {inView.length > 0 && (
              <div class="chosen" role="group" aria-label="Selection"><b>{t.selected(inView.length)}</b>
                {canReplay && <Act label={t.replayN(inView.length)} run={replayChosen} />}
                <button type="button" class="btn quiet" onClick={() => setChosen(new Set(rows.map(keyOf)))}>{t.selectAll}</button>
                {may("ManageEndpoint") && <span class="apart"><button type="button" class="btn danger" onClick={() => setDiscarding(true)}>{t.discardN(inView.length)}</button></span>}
              </div>
            )}
            {list.failure && <FailureText failure={list.failure} />}
            {rows.length === 0 && (!list.hasLoaded || list.isLoading) && <Skeleton lines={8} />}
            {rows.length === 0 && list.hasLoaded && list.isDone && <p class="empty faint">Nothing fits this filter.</p>}
            {rows.length > 0 && (
              <Windowed rows={rows} rowHeight={36} phoneRowHeight={59} columns={7} className="t rows sel" label={words.deadLetters} onEnd={list.more}
                head={<tr><th><input type="checkbox" aria-label="Select all in view" checked={inView.length === rows.length} onChange={() => setChosen(inView.length === rows.length ? new Set() : new Set(rows.map(keyOf)))} /></th><th class="n">{t.diedColumn}</th><th>{t.message}</th><th class="opt">{id ? "endpoint" : "application"}</th><th class="n">{t.answer}</th><th class="n">{t.attempts}</th><th><span class="vh">do</span></th></tr>}
                row={(dead, i) => {
                  const key = keyOf(dead);
                  const d = followed.get(key) ?? dead;
                  const isOut = d.status !== "dead";
                  return (
                    <tr key={key} aria-rowindex={i + 2} data-selected={chosen.has(key) ? "" : undefined} data-row={key}>
                      <td class="s"><input type="checkbox" aria-label={`Select ${d.eventId ?? d.msgId}`} checked={chosen.has(key)} onChange={() => toggle(key)} /></td>
                      <td class="n b"><Moment value={dead.updatedAt} /></td>
                      <td class="a grow">{isOut ? <DeliveryState delivery={d} /> : <Glyph name="dead" tone="bad" />} <Link href={deliveryHref(d)}>{d.eventId ?? <Id id={d.msgId} />}</Link> <span class="faint">{d.eventType ?? t.goneMessage}</span></td>
                      <td class="opt">{id ? endpointName(mine.find((view) => view.endpoint.id === d.endpointId)?.endpoint, d.endpointId) : (applicationOf(d.appId)?.name ?? "")}</td>
                      <td class="n c" title={reasonWords(dead.reason)}>{dead.lastStatus ?? dead.lastError ?? "–"}</td>
                      <td class="n">{dead.attempt}<span class="u"> of {dead.maxAttempts}</span></td>
                      <td class="n d">{canReplay && !isOut ? <Act label={t.replay} quiet run={async () => { await replayOne(dead, follow(dead)); counts.again(); }} /> : ""}</td>
                    </tr>
                  );
                }} />
            )}
            {rows.length > 0 && <p class="small faint more">{list.isDone ? `${count(rows.length)} in all` : <>{t.lookedBack(brief(at(rows.at(-1)!.updatedAt), serverNow()))} · <button type="button" class="btn quiet" onClick={list.more}>{t.goOn}</button></>}</p>}
          </div>
          {canReplay && <Planner app={id} selection={selection} refusal={refusal} onDiscarded={() => { list.reload(); counts.again(); }} />}
        </section>
      )}
      {isDiscarding && (
        <Confirm title={`Discard ${count(inView.length)} dead letters`} action={`Discard ${count(inView.length)}`} danger onClose={() => setDiscarding(false)} run={discardChosen} onDone={() => { setChosen(new Set()); list.reload(); counts.again(); }}>
          <p>They leave this list and the counts. Their history stays, and each can still be sent again by its name.</p>
        </Confirm>
      )}
      <p class="vh">{moment(serverNow(), serverNow())}</p>
    </>
  );
}
