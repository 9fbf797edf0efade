import { type ContentBlock, HaftError, type ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import type { AnswerError } from "../contract/invocation.ts";
import { nodesError } from "../errors.ts";
import type { NodeTarget } from "./resolve-node.ts";

const MAX_BLOCKS = 200;

/**
 * Validates an untrusted answer and returns its result.
 *
 * @throws HaftError the node's error, or `NODE_ANSWER_INVALID`
 */
export function parseAnswer(given: unknown, target: NodeTarget): ToolResult<Record<string, unknown>> {
  const reads = target.effects.every((effect) => effect === "read");
  const answer = (given ?? {}) as { ok?: unknown; result?: unknown; error?: unknown };
  if (answer.ok === false) throw errorOf(answer.error, target);
  if (answer.ok !== true) throw invalid(target, "is neither a result nor an error");
  const { content, details, receipt } = (answer.result ?? {}) as Partial<ToolResult>;
  if (!Array.isArray(content) || content.length === 0) throw invalid(target, "has no content");
  if (content.length > MAX_BLOCKS)
    throw invalid(target, `has ${content.length} blocks; the limit is ${MAX_BLOCKS}`);
  const blocks = (content as unknown[]).map((block) => blockOf(block, target));
  const bytes = sizeOf(blocks, details);
  if (bytes > target.command.resultBytes)
    throw invalid(target, `has ${bytes} bytes; the declared limit is ${target.command.resultBytes}`);
  return {
    content: blocks,
    details: { ...asRecord(details) },
    receipt: reads ? "none" : receipt === "none" || receipt === "unknown" ? receipt : "committed",
  };
}

function blockOf(block: unknown, target: NodeTarget): ContentBlock {
  const { type, text, language, data, mimeType } = (block ?? {}) as Record<string, unknown>;
  if (type === "text" && typeof text === "string")
    return { type, text: text.toWellFormed(), ...(typeof language === "string" && { language }) };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    if (!/^image\/[\w.+-]{1,64}$/.test(mimeType)) throw invalid(target, "has an image of an unknown type");
    return { type, data, mimeType };
  }
  throw invalid(target, "has a block that is neither text nor an image");
}

/** Characters never exceed the node's count of bytes. */
function sizeOf(blocks: readonly ContentBlock[], details: unknown): number {
  const content = blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? block.text : block.data).length,
    0,
  );
  try {
    return details === undefined ? content : content + JSON.stringify(details).length;
  } catch {
    return Infinity;
  }
}

/** Codes that a node may use; others move to the details. */
const CODES: ReadonlySet<string> = new Set([
  "NODE_OUTCOME_UNKNOWN",
  "NODE_ANSWER_INVALID",
  "NODE_APPROVAL_NEEDED",
  "NODE_BUSY",
  "NODE_CHANGED",
  "ABORTED",
  "NODE_FAILED",
  "NODE_COMMAND_TIMEOUT",
  "NODE_NOT_OFFERED",
  "NODE_NOT_DELIVERED",
  "NODE_REFUSED",
]);

function errorOf(error: unknown, target: NodeTarget): HaftError {
  const { code, message, receipt, fix, category, details } = (error ?? {}) as Partial<AnswerError>;
  if (typeof code !== "string" || typeof message !== "string")
    return invalid(target, "is an error without a message");
  const isShared = CODES.has(code);
  const inner = typeof details?.["code"] === "string" ? details["code"] : undefined;
  const nodeCode = isShared ? inner : code;
  const waits = code === "NODE_APPROVAL_NEEDED" ? details?.["approvalId"] : undefined;
  return new HaftError(
    isShared ? code : INVALID_ARGUMENTS.has(code) ? "INVALID_ARGUMENTS" : "NODE_FAILED",
    `${target.name}: ${message.slice(0, 4_000)}`,
    {
      category: category === "input" || category === "policy" ? category : "operational",
      receipt: receipt === "none" || receipt === "committed" ? receipt : "unknown",
      details: {
        node: target.id,
        command: target.command.name,
        ...(nodeCode !== undefined && { code: nodeCode.slice(0, 64) }),
        ...(typeof waits === "string" && { approvalId: waits.slice(0, 64) }),
      },
      ...(typeof fix === "string" && { fix: fix.slice(0, 1_000) }),
    },
  );
}

/** A library's schema on the node may be stricter. */
const INVALID_ARGUMENTS: ReadonlySet<string> = new Set(["INVALID_ARGUMENTS", "ARGUMENTS_TOO_LARGE"]);

function invalid({ name, command }: NodeTarget, what: string): HaftError {
  return nodesError("NODE_ANSWER_INVALID", `The answer of the node ${name} to ${command.name} ${what}.`);
}
