import { isThenable, withTimeout, truncate } from "@haft/utils";
import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import { coreError } from "../../errors.ts";
import { copyArguments, copyJson, type JsonLimits, NotJsonError } from "../copy-json.ts";
import { describeValue, formatPath, type ParameterIssue } from "../schema/issues.ts";
import { isPlainObject, type JsonObject } from "../schema/json-schema.ts";
import type { Standard } from "./standard-schema.ts";

export type ValidationResult =
  | { value: JsonObject; characters: number }
  | { issues: ParameterIssue[] }
  | { error: HaftError };

export interface ValidationLimits extends JsonLimits {
  signal?: AbortSignal | undefined;
}

const LIMIT_MS = 15_000;
const MAX_ISSUES = 10;

/** Validates with a library and reads the result once. Never rejects. @param whose Subject of messages. */
export function runValidate(
  validate: NonNullable<Standard["validate"]>,
  value: JsonObject,
  whose: string,
  limits: ValidationLimits,
): ValidationResult | Promise<ValidationResult> {
  const fail = (thrown: unknown): ValidationResult => ({
    error: HaftError.is(thrown) ? thrown : failed(`${whose} failed: ${getErrorMessage(thrown)}`),
  });
  const read = (answer: unknown): ValidationResult => {
    try {
      return readAnswer(answer, value, whose, limits);
    } catch (thrown) {
      return fail(thrown);
    }
  };
  try {
    const answer = validate(copyArguments(value));
    if (!isThenable(answer)) return read(answer);
    return withTimeout(answer, LIMIT_MS, {
      error: () => failed(`${whose} took longer than ${LIMIT_MS / 1000} s`),
      signal: limits.signal,
    }).then(read, fail);
  } catch (thrown) {
    return fail(thrown);
  }
}

function readAnswer(answer: unknown, given: JsonObject, whose: string, limits: JsonLimits): ValidationResult {
  if (typeof answer !== "object" || answer === null)
    throw failed(`${whose} returned ${describeValue(answer)} instead of a result`);
  const { issues, value } = answer as { issues?: unknown; value?: unknown };
  if (Array.isArray(issues)) return { issues: readIssues(issues, given) };
  if (issues) throw failed(`${whose} returned issues that are not a list`);
  try {
    const copy = copyJson(value, limits);
    if (!isPlainObject(copy.value)) throw new NotJsonError(describeValue(copy.value), []);
    return { value: copy.value, characters: copy.characters };
  } catch (thrown) {
    if (!(thrown instanceof NotJsonError)) throw thrown;
    throw failed(
      `${whose} converted the arguments to a value that is not a JSON object: ${thrown.message}`,
      "Report it to the tool's author: a schema returns text, numbers, booleans, lists and objects; `execute` creates dates, maps and class instances.",
    );
  }
}

function readIssues(issues: readonly unknown[], given: JsonObject): ParameterIssue[] {
  const read = issues.slice(0, MAX_ISSUES).map((issue): ParameterIssue => {
    const { message, path } = (issue ?? {}) as { message?: unknown; path?: unknown };
    const segments = Array.isArray(path) ? path.slice(0, 32).map(segmentOf) : [];
    const at = formatPath(segments);
    const expected = truncate(
      typeof message === "string" && message !== "" ? message : "something else",
      200,
    );
    const received = describeValue(valueAt(given, segments));
    const line = at === "" || expected.startsWith(at) ? expected : `${at}: ${expected}`;
    const shown = /receive|was /i.test(expected) ? line : `${line} (received ${received})`;
    const kind = received === "nothing" ? "missing" : "wrong";
    return { kind, path: at, expected, received, message: truncate(shown, 300) };
  });
  if (read.length > 0) return read;
  const message = "refused without a reason";
  return [{ kind: "wrong", path: "", expected: message, received: describeValue(given), message }];
}

function segmentOf(segment: unknown): string | number {
  const key: unknown =
    typeof segment === "object" && segment !== null ? (segment as { key?: unknown }).key : segment;
  return typeof key === "number" ? key : String(key);
}

function valueAt(value: unknown, segments: readonly (string | number)[]): unknown {
  let found = value;
  for (const segment of segments) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Record<string | number, unknown>)[segment];
  }
  return found;
}

function failed(problem: string, fix?: string): HaftError {
  return coreError("TOOL_INVALID", `${problem.replace(/\.$/, "")}.`, {
    receipt: "none",
    ...(fix !== undefined && { fix }),
  });
}
