import { isDisplayVariable, sha256 } from "@haft/core/internal";

/** The same for the same variables, in whatever order, looks aside. Shows nothing of their values. */
export function hashEnvironment(env: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(env)
    .filter(([name]) => !isDisplayVariable(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}
