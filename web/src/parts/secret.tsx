// The signing secret: shown on a click, hidden again after 30 s.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, part, send } from "../base/api";
import { now } from "../base/clock";
import { endpointTexts as t, type EndpointView } from "../base/en";
import { may } from "../base/session";
import { Act, Confirm, CopyButton, Field } from "./common";

const SHOWN_MS = 30_000;

export function Secret({ view }: { view: EndpointView }): JSX.Element {
  const path = `/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}/secret`;
  const [shown, setShown] = useState<{ key: string; until: number } | null>(null);
  const [isRotating, setRotating] = useState(false);
  const [grace, setGrace] = useState("86400");
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setShown(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const left = shown ? Math.max(0, Math.ceil((shown.until - now.value) / 1000)) : 0;
  return (
    <section>
      <div class="h"><h2>{t.secret} <span class="faint plainw">{t.secretUnder}</span></h2>{may("ManageEndpointSecret") && <span class="opts"><button type="button" class="btn quiet" onClick={() => setRotating(true)}>{t.rotate}</button></span>}</div>
      <div class="secret">
        <code data-secret={shown ? "shown" : "hidden"}>{shown ? shown.key : "••••••••••••••••••••••••"}</code>
        {shown ? <button type="button" class="btn quiet" onClick={() => setShown(null)}>{t.hide}</button>
          : <Act label={t.show} quiet run={async () => { const { key } = await get<{ key: string }>(path); setShown({ key, until: now.peek() + SHOWN_MS }); }} />}
        {shown && <CopyButton text={shown.key} className="btn quiet" />}
        {shown && <span class="faint small" aria-hidden="true">{t.hidesIn(left)}</span>}
      </div>
      {isRotating && (
        <Confirm title="Rotate the signing secret" action="Rotate" danger onClose={() => setRotating(false)} onDone={() => setShown(null)}
          run={() => send("POST", `${path}/rotate`, { gracePeriodSeconds: Number(grace) })}>
          <p>A new secret is made. The old one goes on signing beside it for a while, so that the receiver can change over without losing anything.</p>
          <Field id="grace" label="the old one goes on for"><select id="grace" value={grace} onChange={(e) => setGrace(e.currentTarget.value)}>
            <option value="0">not at all</option><option value="3600">1 h</option><option value="86400">1 d</option><option value="604800">7 d</option></select></Field>
        </Confirm>
      )}
    </section>
  );
}
