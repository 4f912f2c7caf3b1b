// Who is signed in. The token lives in this tab's sessionStorage alone; what it says about itself
// (whose it is, what it may do, until when) is read from its claims. The server decides all the
// same: this only keeps the page from offering what would be refused.

import { computed, signal } from "@preact/signals";

const KEY = "petrel.token";

export const token = signal<string | null>(sessionStorage.getItem(KEY));

export type Capability =
  | "ViewBase" | "ViewEndpointSecret" | "ManageEndpointSecret" | "CreateAttempts" | "ManageEndpoint";

export interface Session {
  isOrganisation: boolean;
  appId: string | null;
  capabilities: string[] | null; // Null: all.
  expiresAt: number | null;
}

function claimsOf(text: string): Record<string, unknown> {
  try {
    const part = (text.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    return JSON.parse(atob(part)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const session = computed<Session | null>(() => {
  if (token.value === null) return null;
  const claims = claimsOf(token.value);
  const subject = String(claims.sub ?? "");
  return {
    isOrganisation: !subject.startsWith("app_"),
    appId: subject.startsWith("app_") ? subject : null,
    capabilities: Array.isArray(claims.capabilities) ? claims.capabilities.map(String) : null,
    expiresAt: typeof claims.exp === "number" ? claims.exp * 1000 : null,
  };
});

export function signIn(text: string): void {
  sessionStorage.setItem(KEY, text);
  token.value = text;
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  token.value = null;
}

const IMPLIED: Record<string, Capability[]> = {
  ViewEndpointSecret: ["ManageEndpointSecret", "ManageEndpoint"],
  ManageEndpointSecret: ["ManageEndpoint"],
};

export function may(capability: Capability): boolean {
  const who = session.value;
  if (!who) return false;
  if (who.capabilities === null) return true;
  const held = who.capabilities;
  return held.includes(capability) || (IMPLIED[capability] ?? []).some((each) => held.includes(each));
}

export const isOrganisation = (): boolean => session.value?.isOrganisation ?? false;
