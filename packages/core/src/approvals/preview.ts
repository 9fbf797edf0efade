import type { Call } from "../call.ts";
import { redactSecrets } from "../format/redact.ts";
import { escapeInvisible } from "../format/visible-text.ts";
import { type ContentBlock, text } from "../result.ts";

/** Characters of one text of a preview. A person does not read more, and is told how much there is. */
const LIMIT = 16_000;
/** Room for that remark, and for a secret that stands where the text is cut. */
const MARGIN = 200;

/** What a person should see before deciding: what the tool's plan shows, else the call with all its arguments. */
export function previewOf({
  plan,
  toolName,
  args,
}: Pick<Call, "plan" | "toolName" | "args">): ContentBlock[] {
  const shown = plan?.preview ?? [];
  const blocks = shown.length > 0 ? shown : [text(`${toolName} ${JSON.stringify(args, undefined, 2)}`)];
  return blocks.map((block) => (block.type === "text" ? { ...block, text: promptText(block.text) } : block));
}

/**
 * A text as it may be shown to somebody who decides by it: nothing in it is invisible, and what looks like a secret is
 * covered. Line ends stay. Given its own answer, it answers the same.
 */
export function promptText(shown: string): string {
  // What follows the limit by far is not even looked at: it may be megabytes.
  const covered = redactSecrets(escapeLines(shown.slice(0, LIMIT + MARGIN)));
  if (shown.length <= LIMIT && covered.length <= LIMIT) return covered;
  const kept = covered.slice(0, LIMIT - MARGIN);
  return `${kept.toWellFormed()}\n… and more, ${shown.length} characters in all, which are not shown`;
}

function escapeLines(value: string): string {
  return value.split("\n").map(escapeInvisible).join("\n");
}
