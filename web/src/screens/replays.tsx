// Tasks that put deliveries back: their list, and one of them while it runs.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, type Page, part, send, type Task } from "../base/api";
import { now } from "../base/clock";
import { b, endpointName, taskTexts as t, words } from "../base/en";
import { applicationOf, views } from "../base/fleet";
import { at, capital, count, duration, moment, plural } from "../base/format";
import { usePoll } from "../base/poll";
import { Link, to } from "../base/router";
import { may, session } from "../base/session";
import { PaceSeen, type Sample } from "../draw/pace";
import { Glyph, type GlyphName, type Tone } from "../draw/glyph";
import { Act, Confirm, Drawing, Id, Loaded, Said } from "../parts/common";
import { Head } from "../parts/frame";
import { Say } from "../parts/say";
import { Ago } from "../parts/time";

const root = (): string => (session.value?.appId ? `/app/${session.value.appId}/background-task` : "/background-task");
const GLYPHS: Record<Task["state"], [GlyphName, Tone]> = {
  running: ["ramp", "busy"], paused: ["paused", "hold"], finished: ["delivered", "good"], cancelled: ["discarded", "faint"], failed: ["dead", "bad"],
};

function State({ task }: { task: Task }): JSX.Element {
  const [glyph, tone] = GLYPHS[task.state];
  return <span class="st" data-state={task.state}><Glyph name={glyph} tone={tone} />{task.data?.waitsFor && task.state === "running" ? "Waits" : capital(task.state)}</span>;
}

const kindOf = (task: Task): string => t.kinds[task.kind] ?? capital(task.kind.replace(/-/g, " "));

export function Replays(): JSX.Element {
  const list = usePoll(`tasks ${root()}`, () => get<Page<Task>>(root(), { limit: 50 }), 2000);
  return (
    <>
      <Head crumbs={[{ label: words.replays }]} />
      <Loaded of={list} lines={8}>{(found) => {
        const running = found.data.filter((each) => each.state === "running").length;
        return (
          <>
            <h1><Say text={found.data.length === 0 ? `${b("No replays yet.")} Dead letters are replayed from their list; an endpoint can be sent what it missed.` : running === 0 ? `${b("No replay is running.")}` : `${b(plural(running, "replay"))} ${running === 1 ? "is" : "are"} running.`} /></h1>
            {found.data.length > 0 && (
              <section>
                <table class="t rows" aria-label={words.replays}>
                  <thead><tr><th>{t.state}</th><th>what</th><th>application</th><th class="n">done</th><th class="n">skipped</th><th class="n opt">{t.begun}</th><th class="opt">id</th></tr></thead>
                  <tbody>{found.data.map((task) => (
                    <tr key={task.id}>
                      <td class="c"><State task={task} /></td>
                      <td class="a grow"><Link href={to(`/replays/${part(task.id)}`)}>{kindOf(task)}</Link></td>
                      <td>{task.appId ? (applicationOf(task.appId)?.name ?? "") : ""}</td>
                      <td class="n b">{count(task.data?.done ?? 0)}{task.data?.total != null && <span class="u"> of {count(task.data.total)}</span>}</td>
                      <td class={`n${(task.data?.skipped ?? 0) === 0 ? " z" : ""}`}>{count(task.data?.skipped ?? 0)}</td>
                      <td class="n opt d"><Ago value={task.createdAt} /></td>
                      <td class="opt"><Id id={task.id} /></td>
                    </tr>))}</tbody>
                </table>
              </section>
            )}
          </>
        );
      }}</Loaded>
    </>
  );
}

const SAMPLES_MAX = 600;
const keyOf = (id: string): string => `petrel.replay.${id}`;
function kept(id: string): Sample[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(id)) ?? "[]") as Sample[];
  } catch {
    return [];
  }
}

/** What this tab has seen of a task's rate; a reload goes on with it. */
function useSamples(id: string, task: Task | undefined, seenAt: number): Sample[] {
  const [samples, setSamples] = useState<Sample[]>(() => kept(id));
  useEffect(() => {
    if (!task || seenAt === 0 || task.data?.ratePerMinute === undefined) return;
    const last = samples.at(-1);
    const rate = task.state === "running" && !task.data.waitsFor ? task.data.ratePerMinute : 0;
    const isOver = task.state !== "running" && task.state !== "paused";
    if (isOver && last?.[2] === 0) return;
    const next = [...samples, [seenAt, task.data.done, rate] as Sample].slice(-SAMPLES_MAX);
    setSamples(next);
    sessionStorage.setItem(keyOf(id), JSON.stringify(next));
  }, [seenAt]);
  return samples;
}

