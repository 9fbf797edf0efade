import { checkSender } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { createBridgeError } from "../incoming/check-options.ts";

/** Options of a bridge and their valid values: words, functions of the SDK, a sender, or a sender or a function that returns one. */
export type Allowed = Readonly<
  Record<string, readonly (string | boolean)[] | "function" | "sender" | "sender of calls">
>;

/**
 * Checks the options of an outgoing bridge: a typo would silently disable approvals.
 *
 * @param bridge for messages: `toAISDK`
 * @param allowed known options
 * @param needed required options
 * @throws `BRIDGE_INVALID`, `INVALID_OPTIONS` for an invalid sender
 */
export function checkOutgoing(
  bridge: string,
  session: Session,
  options: object,
  allowed: Allowed,
  needed: readonly string[] = [],
): void {
  const given = session as Partial<Session> | null | undefined;
  if (typeof given?.tools !== "function" || typeof given.call !== "function")
    throw createBridgeError(
      `${bridge} takes a session.`,
      `Give it an open one: ${bridge}(await host.openSession()).`,
    );
  const names = Object.keys(allowed);
  const example = `${bridge}(session, ${exampleOf(allowed)})`;
  if (typeof options !== "object" || options === null)
    throw createBridgeError(`The options of ${bridge} are no object.`, `Give it one: ${example}.`);
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined)
    throw createBridgeError(
      `${bridge} has no option ${JSON.stringify(unknown)}.`,
      names.length === 0 ? "It has none." : `Its options are ${names.join(", ")}: ${example}.`,
    );
  const missing = needed.find((name) => (options as Record<string, unknown>)[name] === undefined);
  if (missing !== undefined)
    throw createBridgeError(`${bridge} needs ${missing} of the SDK.`, `Import it there: ${example}.`);
  for (const [name, what] of Object.entries(allowed)) {
    const wanted = (options as Record<string, unknown>)[name];
    if (what === "sender" || what === "sender of calls") {
      const isFunction = what === "sender of calls" && typeof wanted === "function";
      if (Object.hasOwn(options, name) && !isFunction) checkSender(bridge, wanted);
      continue;
    }
    const fits = what === "function" ? typeof wanted === "function" : what.includes(wanted as string);
    if (wanted === undefined || fits) continue;
    throw createBridgeError(
      `${name} of ${bridge} is ${JSON.stringify(wanted) ?? typeof wanted}, which it does not know.`,
      `Use ${what === "function" ? "what the SDK exports under this name" : what.map((word) => JSON.stringify(word)).join(" or ")}: ${example}.`,
    );
  }
}

function exampleOf(allowed: Allowed): string {
  const parts = Object.entries(allowed).map(([name, what]) => {
    if (what === "function") return name;
    return `${name}: ${typeof what === "string" ? '{ id: "…" }' : JSON.stringify(what.at(-1))}`;
  });
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
