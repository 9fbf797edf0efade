/** Models differ little for JSON and English. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the tokens for the definition of a tool: one for every four characters of its JSON.
 *
 * @example
 * ```ts run
 * import { estimateToolTokens } from "@haft/plugin-loader/internal/plugins";
 * estimateToolTokens({ name: "ping", description: "Checks a host.", parameters: { type: "object" } }); // => 20
 * ```
 */
export function estimateToolTokens({
  name,
  description,
  parameters,
}: {
  name: string;
  description: string;
  parameters: object;
}): number {
  return Math.ceil(JSON.stringify({ name, description, parameters }).length / CHARACTERS_PER_TOKEN);
}
