import { MAX_ARGUMENT_CHARACTERS } from "./argument-text.ts";
import type { ParameterizedTool } from "./compiled-spec.ts";
import { invalid } from "./invalid-arguments.ts";
import { prepareArguments, type PreparedArguments, type Unjudged } from "./prepare-parameters.ts";
import { runValidate, type Validated } from "./standard/run-validate.ts";

/** Characters what a schema makes of the arguments may have, where the tool says nothing else: as the arguments themselves. */
const ARGUMENT_CHARACTERS = 8_000_000;
const MAX_DEPTH = 200;

export type ReadyArguments =
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
export function readyArguments(
  tool: ArgumentsTool,
  raw: unknown,
  signalOf?: () => AbortSignal,
): ReadyArguments | Promise<ReadyArguments> {
  const prepared = prepareArguments(tool, raw);
  if (!prepared.ok || prepared.unjudged === undefined) return prepared;
  const { args, unjudged } = prepared;
  const validated = runValidate(unjudged.validate, args, `The schema of ${tool.name}`, {
    characters: Math.min(tool.maxArgumentCharacters ?? ARGUMENT_CHARACTERS, MAX_ARGUMENT_CHARACTERS),
    depth: MAX_DEPTH,
    signal: signalOf?.(),
  });
  const { unjudged: _, ...rest } = prepared;
  return validated instanceof Promise
    ? validated.then((result) => judged(tool, rest, unjudged, result))
    : judged(tool, rest, unjudged, validated);
}

function judged(
  tool: ArgumentsTool,
  prepared: Extract<PreparedArguments, { ok: true }>,
  { doubt }: Unjudged,
  result: Validated,
): ReadyArguments {
  if ("value" in result) return { ...prepared, args: result.value, weight: result.characters };
  const { rawText } = prepared;
  // Where its JSON Schema says it, too, that has the same words as for all other tools.
  const error = "error" in result ? result.error : (doubt ?? invalid(tool, result.issues, prepared.args));
  return rawText === undefined ? { ok: false, error } : { ok: false, error, rawText };
}
