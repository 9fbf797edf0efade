import { HaftError } from "../contract/errors.ts";
import { textOf, type ToolOutcome } from "../contract/result.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";

/**
 * What is thrown for an outcome that is not `ok`. Its message is all that a model would have read, with what to do next: most
 * frameworks show nothing else of an error.
 */
export function errorOf(outcome: Exclude<ToolOutcome, { kind: "ok" }>): HaftError {
  const { code, kind, content, details, receipt } = outcome;
  const { fix } = details;
  const category = kind === "error" ? outcome.category : kind === "blocked" ? "policy" : "operational";
  const message = textOf(content).replace(/^(?:Error|Blocked): /, "");
  return new HaftError(
    code,
    message,
    withoutUndefined({ category, fix: typeof fix === "string" ? fix : undefined, details, receipt }),
  );
}
