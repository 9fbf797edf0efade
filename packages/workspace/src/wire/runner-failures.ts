import type { EffectReceipt } from "@haft/core";
import { HaftError, withoutUndefined } from "@haft/core";
import { workspaceError } from "../errors.ts";
import type { RunnerMadeError } from "./channel.ts";
import type { ReplyError } from "./protocol.ts";

const MAX_MESSAGE = 8_192;
const MAX_DETAILS = 16 * 1024;

/** What a runner says has gone wrong, as the error it would be here. It decides on nothing but its text. */
export function toHaftError({ made }: RunnerMadeError): HaftError {
  const { code, why, category, fix, details, receipt } = made;
  return new HaftError(
    /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : "FILE_SYSTEM_FAILED",
    why.slice(0, MAX_MESSAGE),
    {
      category: category === "input" || category === "policy" ? category : "operational",
      ...(typeof fix === "string" ? { fix: fix.slice(0, MAX_MESSAGE) } : {}),
      ...(isDetails(details) ? { details } : {}),
      ...(isReceipt(receipt) ? { receipt } : {}),
    },
  );
}

/** The connection to a sandbox is gone. */
export function sandboxLost(tried: string, why: string, receipt: EffectReceipt): HaftError {
  return workspaceError("SANDBOX_LOST", `Cannot ${tried}: the sandbox is gone, because ${why}.`, {
    fix:
      receipt === "none"
        ? "Nothing was done. Repeat the call: a new sandbox is opened for it."
        : "It may or may not have happened: look before you repeat it. The next call opens a new sandbox.",
    receipt,
  });
}

/** Nothing that could serve answers at the other end. */
export function noRunner(why: string, cause?: unknown): HaftError {
  return workspaceError(
    "SANDBOX_NO_RUNNER",
    `No runner answers in the sandbox: ${why}.`,
    withoutUndefined({
      fix: "See whether the place has a Node of version 20 or later, and what it wrote to its error output.",
      receipt: "none",
      cause,
    }),
  );
}

function isDetails(details: ReplyError["details"]): details is Record<string, unknown> {
  return (
    typeof details === "object" &&
    details !== null &&
    !Array.isArray(details) &&
    JSON.stringify(details).length <= MAX_DETAILS
  );
}

function isReceipt(receipt: unknown): receipt is EffectReceipt {
  return receipt === "none" || receipt === "committed" || receipt === "unknown";
}
