import { editDistance } from "@haft/utils";

export interface PluginError {
  what: string;
  fix: string;
}

const WHOLE = "Give the host what definePlugin makes: the default export of a plugin's module, as a rule.";

/** Recognizes common mistakes; `undefined` for a possible plugin. May throw foreign errors. */
export function toPluginError(value: unknown): PluginError | undefined {
  if (typeof value === "function")
    return { what: "is a function, and not what it makes", fix: "Call it, and give what it answers." };
  if (typeof value === "string")
    return {
      what: `is the text ${JSON.stringify(value)}`,
      fix: "Import the package and give its default export; by name it can stand in a configuration.",
    };
  if (value === undefined)
    return {
      what: "is undefined",
      fix: "Look at what is imported there: a name that the module does not export, or two modules that import each other.",
    };
  if (typeof value !== "object" || value === null)
    return {
      what: `is ${value === null ? "null" : `a ${typeof value}`}, and not what definePlugin makes`,
      fix: WHOLE,
    };
  if (Array.isArray(value))
    return { what: "is a list", fix: "Give each plugin of it by itself: ...plugins." };
  const { id, tools, default: inner, then, execute } = value as Record<string, unknown>;
  if (id !== undefined || tools !== undefined) return undefined;
  if (Object.prototype.toString.call(value) === "[object Module]")
    return {
      what: "is a whole module",
      fix: "Give its default export: import weather from … instead of import * as weather from …",
    };
  if (typeof inner === "object" && inner !== null)
    return { what: "is a whole CommonJS module", fix: "Give what it has in .default." };
  if (typeof then === "function") return { what: "is a promise", fix: "Await it." };
  if (typeof execute === "function")
    return {
      what: "is a tool, and not a plugin",
      fix: 'Put it into one: definePlugin({ id: "…", tools: [tool] }).',
    };
  return undefined;
}

const MAX_WRONG = 2;
const SHORT = 5;

/** Finds an unknown key that resembles a missing key. Other unknown keys are allowed: tools may be classes. */
export function findMisspelledKey(value: object, known: readonly string[]): string | undefined {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const missing = known.filter((name) => !(name in value));
    const limit = key.length < SHORT ? 1 : MAX_WRONG;
    const meant = missing.find((name) => editDistance(key.toLowerCase(), name.toLowerCase(), limit) <= limit);
    if (meant !== undefined) return `a key "${key}"; did you mean "${meant}"?`;
  }
  return undefined;
}
