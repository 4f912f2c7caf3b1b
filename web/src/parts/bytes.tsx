// Bytes that somebody sent, shown as text: what is hidden or turns the reading order is spelled
// out, what is long is folded, and copying gives exactly what was sent.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { deliveryTexts } from "../base/en";
import { bytes } from "../base/format";
import { indented, visible } from "../base/raw";
import { CopyButton } from "./common";

const FOLD = 64 * 1024;

export function Bytes({ raw, label, isJson = false }: { raw: string; label: string; isJson?: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const size = useMemo(() => new TextEncoder().encode(raw).length, [raw]);
  const isFolded = raw.length > FOLD && !isOpen;
  const shown = useMemo(() => {
    const cut = isFolded ? raw.slice(0, FOLD) : raw;
    return visible(isJson && !isFolded && raw.length <= 4 * FOLD ? indented(cut) : cut);
  }, [raw, isFolded, isJson]);
  return (
    <>
      <p class="sub"><span>{label}</span><span class="row-act"><CopyButton text={raw} className="btn quiet" /><span class="fig">{bytes(size)}</span></span></p>
      <pre tabIndex={0} class="bytes">{shown}{isFolded ? "…" : ""}</pre>
      {isFolded && <p class="more"><button type="button" class="btn" onClick={() => setOpen(true)}>{deliveryTexts.fold(bytes(size))}</button></p>}
    </>
  );
}
