import type { ApprovalDecision, ToolOutcome } from "@haft/core";
import type { CallOptions, CallRequest, Session, ToolDefinition } from "@haft/core/kernel";
import { sha256 } from "@haft/utils";
import { Lanes } from "./lanes.ts";

export interface Caller {
  /**
   * Runs one call in its turn: what only reads or asks the network runs beside others of its kind, everything else alone, in the
   * order in which calls come. Never rejects.
   *
   * @param known what the host's own words say of it
   */
  call(request: CallRequest, options?: CallOptions, known?: CallHints): Promise<ToolOutcome>;
}

export interface CallHints {
  /** It is a new call: an id that was used before is one that the provider gave twice. */
  isNew?: boolean;
  /** What a person has said to it, in the words of the host's SDK: looked at where the session would ask. */
  getDecision?: () => ApprovalDecision | undefined;
}

export function createCaller(session: Session): Caller {
  const lanes = new Lanes();
  /** Id → what was called under it, of calls that may change something. */
  const made = new Map<string, string>();
  const callOnce = async (request: CallRequest, options: CallOptions, isNew: boolean, isQuiet: boolean) => {
    const { id, ...rest } = request;
    const what =
      isQuiet || isNew || id === undefined
        ? undefined
        : sha256(JSON.stringify({ ...rest, sender: options.sender }));
    const outcome = await session.call(request, options);
    if (outcome.kind !== "error" || outcome.code !== "DUPLICATE_CALL_ID") {
      if (id !== undefined && what !== undefined) made.set(id, what);
      return outcome;
    }
    // Some endpoints count anew in each turn. The very same call may be a redelivery instead, which must not change anything twice.
    const isAnother = what === undefined || (made.has(id!) && made.get(id!) !== what);
    return isAnother ? session.call(rest, options) : outcome;
  };
  return {
    call(request, options = {}, { isNew = false, getDecision } = {}) {
      const isQuiet = canRunConcurrently(session, request.name);
      return lanes.run(!isQuiet, options.signal, async () => {
        const outcome = await callOnce(request, options, isNew, isQuiet);
        const answer = outcome.kind === "pending" ? getDecision?.() : undefined;
        if (outcome.kind !== "pending" || answer === undefined) return outcome;
        // Somebody else may have decided in this moment: then it stays what it is, a call that waits or goes on.
        return session.resolveApproval(outcome.approvalId, answer).catch(() => outcome);
      });
    },
  };
}

/** What no other call can notice. */
const QUIET: ReadonlySet<string> = new Set(["read", "network"]);

const quietTools = new WeakMap<readonly ToolDefinition[], ReadonlySet<string>>();

/**
 * Whether calls of a tool may run at once with others of that kind. By the name it is offered with: what is spelled in another
 * way may be anything.
 */
export function canRunConcurrently(session: Session, name: string): boolean {
  const offered = session.tools();
  let quiet = quietTools.get(offered);
  if (quiet === undefined) {
    const tools = offered.filter(({ effects }) => effects.every((effect) => QUIET.has(effect)));
    quietTools.set(offered, (quiet = new Set(tools.map((tool) => tool.name))));
  }
  return quiet.has(name);
}
