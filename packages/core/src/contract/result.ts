import type { EffectReceipt, ErrorCategory } from "./errors.ts";

/** Contains text of a result. */
export interface TextBlock {
  /** Discriminates the blocks. */
  type: "text";
  /** Contains the text for the model. */
  text: string;
  /** Labels the Markdown fence (`ts`, `diff`, …). The model never gets it. */
  language?: string;
}

/** Contains an image of a result. */
export interface ImageBlock {
  /** Discriminates the blocks. */
  type: "image";
  /** Contains the image in Base64, without the prefix of a data URL. */
  data: string;
  /** States the media type, such as `image/png`. */
  mimeType: string;
}

/** Contains a part of a result for the model. */
export type ContentBlock = TextBlock | ImageBlock;

/**
 * Contains the result of a tool's `execute`.
 *
 * @example
 * ```ts
 * import { text, type ToolResult } from "@haft/core";
 *
 * const result: ToolResult<{ rows: number }> = { content: [text("3 rows")], details: { rows: 3 }, receipt: "none" };
 * ```
 */
export interface ToolResult<Details = unknown> {
  /** Contains the blocks for the model. */
  content: ContentBlock[];
  /** Contains JSON facts for programs, which the model never gets. */
  details: Details;
  /** States whether the call changed anything. Default: derived from the declared effects. */
  receipt?: EffectReceipt;
}

/**
 * Ends a call. Its kind never follows from `details`.
 *
 * @example
 * ```ts
 * import { contentToText, type ToolOutcome } from "@haft/core";
 *
 * export function describe(outcome: ToolOutcome): string {
 *   if (outcome.kind === "ok") return contentToText(outcome.content);
 *   if (outcome.kind === "pending") return `${outcome.toolName} waits for approval ${outcome.approvalId}`;
 *   return `${outcome.toolName}: ${outcome.code}, effects: ${outcome.receipt}`;
 * }
 * ```
 */
export type ToolOutcome = {
  toolCallId: string;
  /** Names the tool canonically. */
  toolName: string;
  /** Contains the blocks for the model. Never empty. */
  content: ContentBlock[];
  details: Record<string, unknown>;
  durationMs: number;
  receipt: EffectReceipt;
  /** Is set if a redelivered call was answered from its record, without running. */
  replayed?: true;
  /** Is set if a waiting call continued after a resume. */
  resumed?: true;
} & (
  | { kind: "ok" }
  | { kind: "error"; code: string; category: ErrorCategory }
  | { kind: "blocked"; code: string }
  | { kind: "pending"; code: "PENDING_APPROVAL"; approvalId: string }
  | { kind: "cancelled"; code: string }
);

/**
 * Creates a text block. `language` labels its Markdown fence.
 *
 * @example
 * ```ts run
 * import { text } from "@haft/core";
 * text("const a = 1;", "ts"); // => { type: "text", text: "const a = 1;", language: "ts" }
 * ```
 */
export function text(value: string, language?: string): TextBlock {
  return language === undefined ? { type: "text", text: value } : { type: "text", text: value, language };
}

/**
 * Encodes raw bytes as an image block.
 *
 * @example
 * ```ts run
 * import { image } from "@haft/core";
 *
 * const block = image(new Uint8Array([0x89, 0x50, 0x4e, 0x47]), "image/png");
 * block.data; // => "iVBORw=="
 * ```
 */
export function image(bytes: Uint8Array, mimeType: string): ImageBlock {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = buffer.toString("base64");
  const block: ImageBlock = { type: "image", data, mimeType };
  checksums.set(block, { data, checksum: process.getBuiltinModule("node:zlib").crc32(buffer) });
  return block;
}

/** Stores the data as well: a block may change. */
const checksums = new WeakMap<ImageBlock, { data: string; checksum: number }>();

/** Returns the CRC-32 of an unchanged {@link image} block, without its Base64. */
export function getImageChecksum(block: ImageBlock): number | undefined {
  const known = checksums.get(block);
  return known?.data === block.data ? known.checksum : undefined;
}

/**
 * Joins the text blocks of a result with blank lines. Ignores other blocks.
 *
 * @example
 * ```ts run
 * import { contentToText, text } from "@haft/core";
 *
 * const shown = contentToText([text("2 files changed"), text("1 test failed")]);
 * shown; // => "2 files changed\n\n1 test failed"
 * ```
 */
export function contentToText(content: readonly ContentBlock[]): string {
  return content
    .filter((block): block is TextBlock => block.type === "text")
    .map((block) => block.text)
    .join("\n\n");
}
