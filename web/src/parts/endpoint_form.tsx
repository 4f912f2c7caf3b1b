// Making an endpoint, and changing what is set on it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Application, type Endpoint, Failure, part, send } from "../base/api";
import { words } from "../base/en";
import { refreshFleet } from "../base/fleet";
import { go, to } from "../base/router";
import { Dialog, Field } from "./common";

interface Values {
  url: string; uid: string; description: string; eventTypes: string; throttleRate: string; maxInFlight: string; timeout: string;
}

const valuesOf = (e?: Endpoint): Values => ({
  url: e?.url ?? "", uid: e?.uid ?? "", description: e?.description ?? "", eventTypes: (e?.eventTypes ?? e?.filterTypes ?? []).join(", "),
  throttleRate: e?.throttleRate ? String(e.throttleRate) : "", maxInFlight: e?.maxInFlight ? String(e.maxInFlight) : "", timeout: e?.timeout ?? "",
});

const number = (text: string): number | null => (text.trim() === "" ? null : Number(text));
const bodyOf = (v: Values): Record<string, unknown> => {
  const types = v.eventTypes.split(/[\s,]+/).filter((each) => each !== "");
  return {
    url: v.url.trim(), uid: v.uid.trim() === "" ? null : v.uid.trim(), description: v.description, eventTypes: types.length === 0 ? null : types,
    throttleRate: number(v.throttleRate), maxInFlight: number(v.maxInFlight), timeout: v.timeout.trim() === "" ? null : v.timeout.trim(),
  };
};

export function EndpointForm({ app, endpoint, onClose, onSaved }: { app: Application; endpoint?: Endpoint; onClose: () => void; onSaved?: () => void }): JSX.Element {
  const [v, setV] = useState(valuesOf(endpoint));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const errorAt = (name: string): string | undefined => failure?.fields.find((each) => each.loc[1] === name)?.msg;
  const known = ["url", "uid", "description", "eventTypes", "throttleRate", "maxInFlight", "timeout"];
  const isElsewhere = failure && !failure.fields.some((each) => known.includes(each.loc[1] ?? ""));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const path = `/app/${part(app.id)}/endpoint`;
      if (endpoint) await send("PATCH", `${path}/${part(endpoint.id)}`, bodyOf(v));
      else {
        const body = Object.fromEntries(Object.entries(bodyOf(v)).filter(([, each]) => each !== null));
        const made = await send<Endpoint>("POST", path, body);
        go(to(`/app/${part(app.id)}/endpoint/${part(made.id)}`));
      }
      refreshFleet();
      onSaved?.();
      onClose();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      setBusy(false);
    }
  };
  const input = (name: keyof Values, label: string, hint?: string, full = false): JSX.Element => (
    <Field id={`ep-${name}`} label={label} error={errorAt(name)} hint={hint ?? ""} full={full}>
      <input id={`ep-${name}`} type="text" class={name === "description" ? "" : "mono"} value={v[name]} aria-invalid={errorAt(name) !== undefined}
        aria-describedby={errorAt(name) ? `ep-${name}-err` : undefined} onInput={(e) => setV({ ...v, [name]: e.currentTarget.value })} />
    </Field>
  );
  return (
    <Dialog title={endpoint ? "Edit endpoint" : `New endpoint of ${app.name}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="fields">
          {input("url", "URL", "", true)}
          {input("uid", "uid, as your own systems know it")}
          {input("description", "description")}
          {input("eventTypes", "event types, by comma", "empty: every type", true)}
          {input("throttleRate", "attempts per second at most", "empty: no limit")}
          {input("maxInFlight", "in flight at most", "empty: inherits")}
          {input("timeout", "one attempt takes at most", "such as 15s; empty: inherits")}
        </div>
        {isElsewhere && <p class="said bad" role="alert">The server said: {failure.detail}.</p>}
        <div class="acts">
          <button type="submit" class="btn first" disabled={isBusy}>{endpoint ? words.save : "Create"}</button>
          <button type="button" class="btn" onClick={onClose}>{words.cancel}</button>
        </div>
      </form>
    </Dialog>
  );
}
