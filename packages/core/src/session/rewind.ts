import type { HaftError } from "../contract/errors.ts";
import type { ToolMeta } from "../contract/ledger-port.ts";
import { coreError } from "../errors.ts";
import { explainCall } from "../explain/explain.ts";
import type { SessionState } from "../kernel/session-state.ts";
import { checkOptions, optionsSchema } from "../parameters/check-options.ts";
import { recordRewind, type RewoundCall } from "./record-rewind.ts";
import { RewindCall } from "./rewind-call.ts";
import type { Rewind, RewindOptions, RewindReport } from "./rewind-report.ts";

/** A misspelled dry run would restore files. */
const OPTIONS = optionsSchema<RewindOptions>({
  dryRun: { type: "boolean", description: "Reports without a write." },
  skipConflicts: { type: "boolean", description: "Restores files without conflicts." },
  signal: { "haft:kind": "signal", description: "Ends the rewind if nothing has changed yet." },
});

export async function rewindSession(
  state: SessionState,
  rewind: Rewind | undefined,
  toolCallId: string,
  options: RewindOptions,
): Promise<RewindReport> {
  checkOptions("rewind", options, OPTIONS);
  if (state.closed) throw coreError("SESSION_CLOSED", "The session is closed, so it restores nothing.");
  if (rewind === undefined) {
    throw coreError(
      "REWIND_UNAVAILABLE",
      "This session has no journal of changes, so nothing can be restored.",
    );
  }
  const { callHistory, facts, key } = state;
  const calls = [...callHistory.entries];
  const first = calls.findIndex((call) => call.toolCallId === toolCallId);
  if (first === -1) {
    throw coreError("REWIND_UNAVAILABLE", `There is no call ${JSON.stringify(toolCallId)} in this session.`, {
      details: { toolCallId },
      fix: "Name a call of `session.ledger()`.",
    });
  }
  const since = calls.slice(first);
  const busy = calls.find((call) => call.status === "executing" && changesThings(state, call));
  if (busy !== undefined && options.dryRun !== true) throw stillRuns(busy);
  const runIds = [state.runId, state.openingId].filter((id) => id !== undefined);
  const rewinding = {
    ...options,
    agentId: facts.agentId,
    sessionKey: key,
    runIds,
    calls: new Set(since.map((call) => call.toolCallId)),
    since: since[0]!.createdAt,
    workspace: state.workspace,
    allow: (paths: readonly string[]) => requireAllowed(state, paths),
  };
  const rewound = since.map((call) => rewoundCall(state, call));
  const intent = { args: argumentsOf(toolCallId, options), reason: BY_POLICY };
  return recordRewind(toolCallId, rewinding, {
    rewind,
    rewound,
    record: () => new RewindCall(state.recorder, callHistory, intent),
  });
}

const BY_POLICY = "The host requested it, and the session may write these files.";

function argumentsOf(to: string, { skipConflicts }: RewindOptions) {
  return { to, ...(skipConflicts === true && { skipConflicts }) };
}

type KnownCall = Readonly<ToolMeta>;

function effectsOf({ view }: SessionState, { toolName }: KnownCall): readonly string[] | undefined {
  const resolved = view.resolve(toolName);
  return resolved.found === "visible" || resolved.found === "hidden"
    ? resolved.tool.facts.effects
    : undefined;
}

function changesThings(state: SessionState, call: KnownCall): boolean {
  return effectsOf(state, call)?.every((effect) => effect === "read") !== true;
}

function rewoundCall(state: SessionState, call: KnownCall): RewoundCall {
  const { toolCallId, toolName, startedAt, receipt } = call;
  const { args, result } = call;
  const { changed } = Object(result !== undefined && "details" in result ? result.details : undefined) as {
    changed?: unknown;
  };
  return {
    toolCallId,
    toolName,
    ...(startedAt !== undefined && { startedAt }),
    ...(receipt !== undefined && { receipt }),
    args,
    effects: effectsOf(state, call),
    unchanged: changed === false,
  };
}

/** A restore is a write: policy must allow the write now. */
async function requireAllowed(state: SessionState, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { verdict, reason } = await explainCall(state, "write", { path, content: "" });
    if (verdict === "runs" || verdict === "loop") continue;
    const why = verdict === "asks" ? `it needs approval: ${reason}` : reason;
    throw coreError("REWIND_DENIED", `Nothing was restored: this session may not write ${path}. ${why}`, {
      details: { path, verdict },
    });
  }
}

function stillRuns({ toolCallId, toolName }: KnownCall): HaftError {
  return coreError(
    "REWIND_BUSY",
    `Nothing was restored: ${toolCallId} (${toolName}) still runs and may change files.`,
    {
      details: { toolCallId },
    },
  );
}
