import type { ApprovalDecision, ToolOutcome } from "@haft/core";
import type { CallOptions, CallRequest, Session, ToolDefinition } from "@haft/core/kernel";
import { sha256 } from "@haft/utils";
import { Lanes } from "./lanes.ts";

export interface Caller {
  /**
   * Runs one call in its turn: read and network calls concurrently, all others alone and in order. Never rejects.
   *
   * @param known facts from the host
   */
  call(request: CallRequest, options?: CallOptions, known?: CallHints): Promise<ToolOutcome>;
}

export interface CallHints {
  /** The call is new: if its id is known, the provider repeated it. */
  isNew?: boolean;
  /** Returns a person's decision in the host's SDK, if the session would ask. */
  getDecision?: () => ApprovalDecision | undefined;
}

export function createCaller(session: Session): Caller {
  const lanes = new Lanes();
  /** Hashes of calls that may change something, by id. */
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
    // Some endpoints restart ids in each turn. An equal call may be a redelivery.
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
        // Another approver may have decided just now: then the outcome stays.
        return session.resolveApproval(outcome.approvalId, answer).catch(() => outcome);
      });
    },
  };
}

/** Effects that other calls cannot notice. */
const QUIET: ReadonlySet<string> = new Set(["read", "network"]);

const quietTools = new WeakMap<readonly ToolDefinition[], ReadonlySet<string>>();

/** Only the offered name counts: another spelling may mean any tool. */
export function canRunConcurrently(session: Session, name: string): boolean {
  const offered = session.tools();
  let quiet = quietTools.get(offered);
  if (quiet === undefined) {
    const tools = offered.filter(({ effects }) => effects.every((effect) => QUIET.has(effect)));
    quietTools.set(offered, (quiet = new Set(tools.map((tool) => tool.name))));
  }
  return quiet.has(name);
}
