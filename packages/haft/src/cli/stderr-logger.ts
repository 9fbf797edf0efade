import type { Logger } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";

/** Standard output is for answers. */
export const stderrLogger: Logger = { debug() {}, info() {}, warn: write, error: write };

/** For commands that print problems themselves. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function write(message: string, details: Record<string, unknown> = {}): void {
  const why = details["reason"];
  const all = typeof why === "string" ? `${message.replace(/\.$/, "")}: ${why}` : message;
  console.error(`haft: ${escapeInvisible(all)}`);
}

/** The failure itself is logged. */
export function reportStoreRecovery(session: Session): void {
  session.subscribe((event) => {
    if (event.type === "ledger" && event.store === "back")
      console.error(`haft: ${escapeInvisible(event.message)}`);
  });
}
