import { editDistance } from "@haft/utils";
import { describeValue } from "../parameters/schema/issues.ts";

export interface PluginError {
  what: string;
  fix: string;
}

const WHOLE = "Pass a plugin of definePlugin to the host, usually the default export of the plugin's module.";

/** Recognizes common mistakes; `undefined` for a possible plugin. May throw foreign errors. */
export function toPluginError(value: unknown): PluginError | undefined {
  if (typeof value === "function")
    return { what: "is a function instead of its result", fix: "Call it and pass its result." };
  if (typeof value === "string")
    return {
      what: `is the text ${JSON.stringify(value)}`,
      fix: "Import the package and pass its default export. Only a configuration can name a package.",
    };
  if (value === undefined)
    return {
      what: "is undefined",
      fix: "Check the import: the module may not export the name, or two modules may import each other.",
    };
  if (typeof value !== "object" || value === null)
    return {
      what: `is ${value === null ? "null" : `a ${typeof value}`}, not a plugin of definePlugin`,
      fix: WHOLE,
    };
  if (Array.isArray(value)) return { what: "is a list", fix: "Spread the list: ...plugins." };
  const { id, tools, default: inner, then, execute } = value as Record<string, unknown>;
  if (id === undefined && tools === undefined) {
    if (Object.prototype.toString.call(value) === "[object Module]")
      return {
        what: "is a whole module",
        fix: "Pass its default export: import weather from … instead of import * as weather from …",
      };
    if (typeof inner === "object" && inner !== null)
      return { what: "is a whole CommonJS module", fix: "Pass its .default." };
    if (typeof then === "function") return { what: "is a promise", fix: "Await it." };
    if (typeof execute === "function")
      return {
        what: "is a tool, not a plugin",
        fix: 'Create a plugin with it: definePlugin({ id: "…", tools: [tool] }).',
      };
  }
  return toIdError(id);
}

export function toIdError(id: unknown): PluginError | undefined {
  if (typeof id === "string" && /^[a-z0-9][a-z0-9-]*$/.test(id)) return undefined;
  const what = id === undefined ? "no id" : `the id ${describeValue(id)}`;
  return {
    what: `has ${what}. A plugin id consists of lower-case letters, digits and dashes`,
    fix: 'Make the plugin with definePlugin({ id: "…", tools: [tool] }) of @haft/plugin-sdk, and export it as default.',
  };
}

const MAX_WRONG = 2;
const SHORT = 5;

/** Finds an unknown key that resembles a missing key. Tools may be classes, so other keys are allowed. */
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
