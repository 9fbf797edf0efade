import { hasInvisible, type PatternProblem } from "../patterns/pattern-problem.ts";

/**
 * Why a key of `models`, `agents`, `channels` or `groups` would never be anybody's. Names are compared as they are; who may
 * be called what is not known here.
 */
export function nameProblem(part: string, name: string): PatternProblem | undefined {
  const nearest = [name.trim()].filter(Boolean);
  if (name === "" || name !== name.trim())
    return { message: "The name is empty or padded with spaces, so it would never be anybody's.", nearest };
  const shown = JSON.stringify(name);
  if (hasInvisible(name))
    return { message: `${shown} has a character that cannot be seen; write the name anew.` };
  if (part === "models" && /^\*?\/|\/\*?$/.test(name)) {
    const message = `${shown} is no model: a provider is written alone ("acme"), and so is a model of any provider ("large").`;
    return { message, nearest: [name.replaceAll(/^(?:\*?\/)+|(?:\/\*?)+$/g, "")].filter(Boolean) };
  }
  if (!name.includes("*")) return undefined;
  const all = `rules for all ${part} stand at the root${part === "models" ? ', those for a provider under its name ("acme")' : ""}`;
  return { message: `${shown}: names are compared as they are, without wildcards; ${all}.` };
}
