// A list that grows page by page: the next page is asked for when the end comes into view. What is
// loaded stays as it is; what came since is counted, and shown when the reader wants it.

import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, page, type Query } from "../base/api";

export interface Rows<T> {
  rows: T[];
  isDone: boolean;
  isLoading: boolean;
  hasLoaded: boolean;
  failure: Failure | null;
  fresh: number; // Rows that came since the list was loaded.
  more: () => void;
  reload: () => void;
  change: (edit: (rows: T[]) => T[]) => void;
}

export function useRows<T>(path: string | null, query: Query, idOf: (row: T) => string, freshEveryMs = 0): Rows<T> {
  const key = `${path} ${JSON.stringify(query)}`;
  const empty = { key, rows: [] as T[], iterator: null as string | null, isDone: false, isLoading: false, hasLoaded: false, failure: null as Failure | null };
  const [state, setState] = useState(empty);
  const [turn, setTurn] = useState(0);
  const [fresh, setFresh] = useState(0);
  const current = useRef(state);
  current.current = state.key === key ? state : empty;
  const busy = useRef("");

  const more = (): void => {
    const now = current.current;
    const mine = `${key} ${turn} ${now.iterator}`;
    if (!path || now.isDone || busy.current === mine) return;
    busy.current = mine;
    setState({ ...now, isLoading: true });
    page<T>(path, { limit: 100, ...query, iterator: now.iterator }).then(
      (found) => setState((before) => (before.key !== key ? before : {
        ...before, rows: [...before.rows, ...found.data], iterator: found.iterator, isDone: found.done, isLoading: false, hasLoaded: true, failure: null,
      })),
      (error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        busy.current = "";
        setState((before) => (before.key !== key ? before : { ...before, isLoading: false, hasLoaded: true, failure: error }));
      },
    );
  };

  useEffect(() => {
    current.current = empty;
    busy.current = "";
    setFresh(0);
    setState(empty);
    more();
  }, [key, turn]);

  useEffect(() => {
    if (!freshEveryMs || !path) return;
    const timer = setInterval(() => {
      if (document.hidden || !current.current.hasLoaded) return;
      page<T>(path, { ...query, limit: 50 }).then((found) => {
        const first = current.current.rows[0];
        if (!first) return setFresh(found.data.length);
        const at = found.data.findIndex((row) => idOf(row) === idOf(first));
        setFresh(at < 0 ? found.data.length : at);
      }, () => undefined);
    }, freshEveryMs);
    return () => clearInterval(timer);
  }, [key, turn, freshEveryMs]);

  const shown = current.current;
  return {
    rows: shown.rows, isDone: shown.isDone, isLoading: shown.isLoading, hasLoaded: shown.hasLoaded, failure: shown.failure, fresh,
    more, reload: () => setTurn(turn + 1), change: (edit) => setState((before) => ({ ...before, rows: edit(before.rows) })),
  };
}
