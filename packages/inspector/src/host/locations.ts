import type { SandboxSettings } from "@haft/config";
import { DEFAULT_LIMITS } from "@haft/config/internal/settings";
import type { ContainmentFacts, SessionKind } from "@haft/core";
import { describeContainment } from "@haft/core/internal";
import type { SessionContainment } from "@haft/host/internal/contained";
import type { NodeDeclaration, NodeStatus } from "@haft/nodes";
import { sessionKinds } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import type {
  ResourceAmounts,
  CommandTargetView,
  NodeView,
  Locations,
  SandboxView,
  ContainedView,
} from "../wire/api.ts";
import type { InspectionContext } from "./inspection-context.ts";
import { formatMib, type UseMeter } from "./use-meter.ts";

type NodeUsage = NonNullable<NodeStatus["use"]>;

export async function getLocations(looking: InspectionContext, meter: UseMeter): Promise<Locations> {
  const [sandboxes, views, nodes, commands] = await Promise.all([
    sandboxesShown(looking, meter),
    viewsShown(looking, meter),
    nodesShown(looking),
    Promise.all(sessionKinds.map((kind) => commandsOf(looking, kind))),
  ]);
  return { sandboxes, views, nodes, commands };
}

async function sandboxesShown({ internals }: InspectionContext, meter: UseMeter): Promise<SandboxView[]> {
  const { sandbox } = internals.rules.options;
  const { cpus, ...others } = { ...DEFAULT_LIMITS, ...(sandbox === false ? {} : sandbox?.limits) };
  // 0 means all.
  const limits = amounts({ ...others, cpus: cpus || undefined });
  const network = sandbox === false ? undefined : networkText(sandbox?.network);
  return Promise.all(
    internals.sessions.sandboxes
      .opened()
      .map(async ({ ref: { id, backend, scope, state }, use: readUse }) => {
        const inIt = internals.sessions.all().filter((one) => one.sandbox?.().id === id);
        const use = await meter.measure(`sandbox ${id}`, readUse);
        const sessions = inIt.map(({ session }) => session.opening);
        return withoutUndefined<SandboxView>({ id, backend, scope, state, limits, use, network, sessions });
      }),
  );
}

async function viewsShown({ internals }: InspectionContext, meter: UseMeter): Promise<ContainedView[]> {
  const shown = internals.sessions.all().map(async ({ session, workspace, view }) => {
    const open = view?.();
    if (open === undefined) return [];
    const { opening: runId, key: sessionKey } = session;
    const [use, commands] = await Promise.all([
      meter.measure(`view ${runId}`, () => view?.()?.use ?? {}),
      workspace.processes?.list().catch(() => []),
    ]);
    const running = (commands ?? []).filter(({ state, outside }) => state === "running" && outside !== true);
    const { containment } = workspace.describe();
    const network = networkText(containment?.network);
    const limits = amounts(open.limits);
    return [
      withoutUndefined<ContainedView>({ runId, sessionKey, running: running.length, limits, use, network }),
    ];
  });
  return (await Promise.all(shown)).flat();
}

async function nodesShown({ internals }: InspectionContext): Promise<NodeView[]> {
  const all = (await internals.nodes?.list({ use: true }).catch(() => [])) ?? [];
  return all.map(({ id, name, state, present, approved, declared, use }) =>
    withoutUndefined<NodeView>({
      id,
      name,
      state,
      present,
      offers: approved.map((offer) => withoutUndefined({ name: offer, limit: limitOf(offer, declared) })),
      limits: amounts({
        calls: use?.mostCalls,
        workspaces: use?.mostWorkspaces,
        cpus: use?.machineCpus,
        machineMb: formatMib(use?.machineMemoryBytes),
      }),
      use: use && nodeUse(use),
    }),
  );
}

function nodeUse(use: NodeUsage): ResourceAmounts {
  const { calls, workspaces, memoryBytes, cpus, tasks, machineMemoryBytes, machineFreeBytes, machineLoad } =
    use;
  const taken = (machineMemoryBytes ?? Number.NaN) - (machineFreeBytes ?? Number.NaN);
  return amounts({
    calls,
    workspaces,
    memoryMb: formatMib(memoryBytes),
    cpus: cpus?.toFixed(1),
    tasks,
    machineMb: taken >= 0 ? formatMib(taken) : undefined,
    load: machineLoad?.toFixed(1),
  });
}

function limitOf(offer: string, declared: NodeDeclaration | undefined): string | undefined {
  const command = declared?.commands.find(({ name }) => name === offer);
  if (command !== undefined) return `${command.timeoutMs / 1_000} s, ${formatMib(command.resultBytes)} MiB`;
  const declaredWorkspace = declared?.workspaces.find(({ name }) => `workspace.${name}` === offer);
  return (
    declaredWorkspace &&
    `${declaredWorkspace.access}, network ${declaredWorkspace.network}, ${declaredWorkspace.isolation}`
  );
}

function amounts(given: Readonly<Record<string, string | number | undefined>>): ResourceAmounts {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

async function commandsOf({ host }: InspectionContext, kind: SessionKind): Promise<CommandTargetView> {
  if (kind === "sandboxed") return { kind, where: "sandbox", text: "In the sandbox of the session." };
  const containment = await host.containment({ kind });
  return { kind, where: containment.contained ? "view" : "open", text: textOf(containment) };
}

function textOf({ wanted, contained, reason = "" }: SessionContainment): string {
  if (wanted === undefined) return "On this machine as this user; rules decide about each command.";
  if (contained) return `Contained: ${describeContainment(wanted)}.`;
  return `Not contained, although ${wanted.source} requires it: ${reason}`;
}

function networkText(network: SandboxSettings["network"] | ContainmentFacts["network"]): string {
  if (network === undefined || network === "none") return "none";
  if (network === "full") return "full";
  return ("allow" in network ? network.allow : network).join(", ");
}
