import { escapeInvisible } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";

/** Says on standard error that what could not be recorded is recorded after all; that it failed is logged. */
export function tellOfStore(session: Session): void {
  session.subscribe((event) => {
    if (event.type === "ledger" && event.store === "back")
      console.error(`haft: ${escapeInvisible(event.message)}`);
  });
}
