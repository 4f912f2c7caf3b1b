// What is set on an endpoint: its retry policy as a drawing, and its guards as facts.

import type { JSX } from "preact";
import { type Policy, part, type Preset, type Preview, get, send, type Page } from "../base/api";
import { endpointName, endpointTexts as t, type EndpointView } from "../base/en";
import { parseDuration, wholeDuration } from "../base/format";
import { usePoll } from "../base/poll";
import { Link, to } from "../base/router";
import { may } from "../base/session";
import { lenses } from "../draw/bands";
import { lens, ticks, timeScale } from "../draw/scale";
import { Drawing, Loaded } from "./common";

export type Source = "endpoint" | "application" | "server";
export interface Effective {
  policy: string | Policy | null; // Null: the server's, which the API does not tell.
  from: Source;
}

export function effectivePolicy(view: Pick<EndpointView, "application" | "endpoint">): Effective {
  const own = view.endpoint.retryPolicy as string | Policy | null | undefined;
  if (own !== null && own !== undefined) return { policy: own, from: "endpoint" };
  const theirs = view.application.retryPolicy as string | Policy | null | undefined;
  if (theirs !== null && theirs !== undefined) return { policy: theirs, from: "application" };
  return { policy: null, from: "server" };
}

/** The whole policy of a name or an object that leaves things out. */
export function wholeOf(policy: string | Policy, presets: Preset[]): Policy {
  if (typeof policy === "string") return presets.find((each) => each.name === policy)?.policy ?? ({} as Policy);
  return policy;
}

export const presetsOnce = (): Promise<Page<Preset>> => get<Page<Preset>>("/retry-policy");

export const previewOf = (policy: string | Policy): Promise<Preview> => send<Preview>("POST", "/retry-policy/preview", { policy });

export function PolicySummary({ view }: { view: EndpointView }): JSX.Element {
  const { policy, from } = effectivePolicy(view);
  const canPreview = may("ManageEndpoint");
  const key = `${view.endpoint.id} ${JSON.stringify(policy)}`;
  const found = usePoll(`policy ${key}`, async () => {
    const presets = (await presetsOnce()).data;
    // The server's own is not told; the default preset stands for it only if nothing else is set.
    const fallback = presets.find((each) => each.isDefault)?.name ?? "";
    const used = policy ?? fallback;
    return { presets, used, preview: canPreview && used !== "" ? await previewOf(used) : null };
  }, 0);
  const href = to(`/app/${part(view.application.id)}/endpoint/${part(view.endpoint.id)}/policy`);
  return (
    <div>
      <div class="h"><h2>{t.policyTitle}</h2>{canPreview && <span class="opts"><Link href={href} aria-label={`${t.policy} the retry policy of ${endpointName(view.endpoint)}`}>{t.policy}</Link></span>}</div>
      <Loaded of={found}>{({ presets, used, preview }) => {
        const whole = wholeOf(used, presets) as Record<string, unknown>;
        const rows = preview?.attempts ?? [];
        const total = rows.at(-1)?.cumulativeMeanMs ?? 0;
        const name = typeof used === "string" ? used : "Its own";
        const giveUp = parseDuration(String(whole.giveUpAfter ?? "96h"));
        return (
          <>
            <p class="small"><b>{name}</b>, {from === "server" ? "as the server has it unless it is configured otherwise" : `set on the ${from}`}: {String(whole.maxAttempts ?? 10)} attempts{total > 0 ? ` over about ${wholeDuration(total)}` : ""}. Given up after {wholeDuration(giveUp)} at the latest, the time with an open circuit included.</p>
            {preview && <Drawing draw={(width) => {
              const length = Math.max(60_000, rows.reduce((sum, row) => sum + row.maxMs, 0));
              const place = timeScale(length, 6, width - 14);
              return (
                <svg class="chart" viewBox={`0 0 ${width} 58`} role="img" aria-label={`${rows.length} attempts over about ${wholeDuration(total)}`}>
                  <path class="tick" d={`M6 20H${width - 14}`} /><circle class="f-acc" cx="6" cy="20" r="3" />
                  {lenses(preview).map((each, i) => <g key={each.n}><path class="lens" d={lens(place(each.from), place(each.to), 20, Math.min(6 + i, 14))} /><path class="k-a" d={`M${place(each.mean)} 17v6`} /></g>)}
                  {ticks(length, place, 60).map(([label, ms]) => <text key={label} class="ax m" x={place(ms)} y="54">{label}</text>)}
                </svg>);
            }} />}
          </>
        );
      }}</Loaded>
    </div>
  );
}

const DEFAULTS: Record<string, string | number | boolean> = {
  openAfter: 20, openWindow: "60s", openWindowAttempts: 40, openWindowPercent: 50, openExhausted: 10, openExhaustedWindow: "24h",
  openTime: "15s", openTimeMax: "10m", rampStep: "5s", rampPercent: 10, rampInFlight: 1, rampDivisor: 10, releaseAfterOutage: true, pauseAfter: 100,
};

export function Guards({ view }: { view: EndpointView }): JSX.Element {
  const own = (view.endpoint.guards ?? view.application.guards ?? {}) as Record<string, string | number | boolean>;
  const g = { ...DEFAULTS, ...own };
  const h = view.health;
  const say = (text: unknown): string => { const ms = parseDuration(String(text)); return Number.isNaN(ms) ? String(text) : wholeDuration(ms); };
  const timeout = view.endpoint.timeout ?? view.application.timeout;
  return (
    <div>
      <div class="h"><h2>{t.guards}</h2></div>
      <dl class="facts">
        <dt>in flight at once</dt><dd>{h?.maxInFlight ?? "–"}, adapts down to 1</dd>
        <dt>rate</dt><dd>{h?.throttleRate ? `${h.throttleRate} /s at most` : "none set"}</dd>
        <dt>one attempt</dt><dd>{timeout ? `${say(timeout)} at most` : "as the server has it"}</dd>
        <dt>opens on</dt><dd>{String(g.openAfter)} failures in a row, or {String(g.openWindowPercent)} % of {String(g.openWindowAttempts)} within {say(g.openWindow)}</dd>
        <dt>stays open</dt><dd>{say(g.openTime)} to {say(g.openTimeMax)}, an eighth of the outage</dd>
        <dt>pauses on</dt><dd>410, or over {String(g.pauseAfter)} final refusals in a row</dd>
      </dl>
    </div>
  );
}
