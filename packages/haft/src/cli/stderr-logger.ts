import type { Logger } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";

/** What a host has to tell beside its answers, for whoever started the command; standard output is for answers. */
export const stderrLogger: Logger = { debug() {}, info() {}, warn: tell, error: tell };

function tell(message: string, details: Record<string, unknown> = {}): void {
  const why = details["reason"];
  const all = typeof why === "string" ? `${message.replace(/\.$/, "")}: ${why}` : message;
  console.error(`haft: ${escapeInvisible(all)}`);
}
