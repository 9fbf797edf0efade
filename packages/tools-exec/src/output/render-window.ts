import { formatBytes } from "@haft/utils";
import { cutMiddle, type CutOutput, type TextBudget } from "./cut-middle.ts";
import { decodeOutput, type DecoderState, INITIAL_DECODER_STATE } from "./decode-output.ts";
import type { OutputWindow } from "./read-window.ts";

/** Characters of output in one result, below the kernel's limit. */
export const OUTPUT_BUDGET: TextBudget = { head: 8 * 1024, tail: 22 * 1024 };

export interface Excerpt {
  text: string;
  /** Includes dropped bytes. 0: the text is complete. */
  omitted: number;
  dropped: number;
}

export function renderWindow(
  window: OutputWindow,
  from: DecoderState,
  budget: TextBudget,
): Excerpt & { state: DecoderState } {
  const options = { ended: window.state !== "running" };
  const whole = window.tail.length === 0;
  const head = decodeOutput(window.head, from, whole ? options : {});
  if (whole) return { ...withNotice(cutMiddle(head.text, budget), window.dropped), state: head.state };
  const tail = decodeOutput(window.tail, INITIAL_DECODER_STATE, options);
  const start = cutMiddle(head.text, { head: budget.head, tail: 0 });
  const end = lastCharacters(tail.text, budget.tail);
  const omitted = start.omitted + window.skipped + end.omitted;
  const cut = { head: start.head, tail: end.text, omitted };
  return { ...withNotice(cut, window.dropped), state: tail.state };
}

export function renderText(text: string, budget: TextBudget): Excerpt {
  return withNotice(cutMiddle(text, budget), 0);
}

function lastCharacters(text: string, most: number): { text: string; omitted: number } {
  const clean = text.replace(/^\uFFFD{1,3}/, "");
  const { head, tail, omitted } = cutMiddle(clean, { head: 0, tail: most });
  return { text: omitted === 0 ? head : tail, omitted };
}

function withNotice({ head, tail, omitted }: CutOutput, dropped: number): Excerpt {
  const first = head.trimEnd();
  const last = tail.trimEnd();
  const all = omitted + (omitted === 0 ? dropped : 0);
  if (all === 0) return { text: first, omitted: 0, dropped: 0 };
  const lost = dropped === 0 ? "" : `, ${dropped} bytes of it lost`;
  const notice = `[… ${formatBytes(all)} left out${lost} …]`;
  return { text: [first, notice, last].filter((part) => part !== "").join("\n"), omitted: all, dropped };
}
