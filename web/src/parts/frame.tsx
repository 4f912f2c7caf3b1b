// The rail, the bar of the phone, the line above every page, and what says that the server is away.

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { get, heardAt, lostSince, text } from "../base/api";
import { isUtc, now } from "../base/clock";
import { expiresSoon, lostText, tokenNeverExpires, words } from "../base/en";
import { applications } from "../base/fleet";
import { clock, count, date, zoneName } from "../base/format";
import { usePoll } from "../base/poll";
import { Link, path, to } from "../base/router";
import { session, signOut, token } from "../base/session";
import { Petrel, Tab } from "../draw/glyph";
import { isPaletteOpen } from "./palette";

export const version = signal("");
const theme = signal(localStorage.getItem("petrel.theme"));

function applyTheme(): void {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
}
applyTheme();

export function switchTheme(): void {
  const isDark = theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.value = isDark ? "light" : "dark";
  localStorage.setItem("petrel.theme", theme.value);
  applyTheme();
}

interface DeadCount {
  total: number;
  reasons: Record<string, number>;
}

export function deadCountPath(): string {
  const who = session.value;
  return who?.appId ? `/app/${who.appId}/dead-letter/count` : "/dead-letter/count";
}

const isUnder = (prefix: string): boolean => path.value === prefix || path.value.startsWith(prefix + "/");

function current(name: string): boolean {
  const p = path.value;
  switch (name) {
    case "overview":
      return p === "/";
    case "deliveries":
      return isUnder("/deliveries") || /^\/app\/[^/]+\/(delivery|deliveries|message)/.test(p);
    case "applications":
      return isUnder("/app") && !/^\/app\/[^/]+\/(delivery|deliveries|message)/.test(p);
    default:
      return isUnder(`/${name}`);
  }
}

function Item({ name, href, label, figure, bad = false, gap = false }: { name: string; href: string; label: string; figure?: string | undefined; bad?: boolean; gap?: boolean }): JSX.Element {
  return (
    <li class={gap ? "gap" : ""}>
      <Link href={to(href)} aria-current={current(name) ? "page" : undefined}>
        {label}
        {figure !== undefined && <span class={bad ? "n bad" : "n"}>{figure}</span>}
      </Link>
    </li>
  );
}

function Rail(): JSX.Element {
  const who = session.value;
  const dead = usePoll(`dead ${token.value}`, () => get<DeadCount>(deadCountPath()), 5000);
  const total = dead.data?.total ?? 0;
  const apps = applications.value;
  return (
    <nav class="rail" aria-label={words.main}>
      <Link class="mark" href={to("/")}><Petrel />{words.product}</Link>
      <button class="find" type="button" onClick={() => (isPaletteOpen.value = true)}><span>{words.find}</span><kbd>⌘K</kbd></button>
      <ul>
        <Item name="overview" href="/" label={words.overview} />
        <Item name="applications" href={who?.appId ? `/app/${who.appId}` : "/app"} label={who?.appId ? "Application" : words.applications}
          figure={!who?.appId && apps.length > 0 ? count(apps.length) : undefined} />
        <Item name="deliveries" href="/deliveries" label={words.deliveries} />
        <Item name="dead-letters" href="/dead-letters" label={words.deadLetters} figure={total > 0 ? count(total) : undefined} bad />
        <Item name="replays" href="/replays" label={words.replays} />
        <Item name="event-types" href="/event-types" label={words.eventTypes} gap />
        {who?.isOrganisation && <Item name="system" href="/system" label={words.system} />}
      </ul>
      <p class="foot">
        {who?.isOrganisation ? words.organisation : (apps[0]?.name ?? words.application)}<br />
        Petrel {version.value} · {zoneName()}<br />
        <button type="button" onClick={switchTheme}>{words.darkOrLight}</button>{" · "}
        <button type="button" onClick={() => void leave()}>{words.signOut}</button>
      </p>
    </nav>
  );
}

/** Forgets the token, and asks the server to revoke it. */
export async function leave(): Promise<void> {
  const mine = token.value;
  signOut();
  await text("/auth/logout", { method: "POST", token: mine }).catch(() => undefined);
}

function Bar(): JSX.Element {
  const tab = (name: string, href: string, label: string, icon: JSX.Element): JSX.Element => (
    <Link href={to(href)} aria-current={current(name) ? "page" : undefined}>{icon}{label}</Link>
  );
  return (
    <nav class="bar" aria-label={words.mainSmall}>
      {tab("overview", "/", words.overview, <Tab name="over" />)}
      {tab("applications", session.value?.appId ? `/app/${session.value.appId}` : "/app", "Apps", <Tab name="apps" />)}
      {tab("deliveries", "/deliveries", words.deliveries, <Tab name="del" />)}
      {tab("dead-letters", "/dead-letters", words.dead, <Tab name="dead" />)}
      {tab("more", "/more", words.more, <Tab name="more" />)}
    </nav>
  );
}

function Lost(): JSX.Element | null {
  const since = lostSince.value;
  if (since === null) return null;
  const next = 2 - (Math.floor((now.value - heardAt.value) / 1000) % 2);
  return <p class="lost" role="alert">{lostText(since, next)}</p>;
}

function SessionNote(): JSX.Element | null {
  const who = session.value;
  if (!who) return null;
  if (who.expiresAt === null) return <p class="small faint">{tokenNeverExpires}</p>;
  const left = who.expiresAt - now.value;
  return left < 600_000 && left > 0 ? <p class="small faint">{expiresSoon(left)}</p> : null;
}

export interface Crumb {
  label: string;
  href?: string;
}

export function Frame({ children }: { children: ComponentChildren }): JSX.Element {
  useEffect(() => {
    void get<{ info?: { version?: string } }>("/openapi.json").then((found) => (version.value = found.info?.version ?? ""), () => undefined);
  }, []);
  return (
    <>
      <a class="skip" href="#page" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>{words.skip}</a>
      <div class="frame">
        <Rail />
        <main class={lostSince.value === null ? "page" : "page is-stale"} id="page" tabIndex={-1}>
          <Lost />
          <SessionNote />
          {children}
        </main>
      </div>
      <Bar />
    </>
  );
}

/** The line above the sentence. It also names the tab. */
export function Head({ crumbs }: { crumbs: Crumb[] }): JSX.Element {
  const title = [...crumbs].reverse().map((each) => each.label).join(", ");
  useEffect(() => {
    document.title = `${title} · Petrel`;
  }, [title]);
  return (
    <header class="head">
      <ol class="crumbs" aria-label={words.whereYouAre}>
        {crumbs.map((each, i) => <li key={i}>{each.href ? <Link href={each.href}>{each.label}</Link> : each.label}</li>)}
      </ol>
      <span class="now">
        <time aria-hidden="true" title={zoneName()}><span class="date">{date(now.value)} </span>{clock(now.value)}{isUtc.value ? "" : " local"}</time>
      </span>
    </header>
  );
}
