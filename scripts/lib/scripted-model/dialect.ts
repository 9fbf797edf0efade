import type { DialectName, ModelRequest, ScriptedCall } from "./script.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface SentCall extends ScriptedCall {
  id: string;
  arguments: string;
}

/** An answer for sending whole or in pieces. */
export interface Answer {
  id: string;
  text: string;
  calls: readonly SentCall[];
}

/** The parts of a request's body. */
export type ReadRequest = Pick<
  ModelRequest,
  "model" | "stream" | "tools" | "results" | "spokenTurns" | "prompt"
>;

/** A model API: reads requests and writes answers. */
export interface Dialect {
  readonly name: DialectName;
  /** Returns whether a POST to this path asks the model. */
  asks(path: string): boolean;
  /** Handles other POSTs, such as token counts. */
  handleOther?(path: string, body: Json): object | undefined;
  read(body: Json, url: URL): ReadRequest;
  formatResponse(answer: Answer, request: ModelRequest): object;
  /** A streamed answer's events. */
  events(answer: Answer, request: ModelRequest): Iterable<string>;
  error(status: number, message: string): object;
}

/** Four characters are a token. */
export function countTokens(value: unknown): number {
  return Math.ceil((typeof value === "string" ? value : JSON.stringify(value ?? "")).length / 4);
}

/** Pieces never end inside a character. */
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

/** Reads a message or result (a string or parts): its text and number of images. */
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

/** For APIs that only accept JSON arguments. */
export function parseOr(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return otherwise;
  }
}
