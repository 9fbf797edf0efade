import { type HaftError, getErrorMessage } from "@haft/core";
import { checkOptions, type OptionSchema } from "@haft/core/internal";
import type { Context } from "hono";
import { inspectorError } from "../errors.ts";

/** Bytes, enough for a file of rules. */
const MAX_BODY = 2 * 1024 * 1024;
/** Characters of a query value. */
const MAX_TEXT = 4_096;

/** Unknown names would have no effect, so they fail. */
export class Query {
  readonly #values: Readonly<Record<string, string>>;
  readonly #names: readonly string[];

  /** @throws HaftError `INSPECT_REQUEST` for unknown or repeated names, and long values */
  constructor(context: Context, names: readonly string[]) {
    this.#names = names;
    const all = context.req.queries();
    for (const [name, values] of Object.entries(all)) {
      if (!names.includes(name))
        throw createBadRequest(
          `${context.req.path} does not accept ${JSON.stringify(name)}${names.length > 0 ? `, only ${names.join(", ")}` : ""}.`,
        );
      if (values.length > 1) throw createBadRequest(`${name} occurs twice.`);
      if (values[0]!.length > MAX_TEXT)
        throw createBadRequest(`${name} is longer than ${MAX_TEXT} characters.`);
    }
    this.#values = Object.fromEntries(Object.entries(all).map(([name, [value]]) => [name, value!]));
  }

  text(name: string): string | undefined {
    return this.#values[this.#checked(name)];
  }

  requireText(name: string): string {
    return this.text(name) ?? refuse(`${name} is missing.`);
  }

  choice<const Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    return (
      words.find((word) => word === given) ??
      refuse(`${name} is ${words.join(", ")}; got ${JSON.stringify(given)}.`)
    );
  }

  number(name: string, least: number, most: number): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const value = Number(given);
    if (/^\d{1,16}$/.test(given) && value >= least && value <= most) return value;
    return refuse(`${name} must be a whole number from ${least} to ${most}; got ${JSON.stringify(given)}.`);
  }

  /** The server's mistake, not the client's. */
  #checked(name: string): string {
    if (!this.#names.includes(name)) throw new Error(`${name} is not among the names`);
    return name;
  }
}

/**
 * Requires JSON with its content type, which other pages' forms cannot send.
 *
 * @throws HaftError `INSPECT_REQUEST`, `INVALID_OPTIONS`
 */
export async function readBody<Body extends object>(context: Context, schema: OptionSchema): Promise<Body> {
  const { req } = context;
  if (!/^application\/json\b/.test(req.header("content-type") ?? ""))
    throw createBadRequest(
      `${req.method} ${req.path} needs a JSON body with the content type application/json.`,
    );
  const text = await readText(context);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (thrown) {
    throw createBadRequest(
      `The body of ${req.method} ${req.path} is not valid JSON: ${getErrorMessage(thrown)}.`,
    );
  }
  checkOptions(`${req.method} ${req.path}`, body, schema);
  return body as Body;
}

/** Reads a long body without storing it, so that the client receives the error. */
async function readText({ req }: Context): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of req.raw.body ?? []) {
    bytes += piece.length;
    if (bytes <= MAX_BODY) pieces.push(piece);
  }
  if (bytes <= MAX_BODY) return Buffer.concat(pieces).toString("utf8");
  throw createBadRequest(`A request can have at most ${MAX_BODY} bytes; this request has ${bytes}.`);
}

export function requireResource<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing !== undefined) return thing;
  throw inspectorError("INSPECT_NOT_FOUND", `There is no ${what}.`);
}

export function createBadRequest(message: string): HaftError {
  return inspectorError("INSPECT_REQUEST", message);
}

function refuse(message: string): never {
  throw createBadRequest(message);
}
