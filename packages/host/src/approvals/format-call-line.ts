import { summarizeCall } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";

/** Characters of one argument that are looked at. Far fewer are shown. */
const LOOKED_AT = 4_000;

/** A call on one line of about 120 characters, in which nothing is hidden, and secrets are covered. */
export function formatCallLine(toolName: string, args: unknown): string {
  return redactSecrets(summarizeCall(toolName, covered(args), { format: "plain" }));
}

/** Texts before they are cut: a secret that is cut looks like none. */
function covered(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? redactSecrets(value.slice(0, LOOKED_AT)) : value,
    ]),
  );
}
