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

/** Milliseconds between checks during a command. */
const COMMANDS_MS = 1_000;
/** Milliseconds between events of a busy session. */
const RUN_MS = 250;

type Notify = (event: SourceEvent) => void;

interface StoredSources {
  waiting: PendingApprovals;
  output: LiveOutput;
  notes: InspectedCallNotes;
}

type CallEvent = Extract<SessionEvent, { toolCallId: string }>;

/** Reports this process's sessions; returns a function that stops it. */
export function followLive(looking: InspectionContext, sources: StoredSources, notify: Notify): () => void {
  const { sessions } = looking.internals;
  const ends = new Set<() => void>();
  const follow = (opened: OpenSession) => {
    const one = new FollowedSession(looking, opened, sources, notify);
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
      (run) => run && notify({ type: "run", run }),
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
  readonly #sources: StoredSources;
  readonly #notify: Notify;
  readonly #unsubscribe: () => void;
  readonly #runId: string;
  readonly #commands = new Map<string, string>();
  #commandsTimer: NodeJS.Timeout | undefined;
  #runTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(looking: InspectionContext, opened: OpenSession, sources: StoredSources, notify: Notify) {
    this.#looking = looking;
    this.#opened = opened;
    this.#session = opened.session;
    this.#sources = sources;
    this.#notify = notify;
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
      this.#notify({ type: "notice", about: "store", level, message: event.message });
    } else if (event.type === "session-closed") {
      this.whenClosed();
      void this.#notifyRun();
    } else this.#hearCall(event);
  }

  #hearCall(event: CallEvent): void {
    const { toolCallId } = event;
    const named = { runId: this.#runId, toolCallId };
    switch (event.type) {
      case "tool-start":
        this.#notifyCall(toolCallId);
        this.#runLater();
        break;
      case "tool-update": {
        const added = (event.partial.details as { added?: unknown } | undefined)?.added;
        if (typeof added === "string") {
          if (added !== "")
            this.#notify({ type: "output", ...named, ...this.#sources.output.add(toCallKey(named), added) });
        } else this.#notify({ type: "progress", ...named, text: formatProgress(event) });
        this.#commandsLater(0);
        break;
      }
      case "tool-warning":
        this.#notify({ type: "warning", ...named, ...this.#sources.notes.warn(toCallKey(named), event) });
        break;
      case "approval-requested":
        this.#notifyCall(toolCallId);
        void this.#sources.waiting
          .toApproval(event.request)
          .then((approval) => this.#notify({ type: "approval", approval }), nothing);
        break;
      case "approval-settled":
        this.#notifyCall(toolCallId);
        void this.#notifyOver(event.approvalId);
        break;
      case "tool-end":
        this.#sources.output.end(toCallKey(named));
        void this.#notifyEnd(toolCallId);
        this.#runLater();
        this.#commandsLater(0);
        break;
      case "tool-blocked":
      case "hook-failed":
      case "policy-shadow":
        break;
    }
  }

  #notifyCall(toolCallId: string): void {
    const meta = this.#session.ledger().findLast((one) => one.toolCallId === toolCallId);
    if (meta === undefined) return;
    this.#notifyCallAs(callFromMeta(meta, 0));
  }

  async #notifyEnd(toolCallId: string): Promise<void> {
    const call = await this.#session.findRecord(toolCallId).catch(() => undefined);
    if (call === undefined) return this.#notifyCall(toolCallId);
    this.#notifyCallAs(call);
  }

  #notifyCallAs(call: CallRecord): void {
    const of = { runId: this.#runId, sessionKey: this.#session.key };
    this.#notify({ type: "call", call: callRow({ ...call, ...of }) });
  }

  async #notifyOver(approvalId: string): Promise<void> {
    const { state, decision, by } = await this.#sources.waiting.getConflict(approvalId);
    this.#notify({
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
      void this.#notifyRun();
    }, RUN_MS).unref();
  }

  /** Runs have no id before their records, and later events would not report them. */
  async #notifyRun(): Promise<void> {
    await this.#session.flush();
    const run = await findRunView(this.#looking, this.#runId).catch(() => undefined);
    if (run !== undefined) this.#notify({ type: "run", run });
  }

  #commandsLater(after: number): void {
    this.#commandsTimer ??= setTimeout(() => void this.#notifyCommands(), after).unref();
  }

  async #notifyCommands(): Promise<void> {
    const commands = await listSessionProcesses(this.#opened).catch(() => []);
    this.#commandsTimer = undefined;
    for (const process of commands) {
      const text = JSON.stringify(process);
      if (this.#commands.get(process.id) === text) continue;
      this.#commands.set(process.id, text);
      this.#notify({ type: "process", process });
    }
    for (const id of this.#commands.keys())
      if (!commands.some((one) => one.id === id)) this.#commands.delete(id);
    // Another check may have ended it.
    if (!this.#isOver && commands.some(({ state }) => state === "running")) this.#commandsLater(COMMANDS_MS);
  }
}

function nothing(): void {}
