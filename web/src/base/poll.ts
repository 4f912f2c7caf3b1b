// What a screen shows is asked for again and again while it is looked at. A hidden tab stops
// asking; a 429 or 503 waits as long as the server says; a result that came too late is dropped.

import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./api";
import { serverNow } from "./clock";

export interface Polled<T> {
  data: T | undefined;
  failure: Failure | null; // Of the last try.
  at: number; // When the data came.
  again: () => void; // Asks now.
}

const LOST_MS = 2000;

/** `ask` again every `everyMs`, and at once when `key` changes. 0: only once. */
export function usePoll<T>(key: string, ask: () => Promise<T>, everyMs: number): Polled<T> {
  const [state, setState] = useState<{ key: string; data?: T; failure: Failure | null; at: number }>({
    key, failure: null, at: 0,
  });
  const latest = useRef(ask);
  latest.current = ask;
  const wake = useRef<() => void>(() => {});

  useEffect(() => {
    let isOver = false;
    let timer = 0;
    let round = 0;
    const run = async (): Promise<void> => {
      clearTimeout(timer);
      const mine = ++round;
      let wait = everyMs;
      try {
        const data = await latest.current();
        if (isOver || mine !== round) return;
        setState({ key, data, failure: null, at: serverNow() });
      } catch (error) {
        if (isOver || mine !== round) return;
        const failure = error instanceof Failure ? error : new Failure(-1, String(error));
        if (!(error instanceof Failure)) console.error(error);
        setState((before) => ({ ...(before.key === key ? before : { key, at: 0 }), failure }));
        if (failure.status === 0) wait = LOST_MS;
        else if (failure.retryAfter > 0) wait = failure.retryAfter * 1000;
        else if (failure.status === 404 || failure.status === 403) wait = Math.max(everyMs, 10_000);
        if (wait === 0) wait = 5000;
      }
      if (wait > 0 && !document.hidden) timer = window.setTimeout(() => void run(), wait);
    };
    const onVisible = (): void => {
      if (!document.hidden) void run();
      else clearTimeout(timer);
    };
    document.addEventListener("visibilitychange", onVisible);
    wake.current = () => void run();
    void run();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [key, everyMs]);

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    failure: isCurrent ? state.failure : null,
    at: isCurrent ? state.at : 0,
    again: () => wake.current(),
  };
}
