// The replay planner: the filter is counted by a dry run, the rate is chosen, and then it starts.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, part, send, type Task } from "../base/api";
import { serverNow } from "../base/clock";
import { deadTexts as t } from "../base/en";
import { clock, count, duration } from "../base/format";
import { go, to } from "../base/router";
import { planned, PacePlan } from "../draw/pace";
import { Act, Confirm, Drawing, FailureText, Skeleton } from "./common";
import { Say } from "./say";

export interface Selection {
  endpointId?: string;
  eventTypes?: string[];
  reasons?: string[];
  since?: string;
  until?: string;
}

interface Counted {
  matched: number;
  seconds: number;
  at: number;
}

const RATES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 600_000];

function Slider({ id, label, value, set }: { id: string; label: string; value: number; set: (rate: number) => void }): JSX.Element {
  return (
    <>
      <div class="row"><label for={id}>{label}</label><span class="fig">{count(value)} /min</span></div>
      <input id={id} type="range" min="0" max={RATES.length - 1} step="1" value={RATES.indexOf(value)} aria-valuetext={`${count(value)} per minute`} onInput={(e) => set(RATES[Number(e.currentTarget.value)]!)} />
    </>
  );
}

export function Planner({ app, selection, refusal, onDiscarded }: { app: string | null; selection: Selection; refusal: string | null; onDiscarded: () => void }): JSX.Element {
  const [first, setFirst] = useState(100);
  const [most, setMost] = useState(1000);
  const [counted, setCounted] = useState<Counted | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isDiscarding, setDiscarding] = useState(false);
  const key = JSON.stringify([app, selection, first, most]);
  const pace = { ratePerMinute: first, maxRatePerMinute: Math.max(first, most) };
  useEffect(() => {
    if (!app || refusal) return;
    let isOver = false;
    const timer = setTimeout(() => {
      send<{ matched: number; seconds: number }>("POST", `/app/${part(app)}/replay`, { ...selection, ...pace, dryRun: true }).then(
        (found) => { if (!isOver) { setCounted({ ...found, at: serverNow() }); setFailure(null); } },
        (error: unknown) => { if (!isOver && error instanceof Failure) setFailure(error); },
      );
    }, 150);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, refusal]);
  const reason = !app ? t.chooseApp : refusal;
  if (reason) {
    return (
      <aside class="side">
        <h2>{t.plannerTitle}</h2>
        <p class="small faint matched" data-refusal="">{reason}</p>
        <p class="more"><button type="button" class="btn first" disabled>Replay all that match</button></p>
      </aside>
    );
  }
  if (failure) return <aside class="side"><h2>{t.plannerTitle}</h2><FailureText failure={failure} /></aside>;
  if (!counted) return <aside class="side"><h2>{t.plannerTitle}</h2><Skeleton /></aside>;
  const steps = planned(counted.matched, first, Math.max(first, most));
  return (
    <aside class="side" aria-label={t.plannerTitle}>
      <h2>{t.plannerTitle}</h2>
      <p class="big" data-matched={counted.matched}>{count(counted.matched)}</p>
      <p class="small faint">{t.counted(clock(counted.at))}</p>
      {counted.matched === 0 ? <p class="small more">{t.none}</p> : (
        <>
          <Slider id="first" label={t.beginWith} value={first} set={(rate) => { setFirst(rate); if (most < rate) setMost(rate); }} />
          <Slider id="most" label={t.atMost} value={Math.max(first, most)} set={setMost} />
          <div class="curve"><Drawing draw={(width) => <PacePlan steps={steps} width={width} />} /></div>
          <p class="small"><Say text={t.through(duration(counted.seconds * 1000))} /></p>
          <p class="more"><Act label={t.start(counted.matched)} first run={async () => {
            const task = await send<Task>("POST", `/app/${part(app!)}/replay`, { ...selection, ...pace });
            go(to(`/replays/${part(task.id)}`));
          }} /></p>
          <p class="small faint more">{t.canStop}</p>
          <div class="apartline"><button type="button" class="btn danger" onClick={() => setDiscarding(true)}>{t.discardN(counted.matched)}</button></div>
        </>
      )}
      {isDiscarding && (
        <Confirm title={`Discard ${count(counted.matched)} dead letters`} action={`Discard ${count(counted.matched)}`} danger onClose={() => setDiscarding(false)} onDone={onDiscarded}
          run={() => send("POST", `/app/${part(app!)}/dead-letter/discard`, selection)}>
          <p>They leave this list and the counts. Their history stays, and each can still be sent again by its name.</p>
        </Confirm>
      )}
    </aside>
  );
}
