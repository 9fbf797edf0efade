import { isDisplayVariable } from "@haft/core/internal";
import { createHash } from "node:crypto";

/** The same for the same variables, in whatever order, looks aside. Shows nothing of their values. */
export function hashEnvironment(env: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(env)
    .filter(([name]) => !isDisplayVariable(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
