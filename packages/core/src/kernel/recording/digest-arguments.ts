import { sha256 } from "../../parameters/digest.ts";
import { callIdentity } from "../../parameters/duplicates.ts";

/** What a call came with, in one short text: nothing of it can be read in it. */
export function digestOfArguments(args: unknown): string {
  return sha256(callIdentity("", args));
}
