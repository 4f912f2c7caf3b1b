// Did it get there? One line for each endpoint of a message, and its payload.

import type { JSX } from "preact";
import { type Delivery, type Endpoint, get, type Health, type Page, part, send, text, type Message } from "../base/api";
import { now } from "../base/clock";
import { b, c, endpointName, f, words } from "../base/en";
import { applicationOf, views } from "../base/fleet";
import { at, capital, count, inWords, moment, plural } from "../base/format";
import { usePoll } from "../base/poll";
import { rawField } from "../base/raw";
import { Link, to } from "../base/router";
import { may } from "../base/session";
import { RowWake } from "../draw/wake";
import { Bytes } from "../parts/bytes";
import { Act, Id, Loaded, Said } from "../parts/common";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { DeliveryState } from "../parts/state";
import { Moment } from "../parts/time";

interface Line {
  endpoint: Endpoint;
  delivery: Delivery;
}
interface Data {
  message: Message;
  payload: string | undefined;
  lines: Line[];
}

async function load(app: string, id: string): Promise<Data> {
  const raw = await text(`/app/${part(app)}/msg/${part(id)}`);
  const message = JSON.parse(raw) as Message;
  const found = await get<Page<Endpoint>>(`/app/${part(app)}/msg/${part(message.id)}/endpoint`, { limit: 100 });
  const lines = await Promise.all(found.data.map(async (endpoint) => ({
    endpoint, delivery: await get<Delivery>(`/app/${part(app)}/delivery/${part(message.id)}/${part(endpoint.id)}`),
  })));
  return { message, payload: rawField(raw, "payload"), lines };
}

function sentence({ message, lines }: Data): string {
  const title = `${c(message.eventType)}${message.eventId ? ` ${f(`(${message.eventId})`)}` : ""}`;
  const names = (list: Line[]): string => list.map((each) => endpointName(each.endpoint)).slice(0, 3).join(", ") + (list.length > 3 ? ` and ${count(list.length - 3)} more` : "");
  if (lines.length === 0) return `${title} ${b("went nowhere")}: no endpoint of the application wanted it.`;
  const done = lines.filter((each) => each.delivery.status === "delivered");
  const dead = lines.filter((each) => each.delivery.status === "dead");
  const open = lines.filter((each) => !["delivered", "dead", "discarded"].includes(each.delivery.status));
  if (done.length === lines.length) return `${title} ${b(lines.length === 1 ? `reached ${names(done)}` : `reached all ${inWords(lines.length)} of its endpoints`)}.`;
  const parts = [];
  if (done.length > 0) parts.push(`reached ${names(done)}`);
  if (dead.length > 0) parts.push(`${b(`is dead at ${names(dead)}`)}`);
  if (open.length > 0) parts.push(`${b(`is on its way to ${names(open)}`)}`);
  if (parts.length === 0) return `${title} ${b("was discarded")}.`;
  return `${title} ${parts.join("; ")}.`;
}

export function MessageScreen({ app, message: id }: { app: string; message: string }): JSX.Element {
  const data = usePoll(`message ${app} ${id}`, () => load(app, id), 1500);
  const healthOf = (endpoint: string): Health | undefined => views.value.find((view) => view.endpoint.id === endpoint)?.health;
  const owner = applicationOf(app);
  return (
    <>
      <Head crumbs={[{ label: owner?.name ?? app, href: to(`/app/${part(app)}`) }, { label: "Messages", href: to(`/app/${part(app)}/deliveries`) }, { label: data.data?.message.eventId ?? data.data?.message.eventType ?? id }]} />
      <Loaded of={data} lines={8}>{(found) => (
        <>
          <h1><Say text={sentence(found)} /></h1>
          <p class="under"><Id id={found.message.id} />{found.message.eventId && <> · event id <span class="id">{found.message.eventId}</span></>} · accepted {moment(at(found.message.timestamp), now.value)}{found.message.tags?.length ? ` · tagged ${found.message.tags.join(", ")}` : ""}</p>
          <Said />
          {found.lines.length > 0 && (
            <section>
              <div class="h"><h2>{capital(plural(found.lines.length, "endpoint"))}</h2></div>
              <table class="t rows" aria-label={words.deliveries}>
                <thead><tr><th>state</th><th>endpoint</th><th>wake</th><th class="n">attempts</th><th class="n">answer</th><th class="n">next</th><th><span class="vh">do</span></th></tr></thead>
                <tbody>{found.lines.map(({ endpoint, delivery: d }) => (
                  <tr key={endpoint.id}>
                    <td class="c"><DeliveryState delivery={d} health={healthOf(endpoint.id)} /></td>
                    <td class="a grow"><Link href={to(`/app/${part(app)}/delivery/${part(d.msgId)}/${part(endpoint.id)}`)}><b>{endpointName(endpoint)}</b></Link></td>
                    <td><RowWake delivery={d} now={now.value} /></td>
                    <td class="n b">{d.attemptsTotal}<span class="u"> of {d.maxAttempts}</span></td>
                    <td class="n">{d.lastStatus ?? d.lastError ?? "–"}</td>
                    <td class="n"><Moment value={d.nextAttemptAt} /></td>
                    <td class="n d">{may("CreateAttempts") && ["dead", "delivered", "discarded"].includes(d.status) ? <Act label="Send again" quiet run={async () => { await send("POST", `/app/${part(app)}/msg/${part(d.msgId)}/endpoint/${part(endpoint.id)}/resend`); data.again(); }} /> : ""}</td>
                  </tr>))}</tbody>
              </table>
            </section>
          )}
          <section>
            <div class="h"><h2>Payload</h2></div>
            {found.payload === undefined || found.payload === '{"expired":true}' ? <p class="faint small">The payload was deleted, or its time is over.</p> : <Bytes raw={found.payload} label="as it was accepted, and as it is sent" isJson />}
          </section>
        </>
      )}</Loaded>
    </>
  );
}
