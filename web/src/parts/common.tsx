// Small parts that every screen uses: loading, errors, copying, dialogs, facts.

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../base/api";
import { now } from "../base/clock";
import { words } from "../base/en";
import { shortId } from "../base/format";
import type { Polled } from "../base/poll";

/** Lines where the content will stand, after 150 ms; before that nothing. */
export function Skeleton({ lines = 4 }: { lines?: number }): JSX.Element {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  const widths = ["long", "mid", "long", "short"];
  return (
    <div aria-busy="true" aria-label={words.loading} role="status">
      {isShown && Array.from({ length: lines }, (_, i) => <span key={i} class={`skeleton ${widths[i % 4]}`} />)}
    </div>
  );
}

export function FailureText({ failure, since }: { failure: Failure; since?: number }): JSX.Element {
  const wait = failure.retryAfter > 0 && since ? Math.max(0, Math.ceil(failure.retryAfter - (now.value - since) / 1000)) : 0;
  return (
    <div class="fail" role="alert">
      <p>{failure.status === 404 ? capitalised(failure.detail) : failure.status === 0 ? "The server does not answer." : `The server said: ${failure.detail}.`}</p>
      {failure.retryAfter > 0 && <p class="faint small">Asking again in {wait || failure.retryAfter} s.</p>}
    </div>
  );
}
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");

/** The data once it is there; an error stands where it would. Old data stays while the server is away. */
export function Loaded<T>({ of, lines, children }: { of: Polled<T>; lines?: number; children: (data: T) => ComponentChildren }): JSX.Element {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.failure) return <FailureText failure={of.failure} />;
  return <Skeleton lines={lines ?? 4} />;
}

export function Id({ id }: { id: string }): JSX.Element {
  return <span class="id faint" title={id} data-copy={id}>{shortId(id)}</span>;
}

export function CopyButton({ text, label = words.copy, className = "btn" }: { text: string; label?: string; className?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return <button type="button" class={className} onClick={() => void copy()}>{isCopied ? words.copied : label}</button>;
}

export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  // Without TLS browsers have no clipboard but this one.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function Curl({ text }: { text: string }): JSX.Element {
  return <div class="curl"><pre tabIndex={0}>{text}</pre><CopyButton text={text} /></div>;
}

export function Field({ id, label, error, hint, children, full = false }: { id: string; label: string; error?: string | undefined; hint?: string; children: ComponentChildren; full?: boolean }): JSX.Element {
  return (
    <div class={full ? "f full" : "f"}>
      <label for={id}>{label}</label>
      {children}
      {hint && !error && <span class="hint" id={`${id}-hint`}>{hint}</span>}
      {error && <span class="err" id={`${id}-err`} role="alert">{error}</span>}
    </div>
  );
}

/** A real dialog: it keeps the focus, Esc closes it, and updates behind it leave it alone. */
export function Dialog({ title, onClose, children, className = "" }: { title: string; onClose: () => void; children: ComponentChildren; className?: string }): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  useEffect(() => {
    const element = ref.current;
    element?.showModal();
    return () => {
      isGone.current = true;
      element?.close();
    };
  }, []);
  // The browser tells of a closing a moment later: by then another dialog may be open.
  const closed = (event: Event): void => {
    event.preventDefault();
    if (!isGone.current) onClose();
  };
  return (
    <dialog ref={ref} class={className} aria-label={title} onClose={closed} onCancel={closed}>
      {!className && <h2>{title}</h2>}
      {children}
    </dialog>
  );
}

/** A dialog that asks before something is done, and says what the server answered. */
export function Confirm({ title, children, action, danger = false, onDone, onClose, run }: {
  title: string; children?: ComponentChildren; action: string; danger?: boolean; onDone: () => void; onClose: () => void; run: () => Promise<unknown>;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await run();
      onDone();
      onClose();
    } catch (failure) {
      setError(failure instanceof Failure ? failure.detail : String(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {error && <p class="said bad" role="alert">The server said: {error}.</p>}
        <div class="acts">
          <button type="submit" class={danger ? "btn danger" : "btn first"} disabled={isBusy}>{action}</button>
          <button type="button" class="btn" onClick={onClose}>{words.cancel}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** A button whose work takes a moment: nothing looks done before the server said so. */
export function Act({ label, run, first = false, danger = false, quiet = false, disabled = false }: {
  label: string; run: () => Promise<unknown>; first?: boolean; danger?: boolean; quiet?: boolean; disabled?: boolean;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const click = async (): Promise<void> => {
    setBusy(true);
    try {
      await run();
      said.announce(`${label}: done`, false);
    } catch (failure) {
      said.announce(failure instanceof Failure ? `The server said: ${failure.detail}.` : String(failure), true);
    } finally {
      setBusy(false);
    }
  };
  const look = `btn${first ? " first" : ""}${danger ? " danger" : ""}${quiet ? " quiet" : ""}`;
  return <button type="button" class={look} disabled={disabled || isBusy} onClick={() => void click()}>{label}</button>;
}

const line = signal<{ text: string; isBad: boolean } | null>(null);
let clearing = 0;
/** What was just done, or why it was not: one line below the page's actions, announced politely. */
export const said = {
  announce(text: string, isBad: boolean): void {
    line.value = { text, isBad };
    clearTimeout(clearing);
    clearing = window.setTimeout(() => (line.value = null), isBad ? 12_000 : 4000);
  },
};
export function Said(): JSX.Element {
  return <p class={`said${line.value?.isBad ? " bad" : ""}`} role="status" aria-live="polite">{line.value?.text ?? ""}</p>;
}

/** Wide and phone drawings of the same thing. */
export function Drawing({ draw }: { draw: (width: number) => JSX.Element }): JSX.Element {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(1016);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(280, Math.round(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return <figure ref={ref}>{draw(width)}</figure>;
}
