import { messageOf } from "../../contract/errors.ts";
import type { PlannedCall } from "../call.ts";

/** Enters a tool inside of what hosts put around it: exactly once, whatever that does, and nothing of its answer is changed. */
export function surrounded<Returned>(call: PlannedCall, run: () => Returned): Returned {
  const { answeredAs: toolCallId, toolName, session } = call;
  let entered: { returned: Returned } | { thrown: unknown } | undefined;
  const enterTool = () => {
    if (entered !== undefined) return;
    try {
      entered = { returned: run() };
    } catch (thrown) {
      entered = { thrown };
    }
  };
  let enter = enterTool;
  for (const surround of session.surrounds ?? []) {
    const inner = enter;
    enter = () => {
      try {
        surround({ toolCallId, toolName }, inner);
      } catch (thrown) {
        const reason = messageOf(thrown);
        session.settings.logger.error("What was put around a call threw.", { call: call.id, reason });
      }
      inner();
    };
  }
  enter();
  if (entered !== undefined && "returned" in entered) return entered.returned;
  throw entered?.thrown;
}
