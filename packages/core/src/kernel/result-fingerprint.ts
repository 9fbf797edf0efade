import { checksumOf, type ContentBlock, type ImageBlock } from "../contract/result.ts";
import { canonicalText } from "../parameters/digest.ts";

/** One short text for a result, equal when nothing the model cares about changed. */
export function resultFingerprint(
  content: readonly ContentBlock[],
  details: unknown,
  volatileDetails: readonly string[] | undefined,
): string {
  // With volatile fields declared, the text usually repeats them ("ran 1.2 s"): the details decide.
  if (volatileDetails && volatileDetails.length > 0) {
    try {
      return brief(canonicalText(without(details, volatileDetails)));
    } catch {
      // Details that cannot be read decide nothing.
    }
  }
  let body = "";
  for (const block of content)
    body += block.type === "text" ? `t${brief(block.text)}\n` : `i${briefOf(block)}\n`;
  return brief(body);
}

function briefOf(block: ImageBlock): string {
  const known = checksumOf(block);
  return known === undefined ? brief(block.data) : `${block.data.length}#${known}`;
}

/** Short texts as they are, of long ones a checksum: telling results apart must not cost more than making them. */
function brief(text: string): string {
  if (text.length <= 128) return text;
  checksum ??= process.getBuiltinModule("node:zlib").crc32;
  return `${text.length}#${checksum(text)}`;
}

let checksum: ((data: string) => number) | undefined;

function without(details: unknown, paths: readonly string[]): unknown {
  return paths.reduce((rest, path) => omit(rest, path.split(".")), details);
}

/** Copies only along the path: details are foreign, and not everything in them can be cloned. */
function omit(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || !isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [name]: omit(member, rest) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
