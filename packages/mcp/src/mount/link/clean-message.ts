import { isObject } from "@haft/utils";

/** Values of these keys belong to the tool, so `null` has a meaning in them. */
const OPAQUE: ReadonlySet<string> = new Set([
  "structuredContent",
  "inputSchema",
  "outputSchema",
  "arguments",
  "data",
  "_meta",
]);

/**
 * Returns a message of a server without faults that would lose more than themselves. `null` in an optional field means that the field is
 * absent: serializers of C# and Java write it. An unknown block of content becomes its JSON as text.
 *
 * @example
 * ```ts fragment
 * cleanMessage({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "ok", annotations: null }], _meta: null } });
 * // => { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "ok" }] } }
 * ```
 */
export function cleanMessage(message: unknown): unknown {
  const present = withoutNulls(message, 0);
  if (!isObject(present) || !isObject(present["result"])) return present;
  const { result } = present as { result: Record<string, unknown> };
  return Array.isArray(result["content"]) ? { ...present, result: cleanResult(result) } : present;
}

const MAX_DEPTH = 8;

function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const kept = value.filter((item) => item !== null && item !== undefined);
    return kept.map((item) => withoutNulls(item, depth + 1));
  }
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // The id of an answer to an unreadable request is null.
    if (member === null && !(depth === 0 && key === "id")) continue;
    copy[key] = OPAQUE.has(key) ? member : withoutNulls(member, depth + 1);
  }
  return copy;
}

function cleanResult(result: Record<string, unknown>): Record<string, unknown> {
  const content = (result["content"] as unknown[]).map(cleanBlock);
  const { structuredContent, isError, ...others } = result;
  // A list or a value is no structured content in this protocol, but still the answer.
  const isStructured = structuredContent === undefined || isObject(structuredContent);
  if (!isStructured) content.push({ type: "text", text: JSON.stringify(structuredContent) });
  return {
    ...others,
    content,
    ...(isObject(structuredContent) && { structuredContent }),
    ...(isError !== undefined && { isError: isError === true || isError === "true" }),
  };
}

function cleanBlock(block: unknown): unknown {
  if (!isObject(block)) return asText(block);
  const { type, text, data, mimeType, resource, uri, name, annotations, ...others } = block;
  const isNamed = (value: unknown): value is string => typeof value === "string";
  const shared = isObject(annotations) ? { annotations } : {};
  if (type === "text" && isNamed(text)) return { ...others, ...shared, type, text };
  if ((type === "image" || type === "audio") && isNamed(data) && isNamed(mimeType))
    return { ...others, ...shared, type, data, mimeType };
  if (type === "resource_link" && isNamed(uri))
    return {
      ...others,
      ...shared,
      type,
      uri,
      name: isNamed(name) ? name : uri,
      ...(isNamed(mimeType) && { mimeType }),
    };
  if (type === "resource" && isObject(resource) && isNamed(resource["uri"])) return block;
  return asText(block);
}

function asText(block: unknown): { type: "text"; text: string } {
  return { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) };
}

/** Cleans the messages of an HTTP response before the SDK validates them: a JSON document, or the data lines of an event stream. */
export function cleanResponse(
  body: ReadableStream<Uint8Array>,
  contentType: string,
): ReadableStream<Uint8Array> {
  const isStream = contentType.includes("text/event-stream");
  if (!isStream && !contentType.includes("application/json")) return body;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        if (!isStream) return;
        const end = rest.lastIndexOf("\n") + 1;
        if (end === 0) return;
        controller.enqueue(encoder.encode(rest.slice(0, end).split("\n").map(cleanLine).join("\n")));
        rest = rest.slice(end);
      },
      flush(controller) {
        rest += decoder.decode();
        controller.enqueue(encoder.encode(isStream ? cleanLine(rest) : cleanText(rest)));
      },
    }),
  );
}

function cleanLine(line: string): string {
  const [, start, json = "", end] = /^(data: ?)(.*?)(\r?)$/.exec(line) ?? [];
  return start === undefined ? line : `${start}${cleanText(json)}${end}`;
}

function cleanText(json: string): string {
  if (!json.includes("null")) return json;
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(Array.isArray(value) ? value.map(cleanMessage) : cleanMessage(value));
  } catch {
    return json;
  }
}
