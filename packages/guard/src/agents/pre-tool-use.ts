import type { HookAnswer } from "../contract/agent.ts";
import type { Verdict } from "../contract/verdict.ts";

/** Nothing said: the agent goes on by its own rules. */
export function noOpinion({ note }: Verdict, stdout = ""): HookAnswer {
  return { stdout, stderr: note === undefined ? "" : `${note}\n`, exitCode: 0 };
}

/** One line of JSON; where Haft itself failed also a text and exit code 2, which block whatever becomes of the JSON. */
export function jsonAnswer(json: object, { failed, reason }: Verdict): HookAnswer {
  const stdout = `${JSON.stringify(json)}\n`;
  return failed ? { stdout, stderr: `${reason}\n`, exitCode: 2 } : { stdout, stderr: "", exitCode: 0 };
}

/** What Claude and Codex read before a call. Codex runs the call when a key is there that it does not know, so there is no other. */
export function preToolUse(verdict: Verdict, permissionDecision: "deny" | "ask"): HookAnswer {
  return jsonAnswer(
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision,
        permissionDecisionReason: verdict.reason,
      },
    },
    verdict,
  );
}

/** What they read before a person would be asked. */
export function permissionRequest(verdict: Verdict): HookAnswer {
  return jsonAnswer(
    {
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "deny", message: verdict.reason },
      },
    },
    verdict,
  );
}
