import { callIdentity } from "../../parameters/duplicates.ts";
import { sha256 } from "../../utils/values.ts";
import { type CallOptions, textOfSender } from "../call-options.ts";

/**
 * What a call came with, in one short text: nothing of it can be read in it. A call that answers another sender has another digest,
 * so it is not answered from the record of the first one.
 */
export function digestOfArguments(args: unknown, sender?: CallOptions["sender"]): string {
  return sha256(callIdentity(sender === undefined ? "" : textOfSender(sender), args), "base64url");
}