export function ReplayScreen({ task: id }: { task: string }): JSX.Element {
  const data = usePoll(`task ${id}`, () => get<Task>(`${root()}/${part(id)}`), 1000);
  const [isCancelling, setCancelling] = useState(false);
  const samples = useSamples(id, data.data, data.at);
  const order = (verb: string) => async (): Promise<void> => {
    await send("POST", `${root()}/${part(id)}/${verb}`);
    data.again();
  };
  return (
    <>
      <Head crumbs={[{ label: words.replays, href: to("/replays") }, { label: data.data ? kindOf(data.data) : id }]} />
      <Loaded of={data}>{(task) => {
        const d = task.data;
        const isUnderWay = task.state === "running" || task.state === "paused";
        const isReplay = d.ratePerMinute !== undefined;
        const endpoint = views.value.find((view) => view.endpoint.id === task.endpointId);
        const share = d.total ? Math.min(1, (d.done + d.skipped) / d.total) : isUnderWay ? 0 : 1;
        return (
          <>
            <h1 data-state={task.state}><Say text={t.sentence(task)} /></h1>
            <p class="under"><Id id={task.id} />{task.appId && <> · {applicationOf(task.appId)?.name ?? task.appId}</>}{endpoint && <> · {endpointName(endpoint.endpoint)}</>} · {t.begun} {moment(at(task.createdAt), now.value)}</p>
            {may("CreateAttempts") && isUnderWay && (
              <div class="acts">
                {task.state === "running" ? <Act label={t.pause} first run={order("pause")} /> : <Act label={t.resume} first run={order("resume")} />}
                <span class="apart"><button type="button" class="btn danger" onClick={() => setCancelling(true)}>{t.cancel}</button></span>
              </div>
            )}
            <Said />
            <section>
              <svg class="fallsvg" viewBox="0 0 200 12" preserveAspectRatio="none" role="img" aria-label={`${Math.floor(share * 100)} % done`} data-share={Math.floor(share * 100)}>
                <rect class="t-sunk" x="0" y="2" width="200" height="8" /><rect class="seg-wait" x="0" y="2" width={200 * share} height="8" />
              </svg>
              <dl class="figs">
                <div><dt>{t.put}</dt><dd data-done={d.done}>{count(d.done)} {d.total !== null && <small>of {count(d.total)}</small>}</dd></div>
                {isReplay && <div><dt>{t.succeeded}</dt><dd data-succeeded={d.succeeded}>{count(d.succeeded ?? 0)}</dd></div>}
                {isReplay && <div><dt>{t.failed}</dt><dd>{d.failed ? count(d.failed) : <span class="faint">0</span>}</dd></div>}
                <div><dt>{t.skipped}</dt><dd>{d.skipped ? count(d.skipped) : <span class="faint">0</span>}</dd></div>
                {isReplay && isUnderWay && <div><dt>{t.rate}</dt><dd>{count(d.ratePerMinute ?? 0)} <small>/min, {count(d.maxRatePerMinute ?? 0)} at most</small></dd></div>}
                {isUnderWay && <div><dt>{t.left}</dt><dd>{d.secondsLeft ? duration(d.secondsLeft * 1000) : <span class="faint">–</span>}</dd></div>}
              </dl>
            </section>
            {isReplay && samples.length > 1 && (
              <section>
                <div class="h"><h2>{t.curve} <span class="faint plainw">{t.curveUnder}</span></h2></div>
                <Drawing draw={(width) => <PaceSeen samples={samples} width={width} />} />
              </section>
            )}
            {isCancelling && <Confirm title="Cancel this task" action="Cancel it" danger onClose={() => setCancelling(false)} onDone={data.again} run={order("cancel")}><p>What was put back stays so. The rest is left as it is, and a cancelled task cannot go on.</p></Confirm>}
          </>
        );
      }}</Loaded>
    </>
  );
}
