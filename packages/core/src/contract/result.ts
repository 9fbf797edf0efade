import type { EffectReceipt, ErrorCategory } from "./errors.ts";

/** A text in a result. */
export interface TextBlock {
  /** The kind of the block. */
  type: "text";
  /** The text that the model reads. */
  text: string;
  /** The language of the fence around this block in Markdown (`ts`, `diff`, …). The model never gets it. */
  language?: string;
}

/** An image in a result. */
export interface ImageBlock {
  /** The kind of the block. */
  type: "image";
  /** The image in Base64, without the prefix of a data URL. */
  data: string;
  /** The media type, such as `image/png`. */
  mimeType: string;
}

/** One part of what a model reads. */
export type ContentBlock = TextBlock | ImageBlock;

/**
 * The result of a tool's `execute`.
 *
 * @example
 * ```ts
 * import { text, type ToolResult } from "@haft/core";
 *
 * const result: ToolResult<{ rows: number }> = { content: [text("3 rows")], details: { rows: 3 }, receipt: "none" };
 * ```
 */
export interface ToolResult<Details = unknown> {
  /** What the model reads. */
  content: ContentBlock[];
  /** Machine-readable facts, which the model never gets. Must be JSON. */
  details: Details;
  /** What the call changed. Default: derived from the effects that the tool declares. */
  receipt?: EffectReceipt;
}

/**
 * The kernel's answer to a call. Its kind follows from what happened, never from `details`.
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
  /** The canonical name of the tool, even if the model spelled it another way. */
  toolName: string;
  /** What the model reads. Never empty. */
  content: ContentBlock[];
  details: Record<string, unknown>;
  durationMs: number;
  receipt: EffectReceipt;
  /** Set if the call was delivered again after a resume and answered from its record, without running. */
  replayed?: true;
  /** Set if the call waited for approval when its run ended, and went on after a resume. */
  resumed?: true;
} & (
  | { kind: "ok" }
  | { kind: "error"; code: string; category: ErrorCategory }
  | { kind: "blocked"; code: string }
  | { kind: "pending"; code: "PENDING_APPROVAL"; approvalId: string }
  | { kind: "cancelled"; code: string }
);

/**
 * Makes a text block. `language` names the fence around it in Markdown.
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
 * Makes an image block of raw bytes, which it encodes as Base64.
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

/** Of the bytes of images. Together with what was made of them: a block may be changed. */
const checksums = new WeakMap<ImageBlock, { data: string; checksum: number }>();

/** The CRC-32 of the bytes of a block that {@link image} made: looking through its base64 takes twice as long and more. */
export function getImageChecksum(block: ImageBlock): number | undefined {
  const known = checksums.get(block);
  return known?.data === block.data ? known.checksum : undefined;
}

/**
 * Joins the text blocks of a result with blank lines. Other blocks are left out.
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
