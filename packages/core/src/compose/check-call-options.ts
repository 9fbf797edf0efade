import { HaftError } from "../contract/errors.ts";
import type { Sender } from "../contract/policy-port.ts";
import type { CallOptions } from "../kernel/call.ts";
import { checkOptions, type OptionChecks } from "./check-options.ts";

const SENDER: OptionChecks<Sender> = { id: "text", phone: "text", username: "text", name: "text" };

const CALL: OptionChecks<CallOptions> = {
  signal: "any",
  onUpdate: "function",
  deadlineMs: "milliseconds",
  parentCallId: "text",
  sender: "any",
};

/** What is wrong with the options of a call: rules for a sender that is not understood would not hold. */
export function problemOfOptions(options: CallOptions): HaftError | undefined {
  try {
    checkOptions("call", options, CALL);
    checkSender("call: sender", options.sender);
    return undefined;
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
}

/** @throws HaftError `INVALID_OPTIONS` for what is neither a sender, nor `system`, nor missing */
export function checkSender(where: string, sender: Sender | "system" | undefined): void {
  if (sender !== undefined && sender !== "system") checkOptions(where, sender, SENDER);
}
