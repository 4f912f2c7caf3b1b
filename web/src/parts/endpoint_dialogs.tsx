// Everything about an endpoint that asks before it is done.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type EventType, get, type Page, part, send, type Task } from "../base/api";
import { serverNow } from "../base/clock";
import { endpointName, type EndpointView, words } from "../base/en";
import { refreshFleet } from "../base/fleet";
import { usePoll } from "../base/poll";
import { go, to } from "../base/router";
import { Confirm, Field } from "./common";
import { EndpointForm } from "./endpoint_form";

export type DialogName = "pause" | "close" | "example" | "recover" | "missing" | "edit" | "remove";

interface Props {
  name: DialogName;
  view: EndpointView;
  onClose: () => void;
  onDone: () => void;
}

const DAY = 86_400_000;
const SPANS: [string, number][] = [["the last hour", 3_600_000], ["the last 6 hours", 21_600_000], ["the last day", DAY], ["the last 3 days", 3 * DAY], ["the last 7 days", 7 * DAY], ["the last 14 days", 14 * DAY]];

function Example({ view, onClose, onDone }: Props): JSX.Element {
  const [type, setType] = useState("svix.ping");
  const types = usePoll("example types", () => get<Page<EventType>>("/event-type", { limit: 250, with_content: true }), 0);
  const known = (types.data?.data ?? []).filter((each) => JSON.stringify(each.schemas ?? null).includes('"examples"'));
  return (
    <Confirm title={`Send an example to ${endpointName(view.endpoint)}`} action="Send" onClose={onClose} onDone={onDone}
      run={async () => {
        const message = await send<{ id: string }>("POST", `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}/send-example`, { eventType: type });
        go(to(`/app/${part(view.application.id)}/delivery/${part(message.id)}/${part(view.endpoint.id)}`));
      }}>
      <p>It goes to this endpoint alone, signed like any other message.</p>
      <Field id="example-type" label="event type"><select id="example-type" value={type} onChange={(e) => setType(e.currentTarget.value)}>
        <option value="svix.ping">svix.ping, which always works</option>{known.map((each) => <option key={each.name} value={each.name}>{each.name}</option>)}</select></Field>
    </Confirm>
  );
}

function Again({ name, view, onClose, onDone }: Props): JSX.Element {
  const [span, setSpan] = useState(DAY);
  const [rate, setRate] = useState("100");
  const isRecover = name === "recover";
  return (
    <Confirm title={isRecover ? "Recover dead letters" : "Send what it missed"} action={isRecover ? "Recover" : "Send"} onClose={onClose} onDone={onDone}
      run={async () => {
        const task = await send<Task>("POST", `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}/${isRecover ? "recover" : "replay-missing"}`, {
          since: new Date(serverNow() - span).toISOString(), ratePerMinute: Number(rate),
        });
        go(to(`/replays/${part(task.id)}`));
      }}>
      <p>{isRecover ? "What died at this endpoint is put back, gradually." : "Messages that this endpoint wants and has no delivery of, because it was disabled or did not exist yet, are sent gradually."}</p>
      <div class="fields">
        <Field id="span" label="of"><select id="span" value={String(span)} onChange={(e) => setSpan(Number(e.currentTarget.value))}>{SPANS.map(([label, ms]) => <option key={label} value={String(ms)}>{label}</option>)}</select></Field>
        <Field id="rate" label="begin with, per minute"><input id="rate" type="text" class="mono" inputMode="numeric" value={rate} onInput={(e) => setRate(e.currentTarget.value)} /></Field>
      </div>
    </Confirm>
  );
}

function Pause({ view, onClose, onDone }: Props): JSX.Element {
  const [reason, setReason] = useState("");
  return (
    <Confirm title={`Pause ${endpointName(view.endpoint)}`} action="Pause" onClose={onClose} onDone={() => { onDone(); refreshFleet(); }}
      run={() => send("POST", `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}/pause`, reason ? { reason } : {})}>
      <p>Messages go on making deliveries for it; they wait, and their give-up clock stands still. Resuming lets them go gradually.</p>
      <Field id="reason" label="why, for whoever looks next"><input id="reason" type="text" value={reason} onInput={(e) => setReason(e.currentTarget.value)} /></Field>
    </Confirm>
  );
}

export function EndpointDialog(props: Props): JSX.Element {
  const { name, view, onClose, onDone } = props;
  const path = `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}`;
  switch (name) {
    case "pause":
      return <Pause {...props} />;
    case "example":
      return <Example {...props} />;
    case "recover":
    case "missing":
      return <Again {...props} />;
    case "edit":
      return <EndpointForm app={view.application} endpoint={view.endpoint} onClose={onClose} onSaved={onDone} />;
    case "close":
      return (
        <Confirm title="Close the circuit" action="Close circuit" danger onClose={onClose} onDone={() => { onDone(); refreshFleet(); }} run={() => send("POST", `${path}/circuit/close`)}>
          <p>Traffic comes back at once, gradually, without waiting for a good probe. If the receiver is still down, attempts are spent until the circuit opens again.</p>
        </Confirm>
      );
    case "remove":
      return (
        <Confirm title={`Delete ${endpointName(view.endpoint)}`} action={`Delete ${endpointName(view.endpoint)}`} danger onClose={onClose} onDone={() => { refreshFleet(); go(to(`/app/${part(view.application.id)}`)); }} run={() => send("DELETE", path)}>
          <p>What waits for it ends as cancelled. Its history stays. {words.cancel} if you only want to hold it: pause it instead.</p>
        </Confirm>
      );
  }
}
