import type { Logger } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";

export const stderrLogger: Logger = { debug() {}, info() {}, warn: write, error: write };

/** For commands that print problems. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function write(message: string, details: Record<string, unknown> = {}): void {
  const why = details["reason"];
  const all = typeof why === "string" ? `${message.replace(/\.$/, "")}: ${why}` : message;
  console.error(`haft: ${escapeInvisible(all)}`);
}

/** The failure is logged already. */
export function reportStoreRecovery(session: Session): void {
  session.subscribe((event) => {
    if (event.type === "ledger" && event.store === "back")
      console.error(`haft: ${escapeInvisible(event.message)}`);
  });
}
