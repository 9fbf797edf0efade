import type { SessionFacts, WorkspaceDescription } from "@haft/core";
import { DEFAULT_APPROVAL_MS } from "@haft/core/internal";
import type { ApprovalGrant, RunRecord } from "@haft/core/kernel";
import type { HostSessionOptions } from "@haft/host";
import type { OpenSession } from "@haft/host/internal/host";
import { readCell } from "@haft/policy";
import type { ContainmentPlan } from "@haft/sandbox/view";
import { withoutUndefined } from "@haft/utils";
import { inspectorError } from "../../errors.ts";
import type {
  AgentCapabilities,
  CapabilitySession,
  CommandTarget,
  SessionCapabilities,
  GuardedCapabilities,
} from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { parseSessionKind } from "../policy/policy-view.ts";
import { toCapabilities } from "./access-methods.ts";
import { listCapabilityTools } from "./capability-tools.ts";

type CapabilityQuery = { kind?: string; agent?: string; run?: string };

interface Subject {
  session: CapabilitySession;
  live?: OpenSession | undefined;
  record?: RunRecord | undefined;
}

export async function getCapabilities(
  looking: InspectionContext,
  request: CapabilityQuery,
): Promise<AgentCapabilities> {
  const subject = await subjectOf(looking, request);
  const { session, live, record } = subject;
  if (record !== undefined && record.facts.guarded === true)
    return guardedAbilities(looking, session, record);
  const { host, internals } = looking;
  const { options: given, rules } = internals;
  const settings = rules.options;
  const options = optionsOf(subject);
  const shown = live?.session ?? (await host.preview(options));
  const { facts } = shown;
  const isOpen = live === undefined && record === undefined;
  const [containment, plan, nodes, grants] = await Promise.all([
    host.containment(options),
    facts.containment === undefined ? undefined : host.containmentPlan(options).catch(() => undefined),
    internals.nodes?.list().catch(() => []),
    grantsOf(looking, session),
  ]);
  const mode = given.approvalMode ?? (given.approver === undefined ? "pending" : "wait");
  const tools = listCapabilityTools(host, {
    facts,
    open: isOpen,
    missing: shown.missing(),
    granted: new Set(grants.map(({ toolId }) => toolId)),
    askingRefuses: mode === "deny",
  });
  const described = live?.workspace.describe() ?? host.workspace.describe();
  const commandsTarget = commandTarget(facts, { described, live, plan, containment });
  const paired = (nodes ?? []).map(({ name }) => name);
  const plugins = tools.filter(({ kind }) => kind === "plugins");
  const named = (word: string) => plugins.filter(({ mildest }) => mildest === word).map(({ name }) => name);
  return withoutUndefined<SessionCapabilities>({
    type: "session",
    session,
    state: live === undefined ? record && "past" : "open",
    place: live === undefined && facts.sandbox !== undefined ? "sandbox" : described.target,
    isWide: settings.boundary?.workspaceOnly === false,
    folders: foldersOf(facts, described, live !== undefined),
    abilities: toCapabilities(tools, commandsTarget, paired.length),
    commands: commandsTarget,
    nodes: paired,
    plugins: { unasked: named("allow"), asked: named("ask") },
    closed: [...(settings.boundary?.deny ?? [])],
    hidden: [...(plan?.hidden ?? [])],
    consent: [...(settings.boundary?.projectSettings ?? [])],
    approvals: {
      mode,
      timeoutMs: given.approvalTimeoutMs ?? DEFAULT_APPROVAL_MS,
      grants: grants.length,
    },
    tools: toolWords(looking, facts, new Set(shown.tools().map(({ name }) => name))),
    missing: shown.missing().length,
    record: {
      mode: internals.ledger === undefined ? "none" : (settings.record ?? "plan"),
      undo: internals.stateDir !== undefined && facts.sandbox === undefined,
      audit: internals.auditFile !== undefined,
    },
  });
}

async function subjectOf(
  looking: InspectionContext,
  { kind, agent, run }: CapabilityQuery,
): Promise<Subject> {
  if (run === undefined) return { session: { kind: parseSessionKind(kind), agentId: agent ?? "main" } };
  const live = looking.live(run);
  const record = live === undefined ? await looking.ledger().run(run) : undefined;
  const facts = live?.session.facts ?? record?.facts;
  if (facts === undefined)
    throw inspectorError("RUN_NOT_FOUND", `There is no session ${JSON.stringify(run)}.`);
  const session = withoutUndefined<CapabilitySession>({
    kind: facts.kind,
    agentId: facts.agentId,
    sessionKey: live?.session.key ?? record?.sessionKey,
    runId: run,
    model: facts.model || undefined,
    channel: facts.messageChannel || undefined,
    group: facts.groupId,
  });
  return { session, live, record };
}

