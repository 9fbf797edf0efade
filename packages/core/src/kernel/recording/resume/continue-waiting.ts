import type { LedgerRun, PastCall } from "../../../contract/ledger-port.ts";
import { messageWithCauses } from "../../../format/causes.ts";
import type { SessionState } from "../../session-state.ts";

/**
 * Goes on with the calls that waited for a decision when their run was left. Resolves when all of them wait again, or have
 * begun or ended; never rejects. Not before whoever opened the session could subscribe to it.
 */
export async function continueWaiting(
  session: SessionState,
  run: LedgerRun,
  waiting: readonly PastCall[],
): Promise<void> {
  const { resumeCall } = await import("./resume-call.ts");
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(
    waiting.map(async ({ toolCallId }) => {
      try {
        const record = session.closed ? undefined : await run.read(toolCallId);
        if (record === undefined) return;
        const { promise: decided, resolve } = Promise.withResolvers<void>();
        void resumeCall(session, record, resolve).then(resolve, resolve);
        await decided;
      } catch (thrown) {
        // It stays as it is in the store, for the next who continues the run.
        const reason = messageWithCauses(thrown);
        session.settings.logger.error("A call that waits could not be read.", { call: toolCallId, reason });
      }
    }),
  );
}
