// Keys for those who want them. Never while something is typed, and they can be switched off.

import { signal } from "@preact/signals";
import { isUtc } from "../base/clock";
import { go, to } from "../base/router";
import { isPaletteOpen } from "./palette";

export const areKeysOn = signal(localStorage.getItem("petrel.keys") !== "off");
export function switchKeys(): void {
  areKeysOn.value = !areKeysOn.value;
  localStorage.setItem("petrel.keys", areKeysOn.value ? "on" : "off");
}

export const KEYS: [string, string][] = [
  ["⌘K, Ctrl K", "find anything"], ["/", "to the filter"], ["j, k", "next row, row before"], ["Enter", "open the row"], ["x", "select the row"],
  ["t", "UTC or local time"], ["g o", "overview"], ["g a", "applications"], ["g d", "deliveries"], ["g x", "dead letters"], ["g r", "replays"], ["Esc", "close"],
];

const PLACES: Record<string, string> = { o: "/", a: "/app", d: "/deliveries", x: "/dead-letters", r: "/replays", e: "/event-types", s: "/system" };

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

function moveRow(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody tr:not(.pad) td a")].filter((each, i, list) => list.findIndex((other) => other.closest("tr") === each.closest("tr")) === i);
  if (links.length === 0) return;
  const here = links.findIndex((each) => each.closest("tr")?.contains(document.activeElement));
  const next = links[here < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + by))];
  next?.focus();
}

let isGoing = false;

addEventListener("keydown", (event) => {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    isPaletteOpen.value = true;
    return;
  }
  if (!areKeysOn.value || isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (isGoing) {
    isGoing = false;
    const place = PLACES[event.key];
    if (place) go(to(place));
    return;
  }
  switch (event.key) {
    case "g":
      isGoing = true;
      setTimeout(() => (isGoing = false), 1500);
      break;
    case "t":
      isUtc.value = !isUtc.value;
      break;
    case "j":
      moveRow(1);
      break;
    case "k":
      moveRow(-1);
      break;
    case "x":
      document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
      break;
    case "/": {
      const filter = document.querySelector<HTMLElement>(".asks select, .asks input");
      if (filter) filter.focus();
      else isPaletteOpen.value = true;
      event.preventDefault();
      break;
    }
    case "?":
      go(to("/more"));
      break;
  }
});
