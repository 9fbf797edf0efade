import type { ContentBlock, ImageBlock, ToolResult } from "../../contract/result.ts";
import { cutText, type CutText } from "./cut-text.ts";
import type { Spool, Spooled } from "./spool.ts";

export { normalizeResult } from "./normalize-result.ts";

export interface ResultLimits {
  /** Characters of all text blocks, the notice included. */
  maxCharacters: number;
  maxBlocks: number;
  maxImageBytes: number;
  maxDetailsCharacters: number;
}

const KIB = 1024;

/**
 * Text gets a tenth of the context window (four characters per token), from 32 to 128 KiB, plus 4 KiB for notices: paged output, as of
 * `read`, is never cut again. An unknown window counts as 128,000 tokens.
 */
export function resultLimitsFor(contextTokens: number, maxCharacters?: number): ResultLimits {
  const tokens = contextTokens > 0 && Number.isFinite(contextTokens) ? contextTokens : 128_000;
  const share = Math.min(Math.max(Math.floor(tokens * 4 * 0.1), 32 * KIB), 128 * KIB) + 4 * KIB;
  return {
    maxCharacters: maxCharacters === undefined ? share : Math.max(maxCharacters, 2 * KIB),
    maxBlocks: 200,
    maxImageBytes: 24 * KIB * KIB,
    maxDetailsCharacters: 100_000,
  };
}

export type DescribeRest = (spooled: Spooled, cut: CutText) => string;

/**
 * Limits a result.
 *
 * A long text keeps start and end; a notice between them locates the full text, unless the spool is full. Images beyond the limit become a
 * note. `detailsCut` describes cut details.
 */
export function boundResult<Details>(
  result: ToolResult<Details>,
  limits: ResultLimits,
  holder: { readonly spool: Spool },
  describeRest: DescribeRest = describeSpooled,
): ToolResult<Details> {
  const contentFits = fits(result.content, limits);
  if (contentFits && jsonSize(result.details, limits.maxDetailsCharacters) <= limits.maxDetailsCharacters)
    return result;
  const content = contentFits ? result.content : boundContent(result.content, limits, holder, describeRest);
  const details = boundDetails(result.details, limits.maxDetailsCharacters) as Details;
  return { ...result, content, details };
}

function fits(content: readonly ContentBlock[], limits: ResultLimits): boolean {
  let characters = 0;
  let base64 = 0;
  for (const block of content) {
    if (block.type === "text") characters += block.text.length;
    else base64 += block.data.length;
  }
  return (
    characters <= limits.maxCharacters &&
    content.length <= limits.maxBlocks &&
    base64 * 0.75 <= limits.maxImageBytes
  );
}

function boundContent(
  content: readonly ContentBlock[],
  limits: ResultLimits,
  holder: { readonly spool: Spool },
  describeRest: DescribeRest,
): ContentBlock[] {
  const { images, note } = boundImages(content, limits);
  const texts = content.filter((block) => block.type === "text");
  const [first] = texts;
  const full = texts.map((block) => block.text).join("\n\n");
  const room = limits.maxCharacters - note.length;
  const text = full.length <= room ? full : shorten(full, room, holder.spool, describeRest);
  const all = [text, note].filter((part) => part !== "").join("\n\n");
  if (all === "") return images;
  const language = texts.length === 1 ? first?.language : undefined;
  const block: ContentBlock =
    language === undefined ? { type: "text", text: all } : { type: "text", text: all, language };
  const before = first === undefined ? images.length : countBefore(content, first, images);
  return images.toSpliced(before, 0, block);
}

function countBefore(content: readonly ContentBlock[], first: ContentBlock, images: ContentBlock[]): number {
  const start = content.indexOf(first);
  return images.filter((image) => content.indexOf(image) < start).length;
}

function boundImages(
  content: readonly ContentBlock[],
  limits: ResultLimits,
): { images: ContentBlock[]; note: string } {
  const all = content.filter((block): block is ImageBlock => block.type === "image");
  let left = limits.maxImageBytes;
  const images: ImageBlock[] = [];
  for (const image of all) {
    const size = image.data.length * 0.75;
    if (size > left || images.length >= limits.maxBlocks - 1) continue;
    left -= size;
    images.push(image);
  }
  const missing = all.length - images.length;
  if (missing === 0) return { images, note: "" };
  const limit =
    images.length >= limits.maxBlocks - 1
      ? `at most ${grouped(limits.maxBlocks)} blocks`
      : `at most ${grouped(Math.floor(limits.maxImageBytes / KIB))} KiB of images`;
  return { images, note: `[${missing} of ${all.length} images left out: one result holds ${limit}.]` };
}

const NOTICE = 512;

function shorten(text: string, room: number, spool: Spool, describeRest: DescribeRest): string {
  const cut = cutText(text, Math.max(room - NOTICE, 0));
  const shown = cut.head.length + cut.tail.length;
  const lines = cut.shown === undefined ? "" : ` (${describeLines(cut.lines, cut.shown)})`;
  const rest = describeRest(spool.write(text), cut);
  const notice = `[Cut: ${grouped(text.length)} characters in all, ${grouped(shown)} shown${lines}. ${rest}]`;
  return [cut.head.trimEnd(), notice, cut.tail].filter((part) => part !== "").join("\n\n");
}

function describeLines(lines: number, { headTo, tailFrom }: { headTo: number; tailFrom: number }): string {
  const tail = tailFrom > lines ? "" : ` and ${grouped(tailFrom)}–${grouped(lines)}`;
  return `lines 1–${grouped(headTo)}${tail} of ${grouped(lines)}`;
}

function describeSpooled(spooled: Spooled): string {
  if (spooled.path === undefined) return `The rest was not stored: ${spooled.reason}. Ask for less at once.`;
  return `Full text: ${spooled.path}`;
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

const MAX_DEPTH = 100;

function boundDetails(details: unknown, maxCharacters: number): unknown {
  if (jsonSize(details, maxCharacters) <= maxCharacters) return details;
  if (typeof details !== "object" || details === null) return { detailsCut: [] };
  const sizes = Object.keys(details).map((key) => ({ key, size: memberSize(details, key, maxCharacters) }));
  const remaining = new Set<string>();
  let left = maxCharacters - 1000;
  for (const { key, size } of sizes.toSorted((a, b) => a.size - b.size)) {
    left -= size + key.length + 4;
    if (left < 0) break;
    remaining.add(key);
  }
  const entries = [...remaining].map((key) => [key, (details as Record<string, unknown>)[key]] as const);
  const cut = sizes.filter(({ key }) => !remaining.has(key)).map(({ key }) => key.slice(0, 40));
  return { ...Object.fromEntries(entries), detailsCut: cut.slice(0, 20) };
}

function memberSize(details: object, key: string, budget: number): number {
  try {
    return jsonSize((details as Record<string, unknown>)[key], budget);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function jsonSize(value: unknown, budget: number, depth = 0): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number" || typeof value === "boolean" || value === undefined || value === null)
    return 5;
  return typeof value === "object" ? objectSize(value, budget, depth) : Number.POSITIVE_INFINITY;
}

function objectSize(value: object, budget: number, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  if (ArrayBuffer.isView(value)) return value.byteLength * 4;
  let size = 2;
  try {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && size <= budget; index++) {
        size += jsonSize(value[index], budget - size, depth + 1) + 1;
      }
      return size;
    }
    for (const key in value) {
      size += key.length + 4 + jsonSize((value as Record<string, unknown>)[key], budget - size, depth + 1);
      if (size > budget) break;
    }
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  return size;
}
