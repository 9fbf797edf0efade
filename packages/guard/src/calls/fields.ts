import { isObject, asRecord } from "@haft/utils";
import { guardError } from "../errors.ts";

export type Members = Readonly<Record<string, unknown>>;

export function findText(members: Members, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    if (!Object.hasOwn(members, name)) continue;
    const value = members[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

export function findTexts(members: Members, ...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return (Array.isArray(value) ? value : [value]).filter((each): each is string => {
      return typeof each === "string" && each !== "";
    });
  });
}

/** @throws HaftError `GUARD_PAYLOAD` */
export function payloadObject(payload: unknown, agent: string): Members {
  if (isObject(payload)) return payload;
  throw guardError("GUARD_PAYLOAD", `${agent} did not send a JSON object to its hook.`);
}

/** @throws HaftError `GUARD_PAYLOAD` */
export function requireText(members: Members, agent: string, ...names: readonly string[]): string {
  const found = findText(members, ...names);
  if (found !== undefined) return found;
  throw guardError("GUARD_PAYLOAD", `The payload of ${agent} has no ${names.join(" or ")}.`);
}

/** @throws HaftError `GUARD_PAYLOAD` if a tool that runs commands has none. */
export function readCommand(input: unknown, ...names: readonly string[]): string {
  const found = findText(asRecord(input), "command", ...names);
  if (found !== undefined) return found;
  throw guardError("GUARD_PAYLOAD", "The payload for a command has no command.");
}

/** Older versions of some agents send JSON. */
export function parseArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const AFTERWARDS = /^(?:post|after|permissionDenied)/i;

/** Newer versions may rename events: an unknown event with a tool counts unless its name says that it follows the call. */
export function isBeforeCall(
  event: string,
  known: ReadonlySet<string>,
  toolName: string | undefined,
): boolean {
  return known.has(event) || (toolName !== undefined && !AFTERWARDS.test(event));
}
