import { resolve } from "node:path";
import { absoluteRoot } from "./next-command.ts";

const PATHS: readonly string[] = ["workspace", "config", "plugin", "policy", "admin-policy", "state"];
/** The finding command adds these. */
const LEFT_OUT: readonly string[] = ["state", "help"];

/** The arguments continue the run from any folder. */
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
