import type { Call } from "../call.ts";
import { redactSecrets } from "../format/redact.ts";
import { escapeInvisible } from "../format/visible-text.ts";
import { type ContentBlock, text } from "../result.ts";

/** Characters of a preview made here. A person does not read more, and is told how much there is. */
const LIMIT = 16_000;

/** What a person should see before deciding: what the tool's plan shows, else the call with all its arguments. */
export function previewOf({
  plan,
  toolName,
  args,
}: Pick<Call, "plan" | "toolName" | "args">): ContentBlock[] {
  if (plan?.preview && plan.preview.length > 0) return [...plan.preview];
  return [text(promptText(`${toolName} ${JSON.stringify(args, undefined, 2)}`))];
}

/**
 * A text as it may be shown to somebody who decides by it: nothing in it is invisible, and what looks like a secret is
 * covered. Line ends stay.
 */
export function promptText(shown: string): string {
  const bounded =
    shown.length <= LIMIT
      ? shown
      : `${shown.slice(0, LIMIT)}\n… ${shown.length - LIMIT} more characters that are not shown`;
  return redactSecrets(bounded.split("\n").map(escapeInvisible).join("\n"));
}
