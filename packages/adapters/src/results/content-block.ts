import { type ContentBlock, text } from "@haft/core";
import { toJson } from "./to-json.ts";

type Part = Record<string, unknown>;

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*?(;base64)?,/;

/** Supports the shapes of several frameworks. */
export function contentBlock(part: unknown): ContentBlock {
  if (typeof part === "string") return text(part);
  if (typeof part !== "object" || part === null) return text(toJson(part));
  const given = part as Part;
  const type = String(given["type"]);
  if (typeof given["text"] === "string" && /^(?:input_|output_)?text$/.test(type)) return text(given["text"]);
  const media = mediaOf(type, given);
  return media === undefined ? text(toJson(part)) : mediaBlock(media);
}

/** Other lists are the tool's own data. */
export function isPartList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart);
}

function isPart(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const given = value as Part;
  const { type } = given;
  // Further keys belong to the tool, and would be lost.
  if (typeof type !== "string" || !Object.keys(given).every((key) => PART_KEYS.has(key))) return false;
  if (/^(?:input_|output_)?text$/.test(type)) return typeof given["text"] === "string";
  return mediaOf(type, given) !== undefined;
}

const PART_KEYS: ReadonlySet<string> = new Set(
  `type text data image image_url file url source source_type filename title detail annotations id index
  mediaType mimeType mime_type media_type textSignature
  providerOptions providerData cache_control metadata _meta`.split(/\s+/),
);

interface Media {
  /** Base64, or an address. */
  data: string;
  mimeType: string;
  isAddress: boolean;
}

/** Types of parts that are, or may be, images. */
const MEDIA_TYPE =
  /^(?:input_)?(?:image|image_url|image-data|image-url|media|file|file-data|file-url|audio)$/;

function mediaOf(type: string, part: Part): Media | undefined {
  if (!MEDIA_TYPE.test(type)) return undefined;
  const fallback = type.includes("image") ? "image/png" : "application/octet-stream";
  const mimeType = firstText(part, ["mediaType", "mimeType", "mime_type", "media_type"]) ?? fallback;
  for (const key of ["data", "image", "image_url", "file", "url", "source"]) {
    const found = sourceOf(part[key], mimeType);
    if (found !== undefined) return found;
  }
  return undefined;
}

function sourceOf(value: unknown, mimeType: string): Media | undefined {
  if (typeof value === "string" && value !== "") return fromText(value, mimeType);
  if (value instanceof URL) return fromText(value.href, mimeType);
  if (value instanceof Uint8Array)
    return { data: Buffer.from(value).toString("base64"), mimeType, isAddress: false };
  if (typeof value !== "object" || value === null) return undefined;
  const inner = value as Part;
  const own = firstText(inner, ["mediaType", "mimeType", "media_type"]) ?? mimeType;
  return sourceOf(inner["data"] ?? inner["url"], own);
}

function fromText(value: string, mimeType: string): Media {
  const url = DATA_URL.exec(value);
  if (url === null) return { data: value, mimeType, isAddress: /^[a-z][a-z0-9+.-]*:/i.test(value) };
  const [head, type = mimeType, isBase64] = url;
  const rest = value.slice(head.length);
  const data = isBase64 === undefined ? Buffer.from(decoded(rest)).toString("base64") : rest;
  return { data, mimeType: type, isAddress: false };
}

/** A `%` that encodes nothing stays unchanged. */
function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** Only embedded images are shown, nothing is fetched. */
function mediaBlock({ data, mimeType, isAddress }: Media): ContentBlock {
  if (isAddress) return text(`[${mimeType} at ${data.slice(0, 2_000)}; it was not fetched]`);
  if (/^image\/[\w.+-]{1,60}$/.test(mimeType)) return { type: "image", data, mimeType };
  return text(`[${mimeType}, ${Math.floor(data.length * 0.75)} bytes; it cannot be shown]`);
}

function firstText(part: Part, keys: readonly string[]): string | undefined {
  return keys.map((key) => part[key]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}
