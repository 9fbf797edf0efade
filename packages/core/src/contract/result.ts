import type { EffectReceipt, ErrorCategory } from "./errors.ts";

/** A text of a result. */
export interface TextBlock {
  /** Tells blocks apart. */
  type: "text";
  /** What the model reads. */
  text: string;
  /** Language of a fence around this block in Markdown (`ts`, `diff`, …). Never shown to the model. */
  language?: string;
}

/** An image of a result. */
export interface ImageBlock {
  /** Tells blocks apart. */
  type: "image";
  /** Base64, no data-URL prefix. */
  data: string;
  /** `image/png` and the like. */
  mimeType: string;
}

/** What a model reads. */
export type ContentBlock = TextBlock | ImageBlock;

/** What a tool's `execute` returns. */
export interface ToolResult<Details = unknown> {
  /** What the model reads. */
  content: ContentBlock[];
  /** Machine-readable facts; never sent to the model. Must be JSON. */
  details: Details;
  /** What the call changed. Left out, the kernel derives it from the tool's declared effects. */
  receipt?: EffectReceipt;
}

/** What the kernel answers to every call. It decides the kind by what happened, never by `details`. */
export type ToolOutcome = {
  toolCallId: string;
  /** The canonical name, even when the model spelled it another way. */
  toolName: string;
  /** Never empty: an outcome always tells the model something. */
  content: ContentBlock[];
  details: Record<string, unknown>;
  durationMs: number;
  receipt: EffectReceipt;
  /** It was delivered again after a resume, and answered from its record: nothing ran for it. */
  replayed?: true;
  /** It waited for approval before its run was continued, and went on afterwards. */
  resumed?: true;
} & (
  | { kind: "ok" }
  | { kind: "error"; code: string; category: ErrorCategory }
  | { kind: "blocked"; code: string }
  | { kind: "pending"; code: "PENDING_APPROVAL"; approvalId: string }
  | { kind: "cancelled"; code: string }
);

/**
 * A text block.
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
 * The text of a result's text blocks, joined by a blank line.
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
