import { invalid } from "../incoming/check-options.ts";

/** One registration of a plugin: a finished tool, or what makes tools. */
export interface Collected {
  tool?: unknown;
  factory?: (context: unknown) => unknown;
  /** What a factory says that it makes. */
  names: readonly string[];
  optional: boolean;
}

interface RegisterOptions {
  name?: unknown;
  names?: unknown;
  optional?: unknown;
}

/** The part of OpenClaw's API that takes tools. */
export function collector(): {
  tools: Collected[];
  api: { registerTool: (tool: unknown, options?: RegisterOptions) => void };
} {
  const tools: Collected[] = [];
  return {
    tools,
    api: {
      registerTool(given, options = {}) {
        const optional = options?.optional === true;
        const names = namesOf(options ?? {});
        if (typeof given === "function")
          tools.push({ factory: given as (context: unknown) => unknown, names, optional });
        else if (typeof given === "object" && given !== null) tools.push({ tool: given, names, optional });
        else throw invalid("The plugin registers something that is no tool.", "Report it to its author.");
      },
    },
  };
}

function namesOf({ name, names }: RegisterOptions): string[] {
  const all: unknown[] = [name, ...(Array.isArray(names) ? (names as unknown[]) : [])];
  return [...new Set(all.filter((each): each is string => typeof each === "string" && each !== ""))];
}
