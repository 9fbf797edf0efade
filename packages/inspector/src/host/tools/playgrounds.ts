import type { ToolOutcome } from "@haft/core";
import { maskSecrets } from "@haft/core/internal/records";
import type { Session } from "@haft/core/kernel";
import { createHost, type Host } from "@haft/host";
import { makeFolder, withoutUndefined } from "@haft/utils";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { inspectorError } from "../../errors.ts";
import type {
  Approval,
  Playground,
  PlaygroundDecision,
  PlaygroundRequest,
  PlaygroundCall,
  PlaygroundCallResult,
} from "../../wire/api.ts";
import { fileChanges } from "../calls/call-detail.ts";
import { formatCallSummary } from "../calls/call-row.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { parseSessionKind } from "../policy/policy-view.ts";

/** Open workspaces, and milliseconds until unused workspaces close. */
const MAX = 8;
const IDLE_MS = 30 * 60_000;
const MAX_FILES = 100;

interface Opened {
  host: Host;
  session: Session;
  folder: string;
  timer: NodeJS.Timeout;
}

/** Unrecorded sessions in temporary folders, with the host's rules, plugins and containment. */
export class Playgrounds {
  readonly #looking: InspectionContext;
  readonly #open = new Map<string, Opened>();
  readonly #opening = new Set<Promise<Playground>>();
  #isOver = false;

  constructor(looking: InspectionContext) {
    this.#looking = looking;
  }

  async open(request: PlaygroundRequest): Promise<Playground> {
    if (this.#isOver)
      throw inspectorError(
        "INSPECT_SCRATCH",
        "The inspector is closing and opens no more scratch workspaces.",
      );
    if (this.#open.size + this.#opening.size >= MAX)
      throw inspectorError("INSPECT_SCRATCH", `${MAX} scratch workspaces are already open.`, {
        fix: "Close a scratch workspace. Each closes automatically after half an hour without use.",
      });
    const opening = this.#openOne(request);
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #openOne({ kind: wanted, files = {} }: PlaygroundRequest): Promise<Playground> {
    const kind = parseSessionKind(wanted);
    const folder = mkdtempSync(join(tmpdir(), "haft-scratch-"));
    let host: Host | undefined;
    try {
      putFiles(folder, files);
      host = await createHost(this.#options(folder));
      const session = await host.openSession({
        kind,
        sessionKey: `scratch-${randomBytes(6).toString("hex")}`,
      });
      const id = randomBytes(6).toString("hex");
      this.#open.set(id, { host, session, folder, timer: this.#closeLater(id) });
      return { id, folder, kind };
    } catch (thrown) {
      await host?.close();
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  async call(
    id: string,
    { tool, args }: PlaygroundCall,
    signal: AbortSignal,
  ): Promise<PlaygroundCallResult | undefined> {
    const opened = this.#used(id);
    if (opened === undefined) return undefined;
    const outcome = await opened.session.call({ name: tool, arguments: args }, { signal });
    return called(opened, outcome);
  }

  async allow(
    id: string,
    { approvalId, allow }: PlaygroundDecision,
  ): Promise<PlaygroundCallResult | undefined> {
    const opened = this.#used(id);
    if (opened === undefined) return undefined;
    return called(opened, await opened.session.resolveApproval(approvalId, allow ? "allow-once" : "deny"));
  }

  async close(id: string): Promise<boolean> {
    const opened = this.#open.get(id);
    if (opened === undefined) return false;
    this.#open.delete(id);
    clearTimeout(opened.timer);
    await opened.host.close();
    rmSync(opened.folder, { recursive: true, force: true });
    return true;
  }

  async closeAll(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#opening);
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  #options(folder: string): Parameters<typeof createHost>[0] {
    const { options: given, rules, activeRules } = this.#looking.internals;
    const { network, processes, shell, sandbox, boundary } = rules.options;
    const {
      plugins = [],
      preset,
      policy,
      policySource,
      policyPositions,
      administratorPolicy,
    } = activeRules.rules.options;
    return withoutUndefined({
      plugins,
      preset,
      network,
      processes,
      shell,
      sandbox,
      // Only paths in the folder apply.
      boundary:
        boundary?.projectSettings === undefined ? undefined : { projectSettings: boundary.projectSettings },
      policy,
      policySource,
      policyPositions,
      administratorPolicy: administratorPolicy ?? false,
      hooks: given.hooks,
      workspaceDir: folder,
      stateDir: false as const,
      approvalMode: "pending" as const,
    });
  }

  #used(id: string): Opened | undefined {
    const opened = this.#open.get(id);
    if (opened === undefined) return undefined;
    clearTimeout(opened.timer);
    opened.timer = this.#closeLater(id);
    return opened;
  }

  #closeLater(id: string): NodeJS.Timeout {
    return setTimeout(() => void this.close(id).catch(() => {}), IDLE_MS).unref();
  }
}

/** @throws HaftError `INSPECT_SCRATCH` for files outside */
function putFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const entries = Object.entries(files);
  if (entries.length > MAX_FILES)
    throw inspectorError("INSPECT_SCRATCH", `A scratch workspace can start with at most ${MAX_FILES} files.`);
  for (const [name, text] of entries) {
    const path = resolve(folder, name);
    if (!path.startsWith(`${folder}/`) || name.includes("\0"))
      throw inspectorError(
        "INSPECT_SCRATCH",
        `${JSON.stringify(name)} is not a path inside the scratch workspace.`,
      );
    makeFolder(dirname(path));
    writeFileSync(path, text);
  }
}

function called({ session }: Opened, outcome: ToolOutcome): PlaygroundCallResult {
  const { kind, content, receipt, durationMs, details, toolName, toolCallId } = outcome;
  const meta = session.ledger().findLast((one) => one.toolCallId === toolCallId);
  const files = fileChanges({
    seq: 0,
    epoch: 1,
    toolCallId,
    toolName,
    status: kind === "ok" ? "completed" : "failed",
    outcome: kind,
    createdAt: 0,
    args: meta?.args,
    result: { content, details },
  });
  return withoutUndefined<PlaygroundCallResult>({
    kind,
    code: "code" in outcome ? outcome.code : undefined,
    content,
    receipt,
    durationMs,
    details: maskSecrets(details),
    files,
    approval: outcome.kind === "pending" ? approvalOf(session, outcome.approvalId) : undefined,
  });
}

function approvalOf(session: Session, approvalId: string): Approval | undefined {
  const request = session.pendingApprovals().find((one) => one.approvalId === approvalId);
  if (request === undefined) return undefined;
  const { attended: _, exactKey: _key, parts: _parts, args, ...rest } = request;
  return {
    ...rest,
    summary: formatCallSummary(request.tool.name, args),
    notes: request.risks ?? [],
    offers: [],
  };
}
