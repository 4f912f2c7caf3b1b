// The event types that the organisation has described.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { all, type EventType, part, send } from "../base/api";
import { b, words } from "../base/en";
import { plural } from "../base/format";
import { usePoll } from "../base/poll";
import { params, setParams } from "../base/router";
import { isOrganisation } from "../base/session";
import { Bytes } from "../parts/bytes";
import { Act, Confirm, Field, Loaded, Said } from "../parts/common";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { Ago } from "../parts/time";

function NewType({ onClose, onDone }: { onClose: () => void; onDone: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  return (
    <Confirm title="New event type" action="Create" onClose={onClose} onDone={onDone} run={() => send("POST", "/event-type", { name, description })}>
      <Field id="type-name" label="name, such as invoice.paid"><input id="type-name" type="text" class="mono" value={name} onInput={(e) => setName(e.currentTarget.value)} /></Field>
      <Field id="type-about" label="what it tells"><input id="type-about" type="text" value={description} onInput={(e) => setDescription(e.currentTarget.value)} /></Field>
    </Confirm>
  );
}

export function EventTypes(): JSX.Element {
  const withArchived = params.value.get("archived") === "true";
  const list = usePoll(`types ${withArchived}`, () => all<EventType>("/event-type", { include_archived: withArchived, with_content: true }, 2000), 10_000);
  const [isMaking, setMaking] = useState(false);
  const open = params.value.get("type");
  return (
    <>
      <Head crumbs={[{ label: words.eventTypes }]} />
      <Loaded of={list} lines={8}>{({ data }) => (
        <>
          <h1><Say text={data.length === 0 ? `${b("No event types are described.")} Messages of any type are taken; a description lets endpoints choose among them, and its schema can be enforced.` : `${b(plural(data.length, "event type"))} ${data.length === 1 ? "is" : "are"} described; ${data.filter((each) => each.validate).length} of them are enforced.`} /></h1>
          <div class="acts">
            {isOrganisation() && <button type="button" class={data.length === 0 ? "btn first" : "btn"} onClick={() => setMaking(true)}>New event type…</button>}
            <button type="button" class="btn" aria-pressed={withArchived} onClick={() => setParams({ archived: withArchived ? null : "true" })}>{withArchived ? "Without archived" : "With archived"}</button>
          </div>
          <Said />
          {data.length > 0 && (
            <section>
              <table class="t rows" aria-label={words.eventTypes}>
                <thead><tr><th>name</th><th>what it tells</th><th>group</th><th>checked</th><th class="n opt">changed</th><th><span class="vh">do</span></th></tr></thead>
                <tbody>{data.map((each) => (
                  <tr key={each.name}>
                    <td class="a"><button type="button" class="btn quiet" aria-expanded={open === each.name} onClick={() => setParams({ type: open === each.name ? null : each.name })}><code>{each.name}</code></button>{each.archived && <span class="faint"> archived</span>}{each.deprecated && <span class="faint"> deprecated</span>}</td>
                    <td class="c grow">{each.description}</td>
                    <td class="faint">{each.groupName ?? ""}</td>
                    <td>{each.validate ? "against its schema" : <span class="faint">no</span>}</td>
                    <td class="n opt"><Ago value={each.updatedAt} /></td>
                    <td class="n b">{isOrganisation() && !each.archived && <Act label="Archive" quiet run={async () => { await send("DELETE", `/event-type/${part(each.name)}`); list.again(); }} />}</td>
                  </tr>))}</tbody>
              </table>
            </section>
          )}
          {open && data.some((each) => each.name === open) && <section><div class="h"><h2>Schemas of <code>{open}</code></h2></div><Bytes raw={JSON.stringify(data.find((each) => each.name === open)!.schemas ?? null, null, 2)} label="by version" /></section>}
          {isMaking && <NewType onClose={() => setMaking(false)} onDone={list.again} />}
        </>
      )}</Loaded>
    </>
  );
}
