import { type ContentBlock, HaftError, textOf, type ToolOutcome, type ToolResult } from "@haft/core";
import { nodesError } from "../errors.ts";
import { commandOf } from "./offered-tool.ts";

/** Outcomes of a session of the node that say that a person there has to agree first. */
const WAITING: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "APPROVAL_WAITING"]);

/**
 * What a session of the node answered to a call, as the answer of a command.
 *
 * @param offered the tools that are offered: only of them a host is told that they are there
 * @throws HaftError `NODE_APPROVAL_NEEDED`, `NODE_REFUSED`, or what the tool failed with, each with its receipt
 */
export function resultOfOutcome(outcome: ToolOutcome, offered: ReadonlySet<string>): ToolResult {
  const { kind, content, details, receipt } = outcome;
  if (kind === "ok")
    return { content: content.map((block) => seenFromElsewhere(block, offered)), details, receipt };
  const { code } = outcome;
  const reason = wordsOf(details, "reason") ?? wordsOf(details, "message") ?? textOf(content);
  const fix = wordsOf(details, "fix");
  const approvalId = kind === "pending" ? outcome.approvalId : wordsOf(details, "approvalId");
  if (WAITING.has(code) && approvalId !== undefined) {
    const message = `On the node a person has to agree to it first, and it was not run. It is asked about there as ${approvalId}: ${reason}`;
    throw nodesError("NODE_APPROVAL_NEEDED", message, { details: { code, approvalId } });
  }
  if (kind === "blocked") {
    const there = fix === undefined ? {} : { fix: `For whoever runs the node: ${fix}` };
    throw nodesError("NODE_REFUSED", `The node's own rules refuse it: ${reason}`, {
      ...there,
      details: { code },
    });
  }
  const category = kind === "error" ? outcome.category : "operational";
  throw new HaftError(code, reason, { category, receipt, ...(fix !== undefined && { fix }) });
}

function wordsOf(details: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = details[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What was cut from a result lies on the node, and no tool of the host reads it there. */
function seenFromElsewhere(block: ContentBlock, offered: ReadonlySet<string>): ContentBlock {
  if (block.type !== "text") return block;
  const text = block.text.replace(/To see the rest: read (\{[^\n]*\})/g, (_, args: string) =>
    offered.has("read")
      ? `To see the rest: the command ${commandOf("read")} of this node with the params ${args}`
      : "The rest stays on the node, which does not offer to read it.",
  );
  return text === block.text ? block : { ...block, text };
}
