import type { Logger } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";

/** What a host has to tell beside its answers, for whoever started the command; standard output is for answers. */
export const stderrLogger: Logger = { debug() {}, info() {}, warn: tell, error: tell };

/** For commands that show themselves what is wrong: a log would say it once more. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function tell(message: string, details: Record<string, unknown> = {}): void {
  const why = details["reason"];
  const all = typeof why === "string" ? `${message.replace(/\.$/, "")}: ${why}` : message;
  console.error(`haft: ${escapeInvisible(all)}`);
}

/** Says on standard error that what could not be recorded is recorded after all; that it failed is logged. */
export function reportStoreRecovery(session: Session): void {
  session.subscribe((event) => {
    if (event.type === "ledger" && event.store === "back")
      console.error(`haft: ${escapeInvisible(event.message)}`);
  });
}