async function grantsOf(
  { internals }: InspectionContext,
  session: CapabilitySession,
): Promise<readonly ApprovalGrant[]> {
  const stores = [
    internals.approvals?.allGrants() ?? Promise.resolve([]),
    ...internals.sessions.all().map((one) => one.session.grants()),
  ];
  const all = await Promise.all(stores.map((each) => each.catch((): ApprovalGrant[] => [])));
  const fitting = all
    .flat()
    .filter(
      ({ agentId, sessionKey }) =>
        agentId === session.agentId && (session.sessionKey ?? sessionKey) === sessionKey,
    );
  return [...new Map(fitting.map((grant) => [grant.id, grant])).values()];
}

function optionsOf({ session, record }: Subject): HostSessionOptions {
  const { kind, agentId, channel } = session;
  const { groupId, sender, parent, model } = record?.facts ?? {};
  return withoutUndefined<HostSessionOptions>({
    kind,
    agentId,
    messageChannel: channel,
    groupId,
    sender,
    parent,
    model: model ? { name: model } : undefined,
  });
}

function commandTarget(
  { sandbox, containment: view }: SessionFacts,
  {
    described,
    live,
    plan,
    containment,
  }: {
    described: WorkspaceDescription;
    live: OpenSession | undefined;
    plan: ContainmentPlan | undefined;
    containment: { wanted?: unknown; contained: boolean; reason?: string };
  },
): CommandTarget {
  if (live !== undefined && described.node !== undefined)
    return withoutUndefined<CommandTarget>({
      where: "node",
      name: described.node.name,
      files: sandbox?.mount,
      network: sandbox?.network,
    });
  if (sandbox !== undefined) return { where: "sandbox", files: sandbox.mount, network: sandbox.network };
  if (view !== undefined)
    return {
      where: "view",
      files: view.mode === "read-only" ? "ro" : "rw",
      writes: view.mode === "read-only" ? [] : [...(plan?.writable ?? []), ...(plan?.caches ?? [])],
      network: view.network,
    };
  if (described.target !== "host") return { where: "elsewhere" };
  const notContained = containment.wanted !== undefined && !containment.contained;
  return withoutUndefined<CommandTarget>({
    where: "open",
    notContained: notContained ? containment.reason : undefined,
  });
}

function foldersOf(
  { sandbox }: SessionFacts,
  { mounts }: WorkspaceDescription,
  isLive: boolean,
): SessionCapabilities["folders"] {
  const all = mounts.map(({ name, path, access }) => ({ name, path, access }));
  if (isLive || sandbox === undefined) return all;
  const { mount } = sandbox;
  return mount === "none" ? [] : all.slice(0, 1).map((each) => ({ ...each, access: mount }));
}

function toolWords(
  { host }: InspectionContext,
  facts: SessionFacts,
  names: ReadonlySet<string>,
): SessionCapabilities["tools"] {
  const policy = host.policy.forSession(facts);
  return host.catalogue.flatMap((tool) => {
    const { id, name, pluginId, effects } = tool;
    if (!names.has(name) && !names.has(id)) return [];
    const { word, toSome, toOthers } = readCell(policy, tool);
    return [
      withoutUndefined<SessionCapabilities["tools"][number]>({
        name,
        pluginId,
        effects,
        word,
        toSome,
        toOthers,
      }),
    ];
  });
}

const MAX = 1_000;

/** Knows the hook's questions, not the agent's permissions. */
async function guardedAbilities(
  looking: InspectionContext,
  session: CapabilitySession,
  { runId, workspace }: RunRecord,
): Promise<GuardedCapabilities> {
  const { items } = await looking.ledger().calls({ runId, limit: MAX });
  const [{ allSettings }, byTool] = [
    await import("@haft/guard/internal/agents"),
    Map.groupBy(items, ({ toolName }) => toolName),
  ];
  const tools = [...byTool].map(([name, calls]) => ({
    name,
    calls: calls.length,
    denied: calls.filter(({ status }) => status === "failed").length,
    waiting: calls.filter(({ status }) => status === "pending").length,
  }));
  return withoutUndefined({
    type: "guarded" as const,
    session,
    client: workspace.place,
    folder: workspace.cwd,
    asked: { calls: items.length, tools: tools.toSorted((one, other) => other.calls - one.calls) },
    notClosed: allSettings.get(workspace.place)?.open ?? [],
  });
}
