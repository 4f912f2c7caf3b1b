// Pieces of a JSON text as they stand in it. JSON.parse spoils large numbers and drops what a
// producer wrote in its own way; payloads are shown and copied to the byte.

function skipString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

const isSpace = (c: string | undefined): boolean => c === " " || c === "\n" || c === "\t" || c === "\r";

function skipSpace(text: string, at: number): number {
  while (isSpace(text[at])) at++;
  return at;
}

function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    while (at < text.length && !",]}".includes(text[at]!) && !isSpace(text[at])) at++;
    return at;
  }
  let depth = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '"') {
      at = skipString(text, at);
      continue;
    }
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    at++;
    if (depth === 0) break;
  }
  return at;
}

/** The text of a field of the object at the top of `text`; undefined if it has none of that name. */
export function rawField(text: string, name: string): string | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return undefined;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== "}") {
    const keyEnd = skipString(text, at);
    const key = text.slice(at, keyEnd);
    at = skipSpace(text, keyEnd);
    at = skipSpace(text, at + 1); // The colon.
    const end = skipValue(text, at);
    if (key === JSON.stringify(name)) return text.slice(at, end);
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return undefined;
}

/** JSON with line breaks and indentation; strings and numbers stay as they were written. */
export function indented(text: string): string {
  let out = "";
  let depth = 0;
  const line = (): string => "\n" + "  ".repeat(depth);
  for (let i = 0; i < text.length; ) {
    const c = text[i]!;
    if (c === '"') {
      const end = skipString(text, i);
      out += text.slice(i, end);
      i = end;
      continue;
    }
    i++;
    if (isSpace(c)) continue;
    if (c === "{" || c === "[") {
      const next = skipSpace(text, i);
      if (text[next] === "}" || text[next] === "]") {
        out += c + text[next];
        i = next + 1;
        continue;
      }
      depth++;
      out += c + line();
    } else if (c === "}" || c === "]") {
      depth--;
      out += line() + c;
    } else if (c === ",") {
      out += c + line();
    } else {
      out += c === ":" ? ": " : c;
    }
  }
  return out;
}

// What changes the order of text or cannot be seen: a reader must not be led to read it otherwise
// than a program does.
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;

/** Such characters by their numbers: ⟨U+202E⟩. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
