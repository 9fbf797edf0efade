import { escapeInvisible } from "@haft/utils";
import { type ContentBlock, text } from "../contract/result.ts";
import { redactSecrets } from "../format/redact.ts";
import type { ApprovalSubject } from "./subject.ts";

/** Limits one text of a preview. */
const LIMIT = 16_000;
/** A long text keeps its beginning and its end. */
const HEAD = 11_800;
const TAIL = 4_000;
const WINDOW = 64_000;

export function createPreview(call: Shown): ContentBlock[] {
  return blocksOf(call).map((block) =>
    block.type === "text" ? { ...block, text: promptText(block.text) } : block,
  );
}

/** A person would not read longer calls. */
export const MAX_APPROVAL_CHARACTERS = 256 * 1024;

export function getOversizedLength(call: Shown): number | undefined {
  const shown = blocksOf(call).reduce(
    (sum, block) => sum + (block.type === "text" ? block.text.length : 0),
    0,
  );
  // The plan may be cut; the request contains the whole call.
  const characters = Math.max(shown, JSON.stringify(call.args)?.length ?? 0);
  return characters > MAX_APPROVAL_CHARACTERS ? characters : undefined;
}

export function isPreviewComplete(call: Shown): boolean {
  return blocksOf(call).every((block) => block.type !== "text" || isPromptComplete(block.text));
}

type Shown = Pick<ApprovalSubject, "plan" | "args"> & { readonly toolName: string };

function blocksOf({ plan, toolName, args }: Shown): readonly ContentBlock[] {
  const shown = plan?.preview ?? [];
  if (shown.length > 0) return shown;
  const { hosts = [] } = plan?.subjects ?? {};
  const connects = hosts.map((host) => `\nconnects to ${host}`).join("");
  return [text(`${toolName} ${JSON.stringify(args, undefined, 2)}${connects}`)];
}

/**
 * Returns a text as the approver sees it: invisible characters are escaped, known secrets masked and long texts cut. It is idempotent.
 *
 * @example
 * ```ts run
 * import { promptText } from "@haft/core";
 *
 * promptText("rm\u200b notes.txt"); // => "rm\\u{200b} notes.txt"
 * ```
 */
export function promptText(shown: string): string {
  if (shown.length <= LIMIT) {
    const covered = coverText(shown);
    if (covered.length <= LIMIT) return covered;
  }
  const head = coverText(shown.slice(0, WINDOW)).slice(0, HEAD);
  const tail = coverText(shown.slice(-WINDOW)).slice(-TAIL);
  const between = `… cut here: ${shown.length} characters in all; the middle is not shown …`;
  return `${head.toWellFormed()}\n${between}\n${tail.toWellFormed()}`;
}

/**
 * Returns whether {@link promptText} shows the whole text, as `allow-always` requires.
 *
 * @example
 * ```ts run
 * import { isPromptComplete } from "@haft/core";
 *
 * isPromptComplete("git status"); // => true
 * isPromptComplete("x".repeat(1_000_000)); // => false
 * ```
 */
export function isPromptComplete(shown: string): boolean {
  return shown.length <= LIMIT && coverText(shown).length <= LIMIT;
}

function coverText(shown: string): string {
  return redactSecrets(shown.split("\n").map(escapeInvisible).join("\n"));
}
