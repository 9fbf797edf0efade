import { MAX_ARGUMENT_CHARACTERS } from "./argument-text.ts";
import type { ParameterizedTool } from "./compiled-spec.ts";
import { invalidArgumentsError } from "./invalid-arguments.ts";
import { prepareArguments, type PreparedArguments, type PendingValidation } from "./prepare-parameters.ts";
import { runValidate, type ValidationResult } from "./standard/run-validate.ts";

const ARGUMENT_CHARACTERS = 8_000_000;
const MAX_DEPTH = 200;

export type ValidatedArguments =
  | (Extract<PreparedArguments, { ok: true }> & {
      weight?: number;
    })
  | Extract<PreparedArguments, { ok: false }>;

type ArgumentsTool = ParameterizedTool & { maxArgumentCharacters?: number };

/**
 * Prepares arguments and validates them with a library's schema, whose output counts. Never throws or rejects.
 *
 * Errors beyond {@link prepareArguments}: `TOOL_INVALID`.
 *
 * @param signalOf Ends the wait; called only before a wait.
 */
export function validateArguments(
  tool: ArgumentsTool,
  raw: unknown,
  signalOf?: () => AbortSignal,
): ValidatedArguments | Promise<ValidatedArguments> {
  const prepared = prepareArguments(tool, raw);
  if (!prepared.ok || prepared.pendingValidation === undefined) return prepared;
  const { args, pendingValidation } = prepared;
  const validated = runValidate(pendingValidation.validate, args, `The schema of ${tool.name}`, {
    characters: Math.min(tool.maxArgumentCharacters ?? ARGUMENT_CHARACTERS, MAX_ARGUMENT_CHARACTERS),
    depth: MAX_DEPTH,
    signal: signalOf?.(),
  });
  const { pendingValidation: _, ...rest } = prepared;
  return validated instanceof Promise
    ? validated.then((result) => judged(tool, rest, pendingValidation, result))
    : judged(tool, rest, pendingValidation, validated);
}

function judged(
  tool: ArgumentsTool,
  prepared: Extract<PreparedArguments, { ok: true }>,
  { doubt }: PendingValidation,
  result: ValidationResult,
): ValidatedArguments {
  if ("value" in result) return { ...prepared, args: result.value, weight: result.characters };
  const { rawText } = prepared;
  // An error of the JSON Schema has the same text as for other tools.
  const error =
    "error" in result ? result.error : (doubt ?? invalidArgumentsError(tool, result.issues, prepared.args));
  return rawText === undefined ? { ok: false, error } : { ok: false, error, rawText };
}
