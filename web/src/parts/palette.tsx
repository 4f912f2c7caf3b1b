// Find anything: names of applications and endpoints as they are typed, ids and the producer's own
// ids by asking the server. An application's token only ever finds its own.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, get, type Message, part } from "../base/api";
import { endpointName, words } from "../base/en";
import { applications, views } from "../base/fleet";
import { go, to } from "../base/router";
import { isOrganisation, session } from "../base/session";
import { Dialog } from "./common";

export const isPaletteOpen = signal(false);

interface Hit {
  title: string;
  kind: string;
  href: string;
}

const APPLICATIONS_ASKED = 60;
const AT_ONCE = 6;

function screens(): Hit[] {
  const list: [string, string][] = [
    [words.overview, "/"], [words.applications, "/app"], [words.deliveries, "/deliveries"], [words.deadLetters, "/dead-letters"],
    [words.replays, "/replays"], [words.eventTypes, "/event-types"],
  ];
  if (isOrganisation()) list.push([words.system, "/system"]);
  return list.map(([title, href]) => ({ title, kind: "screen", href: to(href) }));
}

function named(query: string): Hit[] {
  const wanted = query.toLowerCase();
  const fits = (...texts: (string | undefined | null)[]): boolean => texts.some((each) => each?.toLowerCase().includes(wanted));
  const apps = applications.value.filter((each) => fits(each.name, each.uid, each.id))
    .map((each): Hit => ({ title: each.name, kind: "application", href: to(`/app/${part(each.id)}`) }));
  const ends = views.value.filter(({ endpoint: e }) => fits(e.uid, e.id, e.description, e.url))
    .map(({ endpoint, application }): Hit => ({
      title: `${endpointName(endpoint)} · ${application.name}`, kind: "endpoint", href: to(`/app/${part(application.id)}/endpoint/${part(endpoint.id)}`),
    }));
  return [...ends, ...apps, ...screens().filter((each) => fits(each.title))].slice(0, 30);
}

/** The message of that id or eventId, in whichever application has it. */
async function message(query: string): Promise<Hit[]> {
  const asked = session.value?.appId ? [session.value.appId] : applications.value.slice(0, APPLICATIONS_ASKED).map((each) => each.id);
  const hits: Hit[] = [];
  for (let i = 0; i < asked.length; i += AT_ONCE) {
    await Promise.all(asked.slice(i, i + AT_ONCE).map(async (app) => {
      try {
        const found = await get<Message>(`/app/${part(app)}/msg/${part(query)}`, { with_content: false });
        hits.push({ title: `${found.eventType} ${found.eventId ?? found.id}`, kind: "message", href: to(`/app/${part(app)}/message/${part(found.id)}`) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }));
  }
  return hits;
}

const COULD_BE_ID = /^[\w.-]{3,256}$/;

export function Palette(): JSX.Element | null {
  const [query, setQuery] = useState("");
  const [asked, setAsked] = useState<{ query: string; hits: Hit[] } | null>(null);
  const [chosen, setChosen] = useState(0);
  const wantsFirst = useRef(false);
  const isOpen = isPaletteOpen.value;
  const trimmed = query.trim();

  useEffect(() => {
    if (!isOpen || !COULD_BE_ID.test(trimmed)) return;
    let isOver = false;
    const timer = setTimeout(() => {
      void message(trimmed).then((hits) => { if (!isOver) setAsked({ query: trimmed, hits }); });
    }, 150);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [trimmed, isOpen]);

  if (!isOpen) return null;
  const byId = asked?.query === trimmed ? asked.hits : [];
  const isAsking = COULD_BE_ID.test(trimmed) && asked?.query !== trimmed;
  const hits = trimmed === "" ? screens() : [...byId, ...named(trimmed)];
  const close = (): void => {
    isPaletteOpen.value = false;
    setQuery("");
    setAsked(null);
    setChosen(0);
    wantsFirst.current = false;
  };
  const open = (hit: Hit): void => {
    close();
    go(hit.href);
  };
  // Enter before the server has answered means the first that it will name.
  if (wantsFirst.current && !isAsking) {
    wantsFirst.current = false;
    const first = hits[0];
    if (first) queueMicrotask(() => open(first));
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setChosen((chosen + 1) % Math.max(1, hits.length));
    else if (event.key === "ArrowUp") setChosen((chosen + hits.length - 1) % Math.max(1, hits.length));
    else if (event.key === "Enter") {
      if (hits[chosen] && !(isAsking && hits.length === 0)) open(hits[chosen]!);
      else if (isAsking) wantsFirst.current = true;
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog title={words.find} onClose={close} className="find-box">
      <input type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-label={words.find} autocomplete="off" spellcheck={false}
        aria-activedescendant={hits[chosen] ? `hit-${chosen}` : undefined} placeholder="name, id, uid or event id" value={query}
        onInput={(event) => { setQuery(event.currentTarget.value); setChosen(0); }} onKeyDown={onKeyDown} />
      <ul id="hits" role="listbox" aria-label={words.find}>
        {hits.map((hit, i) => (
          <li key={hit.href + hit.title} role="presentation">
            <a id={`hit-${i}`} role="option" aria-selected={i === chosen} href={hit.href} tabIndex={-1}
              onClick={(event) => { event.preventDefault(); open(hit); }}>
              <span>{hit.title}</span><span class="faint">{hit.kind}</span>
            </a>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p>{isAsking ? "Asking the server…" : "Nothing of that name or id."}</p>}
    </Dialog>
  );
}
