import {
  type ApprovalRequestRecord,
  type SessionFacts,
  type SessionKind,
  type Workspace,
  invalidOptions,
} from "@haft/core";
import type { Network, Registry, Session, SessionFactory, SessionPreview } from "@haft/core/kernel";
import type { ContainmentPlan } from "@haft/sandbox/view";
import { withoutUndefined } from "@haft/utils";
import type { HostProcessesOptions } from "@haft/workspace";
import { createSessionWorkspace, type SessionWorkspace } from "@haft/workspace/internal/places";
import { randomUUID } from "node:crypto";
import type { ViewUsage } from "../contained/contained-workspace.ts";
import { type ContainmentManager, toSessionFacts } from "../contained/containment-manager.ts";
import { createUncontained, type SessionContainment } from "../contained/containment.ts";
import { hostError } from "../errors.ts";
import type { HostMcp } from "../mcp/host-mcp.ts";
import type { SandboxContext } from "../mcp/server-environments.ts";
import { recordedWorkspace } from "../processes/recorded-workspace.ts";
import type { RunProcesses } from "../processes/run-processes.ts";
import type { NodeWorkspaces } from "../sandbox/node-workspaces.ts";
import type { SandboxedWorkspace, Sandboxes } from "../sandbox/sandboxes.ts";
import { checkSessionOptions, type HostSessionOptions } from "./host-options.ts";
import type { OpenSession } from "./internals/open-session.ts";

interface WithNetwork extends SessionWorkspace {
  network: Network;
  use?: () => ViewUsage | undefined;
}

export interface HostSessionsOptions {
  factory: SessionFactory;
  sandboxes: Sandboxes;
  files: Workspace;
  processes: Omit<HostProcessesOptions, "workspace">;
  network: Network;
  containment: ContainmentManager;
  notify: ((request: ApprovalRequestRecord) => void) | undefined;
  records: (() => RunProcesses) | undefined;
  nodeWorkspaces: ((sessionKey: string) => NodeWorkspaces) | undefined;
  servers: HostMcp | undefined;
}

export class HostSessions {
  readonly #of: HostSessionsOptions;
  #opening = 0;
  #whenOpened: PromiseWithResolvers<void> | undefined;
  readonly #open = new Map<Session, OpenSession>();
  readonly #listeners = new Set<(opened: OpenSession) => void>();
  readonly #closing = new AbortController();
  readonly #looking = new Map<string, Promise<SessionWorkspace>>();

  constructor(options: HostSessionsOptions) {
    this.#of = options;
  }

  async open(wanted: HostSessionOptions): Promise<Session> {
    this.#closing.signal.throwIfAborted();
    this.#opening++;
    try {
      return await this.#openOne(wanted);
    } finally {
      if (--this.#opening === 0) {
        this.#whenOpened?.resolve();
        this.#whenOpened = undefined;
      }
    }
  }

  async preview(wanted: HostSessionOptions): Promise<SessionPreview> {
    checkSessionOptions(wanted);
    const { sandbox: inside, ...rest } = wanted;
    const owner = { sessionKey: rest.sessionKey ?? "", agentId: rest.agentId ?? "main" };
    const onHost = rest.workspace ?? (await this.#inspect(wanted));
    const sandboxed = needsSandbox(wanted)
      ? this.#of.sandboxes.preview(inside, owner, () => onHost.processes!)
      : undefined;
    const isPlain = sandboxed === undefined && rest.workspace === undefined && mayLeave(wanted, onHost);
    const elsewhere = isPlain ? this.#of.nodeWorkspaces?.(owner.sessionKey) : undefined;
    return this.#of.factory.preview(
      withoutUndefined({
        workspace: sandboxed?.workspace ?? elsewhere?.attachPreviewTo(onHost) ?? onHost,
        ...rest,
        sandbox: sandboxed?.facts,
        kind: kindOf(wanted),
      }),
    );
  }

  async containment(wanted: HostSessionOptions): Promise<SessionContainment> {
    checkSessionOptions(wanted);
    if (needsSandbox(wanted)) return createUncontained("a sandbox");
    if (wanted.workspace !== undefined) return createUncontained("a workspace of its own");
    return this.#of.containment.checkContainment(toSessionFacts(wanted, kindOf(wanted)));
  }

  async containmentPlan(wanted: HostSessionOptions): Promise<ContainmentPlan | undefined> {
    checkSessionOptions(wanted);
    if (needsSandbox(wanted) || wanted.workspace !== undefined) return undefined;
    return this.#of.containment.planFor(toSessionFacts(wanted, kindOf(wanted)));
  }

