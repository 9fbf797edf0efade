import { resolve } from "node:path";
import { absoluteRoot } from "./next-command.ts";

/** Options whose value is a path, which is to mean the same from any folder. */
const PATHS: readonly string[] = ["workspace", "config", "plugin", "policy", "admin-policy", "state"];
/** Said by whoever looks: where the run was found. */
const LEFT_OUT: readonly string[] = ["state", "help"];

/**
 * The options of a session as a command line has them, for the command that continues its run: from any folder, by the same
 * rules, in the same sandbox.
 *
 * @param names of the options a session has
 */
export function toSessionArguments(
  values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  names: readonly string[],
): string[] {
  const given = { ...values, workspace: values["workspace"] ?? "." };
  return toOptionArguments(
    given,
    names.filter((name) => !LEFT_OUT.includes(name)),
  );
}

/** What options were read as, as words of a command line that means the same from any folder. */
export function toOptionArguments(
  values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  names: readonly string[],
): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || !names.includes(name)) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((one) => [`--${name}`, absolute(name, String(one))]);
  });
}

function absolute(name: string, value: string): string {
  if (name === "root") return absoluteRoot(value);
  return PATHS.includes(name) ? resolve(value) : value;
}
