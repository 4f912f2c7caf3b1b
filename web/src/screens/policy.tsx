// The retry policy of an endpoint: form and JSON side by side, played through as it is written.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Application, type Endpoint, Failure, get, part, type Policy, type Preset, type Preview, send } from "../base/api";
import { b, endpointName, policyTexts as t } from "../base/en";
import { applicationOf, refreshFleet } from "../base/fleet";
import { duration, parseDuration, wholeDuration } from "../base/format";
import { usePoll } from "../base/poll";
import { to } from "../base/router";
import { Bands, type Band } from "../draw/bands";
import { Act, Confirm, CopyButton, Drawing, Field, Loaded, Said } from "../parts/common";
import { effectivePolicy, presetsOnce, previewOf, wholeOf } from "../parts/endpoint_settings";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";

interface Data {
  application: Application;
  endpoint: Endpoint;
  presets: Preset[];
}
type Draft = Record<string, unknown>;
interface Rule {
  on?: string; action?: string; maxAttempts?: number;
}

const OPTIONS: Record<string, string[]> = { strategy: ["exponential", "linear", "fixed", "schedule"], jitter: ["none", "full", "equal", "decorrelated", "percent"] };
const NUMBERS = ["multiplier", "jitterPercent", "maxAttempts"];

function fieldsOf(draft: Draft): string[] {
  const list = ["strategy"];
  if (draft.strategy === "schedule") list.push("schedule");
  else list.push("baseDelay", ...(draft.strategy === "exponential" || draft.strategy === undefined ? ["multiplier"] : []));
  list.push("maxDelay", "jitter");
  if (draft.jitter === "percent") list.push("jitterPercent");
  return [...list, "maxAttempts", "giveUpAfter", "retryAfterCap"];
}

const shownValue = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : value === undefined || value === null ? "" : String(value));

function valueOf(name: string, text: string): unknown {
  if (text.trim() === "") return undefined;
  if (name === "schedule") return text.split(/[\s,]+/).filter((each) => each !== "");
  if (NUMBERS.includes(name) && !Number.isNaN(Number(text))) return Number(text);
  return text.trim();
}

