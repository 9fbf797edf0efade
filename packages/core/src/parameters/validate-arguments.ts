import { MAX_ARGUMENT_CHARACTERS } from "./argument-text.ts";
import type { ParameterizedTool } from "./compiled-spec.ts";
import { invalidArgumentsError } from "./invalid-arguments.ts";
import { prepareArguments, type PreparedArguments, type PendingValidation } from "./prepare-parameters.ts";
import { runValidate, type ValidationResult } from "./standard/run-validate.ts";

/** Characters what a schema makes of the arguments may have, where the tool says nothing else: as the arguments themselves. */
const ARGUMENT_CHARACTERS = 8_000_000;
const MAX_DEPTH = 200;

export type ValidatedArguments =
  | (Extract<PreparedArguments, { ok: true }> & {
      /** Characters of {@link args}, where they are not those that were sent. */
      weight?: number;
    })
  | Extract<PreparedArguments, { ok: false }>;

type ArgumentsTool = ParameterizedTool & { maxArgumentCharacters?: number };

/**
 * Prepares arguments, and lets a schema of a library have the last word: what its `validate` makes of them is what counts
 * from here on. Never throws, never rejects; waits only for such a schema, and only where it is asynchronous.
 *
 * Errors beside those of {@link prepareArguments}: `TOOL_INVALID`.
 *
 * @param signalOf ends the waiting; asked only where there may be some
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
  // Where its JSON Schema says it, too, that has the same words as for all other tools.
  const error =
    "error" in result ? result.error : (doubt ?? invalidArgumentsError(tool, result.issues, prepared.args));
  return rawText === undefined ? { ok: false, error } : { ok: false, error, rawText };
}
