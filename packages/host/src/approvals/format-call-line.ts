import { summarizeCall } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";

/** Limits the characters of one argument that are read. Fewer are shown. */
const LOOKED_AT = 4_000;

/** Formats a call on one line of about 120 characters, without hidden characters or secrets. */
export function formatCallLine(toolName: string, args: unknown): string {
  return redactSecrets(summarizeCall(toolName, covered(args), { format: "plain" }));
}

/** Redacts before truncation, because a truncated secret is not recognized. */
function covered(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? redactSecrets(value.slice(0, LOOKED_AT)) : value,
    ]),
  );
}
