// The door: a token opens it, and the server is asked before anything looks open.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, text } from "../base/api";
import { signInTexts as t, words } from "../base/en";
import { signIn } from "../base/session";
import { Glyph, Mark, Petrel } from "../draw/glyph";
import { lens } from "../draw/scale";
import { Curl } from "../parts/common";
import { Say } from "../parts/say";

/** Any token may list event types, whatever else it may do. */
const asked = (token: string): Promise<string> => text("/event-type", { token, query: { limit: 1 } });

function Horizon(): JSX.Element {
  const shapes = Array.from({ length: 10 }, (_, i) => {
    const from = 291 + i * 90 + (i < 3 ? i * 6 : 14);
    return <path key={i} class="lens" d={lens(from, from + 58 + Math.min(i, 3) * 10, 70, 14 + i * 3.2)} />;
  });
  return (
    <svg class="horizon" viewBox="0 0 1280 120" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <path class="tick" d="M0 70H1280" />{shapes}<Mark name="fail" tone="f-faint" x={80} y={70} size={11} />
    </svg>
  );
}

export function SignIn(): JSX.Element {
  const [value, setValue] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${t.button} · ${words.product}`;
    input.current?.focus();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const token = value.trim();
    if (token === "") return input.current?.focus();
    setBusy(true);
    setError(null);
    try {
      await asked(token);
      signIn(token);
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      setError(failure.status === 0 ? t.unreachable : t.said(failure.detail));
      setBusy(false);
      input.current?.focus();
    }
  };
  return (
    <main class="sea">
      <div />
      <form onSubmit={(event) => void submit(event)}>
        <span class="mark"><Petrel />{words.product}</span>
        <h1><Say text={t.sentence(location.host)} /></h1>
        <div class="f">
          <label for="token">{t.label}</label>
          <input ref={input} id="token" class="mono" type="password" autocomplete="off" value={value} aria-invalid={error !== null}
            aria-describedby={error ? "token-err" : undefined} onInput={(event) => setValue(event.currentTarget.value)} />
          {error && <span class="err" id="token-err" role="alert"><Glyph name="fail" tone="bad" /> {error}</span>}
        </div>
        <div class="acts flush"><button class="btn first" type="submit" disabled={isBusy}>{t.button}</button><span class="small faint">{t.kept}</span></div>
        <div><p class="small faint">{t.make}</p><Curl text={t.command} /></div>
      </form>
      <Horizon />
    </main>
  );
}
