// The address bar as a signal, links that do not reload, and the pattern of each screen's path.

import { batch, computed, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";

const base = new URL(document.baseURI);

/** The path below the server's base: "/app/acme". */
function pathNow(): string {
  return "/" + decodeURI(location.pathname).slice(base.pathname.length).replace(/\/+$/, "");
}

export const path = signal(pathNow());
export const search = signal(location.search);
export const params = computed(() => new URLSearchParams(search.value));

function read(): void {
  batch(() => {
    path.value = pathNow();
    search.value = location.search;
  });
}
addEventListener("popstate", read);

/** An address of the dashboard for links: `to("/app/acme", {status: "dead"})`. */
export function to(target: string, query: Record<string, string | null | undefined> = {}): string {
  const url = new URL("." + target, base);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

export function go(href: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  const before = path.value;
  read();
  if (path.value !== before) {
    scrollTo(0, 0);
    // The reader of a screen reader is told where they are by the page's sentence.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main")?.focus());
  }
}

/** Changes what the address says after its question mark. */
export function setParams(change: Record<string, string | null>): void {
  const next = new URLSearchParams(search.value);
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const query = next.toString();
  go(location.pathname + (query ? `?${query}` : ""));
}

export function Link(
  props: { href: string; children: ComponentChildren } & JSX.AnchorHTMLAttributes<HTMLAnchorElement>,
): JSX.Element {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(props.href);
  };
  return <a {...props} onClick={follow} />;
}

export interface Route {
  pattern: string; // "/app/:app/endpoint/:endpoint"
  screen: (names: Record<string, string>) => JSX.Element;
}

export function match(routes: Route[], target: string): [Route, Record<string, string>] | null {
  const parts = target.split("/");
  for (const route of routes) {
    const wanted = route.pattern.split("/");
    if (wanted.length !== parts.length) continue;
    const names: Record<string, string> = {};
    const fits = wanted.every((each, i) => {
      if (!each.startsWith(":")) return each === parts[i];
      names[each.slice(1)] = decodeURIComponent(parts[i]!);
      return parts[i] !== "";
    });
    if (fits) return [route, names];
  }
  return null;
}
