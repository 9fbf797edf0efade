import { adapterError } from "../errors.ts";

/** What code of another agent asked its agent for while it was loaded, beside tools. */
export interface ApiRegistrations {
  /** In order, each once: `on("tool_call")`, `registerCommand("todo")`. */
  readonly names: ReadonlySet<string>;
}

/**
 * The API of an agent that is not there. What registers something (`on`, `register…`) is taken note of and does nothing; what
 * would act fails, and says so.
 *
 * @param agent for messages: `pi`
 * @param parts what is there
 */
export function hostApi<Parts extends object>(
  agent: string,
  parts: Parts,
): { api: Parts; asked: ApiRegistrations } {
  const asked = new Set<string>();
  const api = new Proxy(parts, {
    get(target, key, receiver): unknown {
      // Promises and inspections ask everything for such keys.
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key in target)
        return Reflect.get(target, key, receiver);
      if (isRegistration(key)) {
        return (first: unknown) => {
          asked.add(typeof first === "string" ? `${key}(${JSON.stringify(first)})` : key);
          // Most answer a way to take it back.
          return () => {};
        };
      }
      return createMissingApi(agent, key);
    },
  });
  return { api, asked: { names: asked } };
}

function isRegistration(key: string): boolean {
  return /^(?:on|once|off|unregister[A-Z].*|register[A-Z].*)$/.test(key);
}

/** A part that may be asked for further parts, and fails when it is called. */
export function createMissingApi(agent: string, path: string): unknown {
  const fail = (): never => {
    throw adapterError(
      "BRIDGED_API_MISSING",
      `The tool used ${agent === "" ? path : `${path} of ${agent}`}, which is not there outside of it.`,
    );
  };
  return new Proxy(fail, {
    get: (target, key) =>
      typeof key === "symbol" || key === "then" || key in target
        ? Reflect.get(target, key)
        : createMissingApi(agent, `${path}.${key}`),
  });
}
