import type { DialectName, ModelRequest, ScriptedCall } from "./script.ts";

/** A JSON object, as it came. */
export type Json = Readonly<Record<string, unknown>>;

/** A call as it is sent. */
export interface SentCall extends ScriptedCall {
  id: string;
  arguments: string;
}

/** One answer of the model, ready to be sent whole or in pieces. */
export interface Answer {
  id: string;
  text: string;
  calls: readonly SentCall[];
}

/** Contains the parts of a request that come from its body. */
export type ReadRequest = Pick<
  ModelRequest,
  "model" | "stream" | "tools" | "results" | "spokenTurns" | "prompt"
>;

/** One API of models: how requests are read and answers written. */
export interface Dialect {
  readonly name: DialectName;
  /** Whether a POST to this path asks the model. */
  asks(path: string): boolean;
  /** Other things that a POST to this path may ask, such as how many tokens a text has. */
  handleOther?(path: string, body: Json): object | undefined;
  read(body: Json, url: URL): ReadRequest;
  formatResponse(answer: Answer, request: ModelRequest): object;
  /** The events of a streamed answer, as they are sent. */
  events(answer: Answer, request: ModelRequest): Iterable<string>;
  error(status: number, message: string): object;
}

/** Counts four characters as a token. */
export function countTokens(value: unknown): number {
  return Math.ceil((typeof value === "string" ? value : JSON.stringify(value ?? "")).length / 4);
}

/** Cuts by code points, so that no piece ends inside a character. */
export function pieces(text: string, size = 40): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, i) => characters.slice(i * size, (i + 1) * size).join(""));
}

export function toObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a message, or of a result, which is a string or a list of parts; and how many images are in it. */
export function readContent(content: unknown): { text: string; images: number } {
  if (!Array.isArray(content)) return { text: toText(content), images: 0 };
  const parts = toObjects(content);
  const images = parts.filter(({ type }) => typeof type === "string" && type.includes("image")).length;
  const texts = parts.flatMap((part) => {
    if (typeof part["text"] === "string") return [part["text"]];
    return typeof part["type"] === "string" && part["type"].includes("image") ? [] : [JSON.stringify(part)];
  });
  return { text: texts.join("\n"), images };
}

/** For APIs that cannot send arguments that are not JSON. */
export function parseOr(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return otherwise;
  }
}
