import { summarizeCall } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";

/** Characters of one argument that are read; fewer are shown. */
const LOOKED_AT = 4_000;

/** Formats a call as about 120 characters, without hidden characters or secrets. */
export function formatCallLine(toolName: string, args: unknown): string {
  return redactSecrets(summarizeCall(toolName, covered(args), { format: "plain" }));
}

/** Redacts first: a truncated secret is not recognized. */
function covered(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? redactSecrets(value.slice(0, LOOKED_AT)) : value,
    ]),
  );
}
