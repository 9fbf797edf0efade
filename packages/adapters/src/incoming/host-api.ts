import { adapterError } from "../errors.ts";

/** Registrations, except for tools, that foreign code made while it was loaded. */
export interface ApiRegistrations {
  /** In order, without duplicates: `on("tool_call")`, `registerCommand("todo")`. */
  readonly names: ReadonlySet<string>;
}

/**
 * Stands in for the API of an absent agent. Registrations (`on`, `register…`) are only recorded; other calls fail with an explanation.
 *
 * @param agent for messages: `pi`
 * @param parts existing parts
 */
export function hostApi<Parts extends object>(
  agent: string,
  parts: Parts,
): { api: Parts; asked: ApiRegistrations } {
  const asked = new Set<string>();
  const api = new Proxy(parts, {
    get(target, key, receiver): unknown {
      // Promises and inspection read such keys of every object.
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key in target)
        return Reflect.get(target, key, receiver);
      if (isRegistration(key)) {
        return (first: unknown) => {
          asked.add(typeof first === "string" ? `${key}(${JSON.stringify(first)})` : key);
          // Most registrations return a function that reverts them.
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

/** A part with further parts; every call fails. */
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