function Editor({ data, again }: { data: Data; again: () => void }): JSX.Element {
  const { policy: set } = effectivePolicy(data);
  const fallback = data.presets.find((each) => each.isDefault)!;
  const before = wholeOf(set ?? fallback.name, data.presets) as Draft;
  const [draft, setDraft] = useState<Draft>(before);
  const [json, setJson] = useState(JSON.stringify(before, null, 2));
  const [isJson, setIsJson] = useState(true);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isFresh, setFresh] = useState(false);
  const [isInheriting, setInheriting] = useState(false);
  const [overlays, setOverlays] = useState<Band[]>([]);
  const name = endpointName(data.endpoint);
  const own = `/app/${part(data.application.id)}/endpoint/${part(data.endpoint.id)}`;

  const change = (next: Draft): void => {
    const clean = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
    setDraft(clean);
    setJson(JSON.stringify(clean, null, 2));
    setIsJson(true);
    setFresh(false);
  };
  const write = (text: string): void => {
    setJson(text);
    setFresh(false);
    try {
      const parsed = JSON.parse(text) as unknown;
      setIsJson(typeof parsed === "object" && parsed !== null && !Array.isArray(parsed));
      if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) setDraft(parsed as Draft);
    } catch {
      setIsJson(false);
    }
  };

  useEffect(() => {
    if (!isJson) return;
    let isOver = false;
    const timer = setTimeout(() => {
      previewOf(draft as Policy).then(
        (found) => { if (!isOver) { setPreview(found); setFailure(null); setFresh(true); } },
        (error: unknown) => { if (!isOver && error instanceof Failure) { setFailure(error); setFresh(true); } },
      );
    }, 250);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(draft), isJson]);

  useEffect(() => {
    let isOver = false;
    const wanted = data.presets.slice(0, 4);
    void Promise.all(wanted.map(async (preset) => ({ preset, found: await previewOf(preset.name) }))).then((all) => {
      if (isOver) return;
      setOverlays(all.map(({ preset, found }) => ({
        name: preset.name, under: `${found.attempts.length} attempts`, preview: found, isMain: false, giveUpMs: parseDuration(String((preset.policy as Draft).giveUpAfter ?? "96h")),
      })));
    }, () => undefined);
    return () => { isOver = true; };
  }, []);

  const errorAt = (field: string): string | undefined => failure?.fields.find((each) => each.loc[2] === field && each.loc[3] === undefined)?.msg ?? failure?.fields.find((each) => each.loc[2] === field)?.msg;
  const ruleError = (i: number): string | undefined => failure?.fields.find((each) => each.loc[2] === "rules" && (each.loc[3] ?? "").includes(`${i}`))?.msg;
  const shownFields = fieldsOf(draft);
  const isElsewhere = failure && !failure.fields.some((each) => shownFields.includes(each.loc[2] ?? "") || each.loc[2] === "rules");
  const rules = (Array.isArray(draft.rules) ? draft.rules : []) as Rule[];
  const setRule = (i: number, next: Rule | null): void => {
    const list = rules.flatMap((rule, k) => (k !== i ? [rule] : next ? [next] : []));
    change({ ...draft, rules: list.length > 0 ? list : undefined });
  };
  const canSave = isJson && !failure && isFresh && JSON.stringify(draft) !== JSON.stringify(before);
  const giveUp = parseDuration(String(draft.giveUpAfter ?? "96h"));
  const bands: Band[] = preview ? [{ name: t.thisPolicy, under: `${preview.attempts.length} attempts, ${shownValue(draft.jitter) || "equal"}`, preview, giveUpMs: giveUp, isMain: true }, ...overlays] : [];
  return (
    <>
      <h1>{preview ? <Say text={t.sentence(name, preview, Number.isNaN(giveUp) ? shownValue(draft.giveUpAfter) : wholeDuration(giveUp))} /> : <Say text={b(name)} />}</h1>
      <p class="under">{data.endpoint.retryPolicy ? t.own : t.inherited}</p>
      <section>
        <div class="h"><h2>{t.when} <span class="faint plainw">{t.whenUnder}</span></h2></div>
        {bands.length > 0 && <Drawing draw={(width) => <Bands bands={bands} width={width} side={width > 600 ? 150 : 12} />} />}
      </section>
      <section class="cols form-json">
        <div>
          <div class="h"><h2>{t.form}</h2><span class="opts"><label for="preset">{t.startFrom}</label>
            <select id="preset" value="" onChange={(e) => { const found = data.presets.find((each) => each.name === e.currentTarget.value); if (found) change(found.policy as Draft); }}>
              <option value="">{t.preset}</option>{data.presets.map((each) => <option key={each.name} value={each.name}>{each.name}</option>)}</select></span></div>
          <div class="grid">
            {shownFields.map((field) => {
              const error = errorAt(field);
              const common = { id: `p-${field}`, "aria-invalid": error !== undefined, "aria-describedby": error ? `p-${field}-err` : undefined };
              return (
                <Field key={field} id={`p-${field}`} label={t.fields[field]!} error={error}>
                  {OPTIONS[field]
                    ? <select {...common} value={shownValue(draft[field])} onChange={(e) => change({ ...draft, [field]: e.currentTarget.value || undefined })}>{draft[field] === undefined && <option value="">as usual</option>}{OPTIONS[field]!.map((each) => <option key={each} value={each}>{each}</option>)}</select>
                    : <input {...common} type="text" value={shownValue(draft[field])} onInput={(e) => change({ ...draft, [field]: valueOf(field, e.currentTarget.value) })} />}
                </Field>
              );
            })}
          </div>
          <h3 class="rulesh">{t.rules} <span class="faint plainw">{t.rulesUnder}</span></h3>
          <ul class="rules">
            {rules.map((rule, i) => (
              <li key={i}>
                <Field id={`r-on-${i}`} label="answer or error" error={ruleError(i)}><input id={`r-on-${i}`} type="text" value={rule.on ?? ""} onInput={(e) => setRule(i, { ...rule, on: e.currentTarget.value })} /></Field>
                <Field id={`r-do-${i}`} label="means"><select id={`r-do-${i}`} value={rule.action ?? "retry"} onChange={(e) => setRule(i, { ...rule, action: e.currentTarget.value })}>{["retry", "fail", "pause", "success"].map((each) => <option key={each} value={each}>{each}</option>)}</select></Field>
                <Field id={`r-n-${i}`} label="attempts"><input id={`r-n-${i}`} type="text" value={shownValue(rule.maxAttempts)} onInput={(e) => { const n = Number(e.currentTarget.value); setRule(i, e.currentTarget.value === "" ? { on: rule.on ?? "", action: rule.action ?? "retry" } : { ...rule, maxAttempts: n }); }} /></Field>
                <button type="button" class="btn quiet" onClick={() => setRule(i, null)}>{t.remove}</button>
              </li>
            ))}
          </ul>
          <p class="more"><button type="button" class="btn quiet" onClick={() => change({ ...draft, rules: [...rules, { on: "404", action: "fail" }] })}>{t.addRule}</button></p>
          {isElsewhere && <p class="said bad" role="alert">The server said: {failure.detail}.</p>}
          <div class="acts">
            <Act label={t.saveFor(name)} first disabled={!canSave} run={async () => { await send("PATCH", own, { retryPolicy: draft }); refreshFleet(); again(); }} />
            <button type="button" class="btn" disabled={JSON.stringify(draft) === JSON.stringify(before) && isJson} onClick={() => change(before)}>{t.discard}</button>
            {data.endpoint.retryPolicy && <span class="apart"><button type="button" class="btn danger" onClick={() => setInheriting(true)}>{t.inherit}</button></span>}
          </div>
          <Said />
        </div>
        <div>
          <div class="h"><h2>{t.json}</h2><span class="opts"><CopyButton text={json} className="btn quiet" /></span></div>
          <textarea class="json" aria-label={t.json} aria-invalid={!isJson} spellcheck={false} value={json} onInput={(e) => write(e.currentTarget.value)} />
          {!isJson && <p class="said bad" role="alert">{t.notJson}</p>}
        </div>
      </section>
      {preview && (
        <section>
          <div class="h"><h2>{t.table} <span class="faint plainw">{t.tableUnder}</span></h2></div>
          <table class="t compact waits" aria-label={t.table} data-ends={preview.ends}>
            <thead><tr>{t.columns.map((each) => <th key={each} class="n">{each}</th>)}</tr></thead>
            <tbody>{preview.attempts.slice(1).map((row) => (
              <tr key={row.n} data-row={JSON.stringify(row)}><td class="n">{row.n}</td><td class="n">{duration(row.minMs)}</td><td class="n">{duration(row.meanMs)}</td><td class="n">{duration(row.maxMs)}</td><td class="n">{duration(row.cumulativeMeanMs)}</td></tr>
            ))}</tbody>
          </table>
        </section>
      )}
      {isInheriting && <Confirm title="Inherit the retry policy again" action="Inherit" danger onClose={() => setInheriting(false)} onDone={again} run={() => send("PATCH", own, { retryPolicy: null })}><p>Its own policy is dropped; the application’s counts, or else the server’s.</p></Confirm>}
    </>
  );
}

export function PolicyScreen({ app, endpoint }: { app: string; endpoint: string }): JSX.Element {
  const data = usePoll(`policy of ${app} ${endpoint}`, async (): Promise<Data> => {
    const [application, found, presets] = await Promise.all([
      get<Application>(`/app/${part(app)}`), get<Endpoint>(`/app/${part(app)}/endpoint/${part(endpoint)}`), presetsOnce(),
    ]);
    return { application, endpoint: found, presets: presets.data };
  }, 0);
  return (
    <>
      <Head crumbs={[{ label: data.data?.application.name ?? applicationOf(app)?.name ?? app, href: to(`/app/${part(app)}`) }, { label: data.data ? endpointName(data.data.endpoint) : endpoint, href: to(`/app/${part(app)}/endpoint/${part(endpoint)}`) }, { label: "Retry policy" }]} />
      <Loaded of={data}>{(found) => <Editor key={found.endpoint.updatedAt} data={found} again={data.again} />}</Loaded>
    </>
  );
}
