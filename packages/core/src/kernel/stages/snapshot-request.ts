import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import { MAX_ARGUMENT_CHARACTERS } from "../../parameters/argument-text.ts";
import { describeValue } from "../../parameters/schema/issues.ts";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../../parameters/schema/json-bounds.ts";
import { isPlainObject, type JsonObject } from "../../parameters/schema/json-schema.ts";
import { type CallRequest, findOptionInRequest } from "../call-options.ts";

const ARGUMENT_CHARACTERS = 8_000_000;
const MAX_NAME_LENGTH = 256;
/** Names of the arguments in other formats. Ignoring them would run the call without arguments. */
const OTHER_NAMES = ["args", "input", "parameters", "params"] as const;

export interface RequestSnapshot extends CallRequest {
  weight: number;
  problem: HaftError | undefined;
}

export function snapshotRequest(
  request: unknown,
  limitOf: (tool: string) => number | undefined = () => undefined,
): RequestSnapshot {
  const owned: RequestSnapshot = {
    id: "",
    name: "",
    arguments: { elided: true },
    weight: 0,
    problem: undefined,
  };
  try {
    if (typeof request !== "object" || request === null)
      throw invalidRequest(`it is ${describeValue(request)}`);
    const { id, name, arguments: given } = request as Record<keyof CallRequest, unknown>;
    if (typeof id === "string") owned.id = id;
    if (typeof name !== "string") throw invalidRequest("it does not name a tool");
    owned.name = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
    const option = findOptionInRequest(request);
    if (option !== undefined) throw misplacedOption(option);
    const misnamed = given === undefined && OTHER_NAMES.find((other) => other in request);
    if (misnamed) throw invalidRequest(`its arguments are under ${misnamed}`);
    const copy = new Copy(() => limitOf(name));
    owned.arguments = copy.of(given, 0);
    owned.weight = copy.characters;
  } catch (thrown) {
    owned.problem = HaftError.is(thrown)
      ? thrown
      : invalidRequest(`it cannot be read (${getErrorMessage(thrown)})`);
  }
  return owned;
}

/** @throws HaftError `INVALID_REQUEST`, `ARGUMENTS_TOO_LARGE` */
export function snapshotArguments(given: unknown, limit: number | undefined): unknown {
  return new Copy(() => limit).of(given, 0);
}

/** Strings are shared, since they may be long. */
class Copy {
  characters = 0;
  #values = 0;
  readonly #limitOfTool: () => number | undefined;
  #limit = ARGUMENT_CHARACTERS;

  constructor(limitOfTool: () => number | undefined) {
    this.#limitOfTool = limitOfTool;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#count(value.length, value);
    if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined)
      return this.#count(1, value);
    if (depth >= MAX_JSON_DEPTH) throw tooLarge(`are nested deeper than ${MAX_JSON_DEPTH} levels`);
    if (Array.isArray(value)) return this.#array(value, depth);
    if (!isPlainObject(value)) throw invalidRequest("its arguments are not JSON");
    return this.#object(value, depth);
  }

  #array(value: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index++) copy.push(this.of(value[index], depth + 1));
    return this.#count(1, copy);
  }

  #object(value: JsonObject, depth: number): JsonObject {
    const copy: JsonObject = {};
    for (const key of Object.keys(value)) {
      const member = this.of(value[key], depth + 1);
      this.#count(key.length, undefined);
      if (member === undefined) continue;
      if (key === "__proto__") Object.defineProperty(copy, key, { value: member, enumerable: true });
      else copy[key] = member;
    }
    return this.#count(1, copy);
  }

  #count<T>(characters: number, value: T): T {
    this.#values += 1;
    if (this.#values > MAX_JSON_VALUES)
      throw tooLarge(`have more than ${MAX_JSON_VALUES} values`, MAX_JSON_VALUES);
    this.characters += characters;
    if (this.characters > this.#limit) {
      this.#limit = Math.min(this.#limitOfTool() ?? ARGUMENT_CHARACTERS, MAX_ARGUMENT_CHARACTERS);
      if (this.characters > this.#limit)
        throw tooLarge(`have more than ${Math.floor(this.#limit / 1e6)} million characters`, this.#limit);
    }
    return value;
  }
}

function invalidRequest(problem: string): HaftError {
  return coreError("INVALID_REQUEST", `This is not a tool call: ${problem}.`, {
    fix: "Send { id?, name, arguments }, with the arguments as JSON or JSON text.",
  });
}

function misplacedOption(option: string): HaftError {
  return coreError("INVALID_REQUEST", `This is not a tool call: ${option} is an option of session.call().`, {
    fix: `Pass it as an option: session.call(request, { ${option} }).`,
  });
}

function tooLarge(problem: string, limit?: number): HaftError {
  return coreError("ARGUMENTS_TOO_LARGE", `The arguments ${problem}.`, {
    fix: "Send them in parts.",
    ...(limit !== undefined && { details: { limit } }),
  });
}