  async close(): Promise<void> {
    this.#closing.abort(hostError("HOST_CLOSED", "This host is closed, so it opens no session."));
    if (this.#opening > 0) await (this.#whenOpened ??= Promise.withResolvers()).promise;
    await Promise.all([...this.#open.keys()].map((session) => session.close()));
    await Promise.all([...this.#looking.values()].map(async (one) => (await one).close()));
  }

  async #openOne(wanted: HostSessionOptions): Promise<Session> {
    checkSessionOptions(wanted);
    // Grants belong to the key, so it must be unique across processes.
    const { sessionKey = `session-${randomUUID()}`, agentId = "main" } = wanted;
    const owner = { sessionKey, agentId };
    const sandboxed = needsSandbox(wanted) ? await this.#of.sandboxes.open(wanted.sandbox, owner) : undefined;
    const onHost = sandboxed || wanted.workspace ? undefined : this.#onHost(wanted);
    const sandbox = sandboxed ?? (onHost instanceof Promise ? await onHost : onHost);
    const sessionWorkspace = sandbox?.workspace ?? wanted.workspace ?? this.#of.files;
    const elsewhere =
      onHost !== undefined && mayLeave(wanted, sessionWorkspace)
        ? this.#of.nodeWorkspaces?.(sessionKey)
        : undefined;
    const dispose = async () => {
      this.#open.delete(session);
      await Promise.all([servers?.close(), sandbox?.close(), elsewhere?.close()]);
    };
    const before = this.#of.factory.registry;
    const records = sandbox && this.#of.records?.();
    const recorded = records === undefined ? sessionWorkspace : recordedWorkspace(sessionWorkspace, records);
    const whileOpen = wanted.takeOver === true && { signal: endsWith(this.#closing.signal, wanted.signal) };
    let session: Session;
    const working = elsewhere === undefined ? recorded : elsewhere.attachTo(recorded);
    const servers = this.#of.servers?.attach(() => session.opening, insideOf(wanted, sandboxed));
    try {
      session = await this.#of.factory.open(
        withoutUndefined({
          ...wanted,
          ...whileOpen,
          workspace: working,
          network: sandbox === undefined ? wanted.network : sandbox.network,
          sandbox: sandboxed?.facts,
          sessionKey,
          kind: kindOf(wanted),
          dispose,
        }),
      );
    } catch (thrown) {
      await Promise.all([servers?.close(), sandbox?.close()]);
      throw thrown;
    }
    records?.attach(session);
    const opened: OpenSession = {
      session,
      workspace: working,
      openedAt: Date.now(),
    };
    if (sandboxed !== undefined) opened.sandbox = sandboxed.ref;
    if (sandbox !== undefined && "use" in sandbox && sandbox.use !== undefined) opened.view = sandbox.use;
    this.#open.set(session, opened);
    for (const listener of this.#listeners) listener(opened);
    if (this.#of.notify !== undefined) forwardRequests(session, this.#of.notify);
    const { registry } = this.#of.factory;
    // A reload ran during the opening; a later reload sees this session.
    if (registry !== before) {
      const putInForce = await this.#of.factory.replaceRegistry(registry, [session]);
      if (this.#of.factory.registry === registry) putInForce();
    }
    return session;
  }

  get sandboxes(): Pick<Sandboxes, "opened"> {
    return this.#of.sandboxes;
  }

  all(): OpenSession[] {
    return [...this.#open.values()];
  }

  /** Calls `tell` for each later session; returns a function that ends this. */
  onOpened(tell: (opened: OpenSession) => void): () => void {
    this.#listeners.add(tell);
    return () => void this.#listeners.delete(tell);
  }

  /** Recomposes the tools of open sessions; the returned function applies them. */
  replaceRegistry(registry: Registry): Promise<() => void> {
    return this.#of.factory.replaceRegistry(registry, this.#open.keys());
  }

  #onHost(wanted: HostSessionOptions): WithNetwork | Promise<WithNetwork> {
    const plain = () => ({
      ...createSessionWorkspace(this.#of.files, this.#of.processes),
      network: this.#of.network,
    });
    const facts = toSessionFacts(wanted, kindOf(wanted));
    if (this.#of.containment.resolveRequested(facts) === undefined) return plain();
    return this.#contained(facts, plain);
  }

  async #contained(facts: SessionFacts, plain: () => SessionWorkspace): Promise<WithNetwork> {
    const [contained, network] = await Promise.all([
      this.#of.containment.workspaceFor(facts),
      this.#of.containment.networkFor(facts),
    ]);
    return { ...(contained ?? plain()), network };
  }

  async #inspect(wanted: HostSessionOptions): Promise<Workspace> {
    const facts = toSessionFacts(wanted, kindOf(wanted));
    // In a sandbox, only programs are checked.
    const isOnHost = !needsSandbox(wanted);
    const key = JSON.stringify((isOnHost && this.#of.containment.resolveRequested(facts)) || null);
    let looking = this.#looking.get(key);
    if (looking === undefined) {
      const contained = isOnHost ? this.#of.containment.previewFor(facts) : Promise.resolve(undefined);
      looking = contained.then((one) => one ?? createSessionWorkspace(this.#of.files, this.#of.processes));
      this.#looking.set(key, looking);
    }
    return (await looking).workspace;
  }
}

function endsWith(closing: AbortSignal, wanted: AbortSignal | undefined): AbortSignal {
  return wanted === undefined ? closing : AbortSignal.any([closing, wanted]);
}

function forwardRequests(session: Session, listener: (request: ApprovalRequestRecord) => void): void {
  session.subscribe((event) => {
    if (event.type === "approval-requested") listener(event.request);
  });
}

function insideOf(
  { workspace, network }: HostSessionOptions,
  sandboxed: SandboxedWorkspace | undefined,
): SandboxContext | undefined {
  if (sandboxed !== undefined) return { ...sandboxed, reaches: sandboxed.facts.network };
  return workspace && { workspace, network };
}

/** Contained or sandboxed commands must not run on another machine instead. */
function mayLeave(wanted: HostSessionOptions, sessionWorkspace: Workspace): boolean {
  return kindOf(wanted) === "main" && sessionWorkspace.describe().containment === undefined;
}

function kindOf({ kind = "main", sandbox }: HostSessionOptions): SessionKind {
  return kind === "group" && sandbox !== undefined ? "sandboxed" : kind;
}

/** @throws HaftError `INVALID_OPTIONS` for a sandboxed session without a sandbox */
function needsSandbox({ kind, sandbox, workspace }: HostSessionOptions): boolean {
  if (workspace === undefined) return kind === "sandboxed" || sandbox !== undefined;
  if (sandbox === undefined) return false;
  throw invalidOptions(
    "openSession: a session has a workspace of its own or a sandbox, not both.",
    "Leave out workspace; a sandbox that is open already is given as sandbox.",
  );
}
