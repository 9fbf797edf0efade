import type { CallRecord, Session, SessionEvent } from "@haft/core/kernel";
import type { OpenSession } from "@haft/host/internal/host";
import type { SourceEvent } from "../../source/inspector-source.ts";
import type { PendingApprovals } from "../approvals/pending-approvals.ts";
import { toCallKey } from "../calls/call-detail.ts";
import { type InspectedCallNotes, formatProgress } from "../calls/call-notes.ts";
import { callRow } from "../calls/call-row.ts";
import type { LiveOutput } from "../calls/live-output.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { listSessionProcesses } from "../processes/commands.ts";
import { callFromMeta } from "../runs/live-ledger.ts";
import { findRunView } from "../runs/run-view.ts";

/** Interval of checks while a command runs. */
const COMMANDS_MS = 1_000;
/** Interval of events about a busy session. */
const RUN_MS = 250;

type Tell = (event: SourceEvent) => void;

interface Kept {
  waiting: PendingApprovals;
  output: LiveOutput;
  notes: InspectedCallNotes;
}

type CallEvent = Extract<SessionEvent, { toolCallId: string }>;

/** Reports sessions of this process. Returns a function that stops it. */
export function followLive(looking: InspectionContext, kept: Kept, tell: Tell): () => void {
  const { sessions } = looking.internals;
  const ends = new Set<() => void>();
  const follow = (opened: OpenSession) => {
    const one = new FollowedSession(looking, opened, kept, tell);
    const end = () => {
      one.end();
      ends.delete(end);
    };
    ends.add(end);
    one.whenClosed = end;
  };
  for (const opened of sessions.all()) follow(opened);
  const stop = sessions.onOpened((opened) => {
    follow(opened);
    void findRunView(looking, opened.session.opening).then(
      (run) => run && tell({ type: "run", run }),
      nothing,
    );
  });
  return () => {
    stop();
    for (const end of ends) end();
  };
}

class FollowedSession {
  whenClosed: () => void = nothing;
  readonly #looking: InspectionContext;
  readonly #opened: OpenSession;
  readonly #session: Session;
  readonly #kept: Kept;
  readonly #tell: Tell;
  readonly #unsubscribe: () => void;
  readonly #runId: string;
  readonly #commands = new Map<string, string>();
  #commandsTimer: NodeJS.Timeout | undefined;
  #runTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(looking: InspectionContext, opened: OpenSession, kept: Kept, tell: Tell) {
    this.#looking = looking;
    this.#opened = opened;
    this.#session = opened.session;
    this.#kept = kept;
    this.#tell = tell;
    this.#runId = opened.session.opening;
    this.#unsubscribe = opened.session.subscribe((event) => this.#hear(event));
  }

  end(): void {
    this.#isOver = true;
    this.#unsubscribe();
    clearTimeout(this.#commandsTimer);
    clearTimeout(this.#runTimer);
  }

  #hear(event: SessionEvent): void {
    if (event.type === "ledger") {
      const level = event.store === "failed" ? "error" : "info";
      this.#tell({ type: "notice", about: "store", level, message: event.message });
    } else if (event.type === "session-closed") {
      this.whenClosed();
      void this.#tellRun();
    } else this.#hearCall(event);
  }

  #hearCall(event: CallEvent): void {
    const { toolCallId } = event;
    const named = { runId: this.#runId, toolCallId };
    switch (event.type) {
      case "tool-start":
        this.#tellCall(toolCallId);
        this.#runLater();
        break;
      case "tool-update": {
        const added = (event.partial.details as { added?: unknown } | undefined)?.added;
        if (typeof added === "string") {
          if (added !== "")
            this.#tell({ type: "output", ...named, ...this.#kept.output.add(toCallKey(named), added) });
        } else this.#tell({ type: "progress", ...named, text: formatProgress(event) });
        this.#commandsLater(0);
        break;
      }
      case "tool-warning":
        this.#tell({ type: "warning", ...named, ...this.#kept.notes.warn(toCallKey(named), event) });
        break;
      case "approval-requested":
        this.#tellCall(toolCallId);
        void this.#kept.waiting
          .toApproval(event.request)
          .then((approval) => this.#tell({ type: "approval", approval }), nothing);
        break;
      case "approval-settled":
        this.#tellCall(toolCallId);
        void this.#tellOver(event.approvalId);
        break;
      case "tool-end":
        this.#kept.output.end(toCallKey(named));
        void this.#tellEnd(toolCallId);
        this.#runLater();
        this.#commandsLater(0);
        break;
      case "tool-blocked":
      case "hook-failed":
      case "policy-shadow":
        break;
    }
  }

  #tellCall(toolCallId: string): void {
    const meta = this.#session.ledger().findLast((one) => one.toolCallId === toolCallId);
    if (meta === undefined) return;
    this.#tellCallAs(callFromMeta(meta, 0));
  }

  async #tellEnd(toolCallId: string): Promise<void> {
    const call = await this.#session.findRecord(toolCallId).catch(() => undefined);
    if (call === undefined) return this.#tellCall(toolCallId);
    this.#tellCallAs(call);
  }

  #tellCallAs(call: CallRecord): void {
    const of = { runId: this.#runId, sessionKey: this.#session.key };
    this.#tell({ type: "call", call: callRow({ ...call, ...of }) });
  }

  async #tellOver(approvalId: string): Promise<void> {
    const { state, decision, by } = await this.#kept.waiting.getConflict(approvalId);
    this.#tell({
      type: "approval-over",
      approvalId,
      state: state === "open" || state === "unknown" ? "decided" : state,
      ...(decision !== undefined && { decision }),
      ...(by !== undefined && { by }),
    });
  }

  #runLater(): void {
    this.#runTimer ??= setTimeout(() => {
      this.#runTimer = undefined;
      void this.#tellRun();
    }, RUN_MS).unref();
  }

  /** After the records are written, because the run has no id before, and no later event would report it. */
  async #tellRun(): Promise<void> {
    await this.#session.flush();
    const run = await findRunView(this.#looking, this.#runId).catch(() => undefined);
    if (run !== undefined) this.#tell({ type: "run", run });
  }

  #commandsLater(after: number): void {
    this.#commandsTimer ??= setTimeout(() => void this.#tellCommands(), after).unref();
  }

  async #tellCommands(): Promise<void> {
    const commands = await listSessionProcesses(this.#opened).catch(() => []);
    this.#commandsTimer = undefined;
    for (const process of commands) {
      const text = JSON.stringify(process);
      if (this.#commands.get(process.id) === text) continue;
      this.#commands.set(process.id, text);
      this.#tell({ type: "process", process });
    }
    for (const id of this.#commands.keys())
      if (!commands.some((one) => one.id === id)) this.#commands.delete(id);
    // Another check may have ended the session.
    if (!this.#isOver && commands.some(({ state }) => state === "running")) this.#commandsLater(COMMANDS_MS);
  }
}

function nothing(): void {}
