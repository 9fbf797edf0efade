import { type SessionKind, withoutUndefined } from "@haft/core";
import { describeContainment } from "@haft/core/internal";
import type { CommandsShown, NodeShown, Places, SandboxShown } from "@haft/inspector";
import { sessionKinds } from "@haft/policy";
import type { SandboxLimits, SandboxUse } from "@haft/sandbox";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionContainment } from "../contained/containment.ts";
import { DEFAULT_LIMITS } from "../sandbox/settings.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import type { Looking } from "./looking.ts";

const MIB = 1024 * 1024;
/** Milliseconds between two looks at the time that processors have spent. */
const SAMPLE_MS = 200;

/** What runs where, what limits it, and what it uses. */
export async function placesShown(looking: Looking): Promise<Places> {
  const { inside } = looking;
  const { sandbox } = inside.rules.options;
  const limits = limitsOf(sandbox === false ? undefined : sandbox);
  const network = sandbox === false ? undefined : networkText(sandbox?.network);
  const sandboxes = await Promise.all(
    inside.sessions.sandboxes.uses().map(async ({ ref: { id, backend, scope, state }, use }) => {
      const inIt = inside.sessions.all().filter((one) => one.sandbox?.().id === id);
      return withoutUndefined<SandboxShown>({
        id,
        backend,
        scope,
        state,
        limits,
        use: await usedNow(use),
        network,
        sessions: inIt.map(({ session }) => session.opening),
      });
    }),
  );
  const nodes = ((await inside.nodes?.list().catch(() => [])) ?? []).map((node): NodeShown => {
    const { id, name, state, present, approved } = node;
    return { id, name, state: `${state}, ${present ? "there" : "away"}`, commands: approved };
  });
  const commands = await Promise.all(sessionKinds.map((kind) => commandsOf(looking, kind)));
  return { sandboxes, nodes, commands };
}

/** By the names of limits, in their units; `undefined` where nothing of it can be told. */
async function usedNow(use: () => Promise<SandboxUse>): Promise<Record<string, string> | undefined> {
  const look = async () => ({ ...(await use().catch((): SandboxUse => ({}))), at: performance.now() });
  const before = await look();
  await sleep(SAMPLE_MS);
  const { memoryBytes, tasks, tmpBytes, cpuMs, at } = await look();
  const spent = cpuMs === undefined || before.cpuMs === undefined ? undefined : cpuMs - before.cpuMs;
  // Less than before: what ended took its time along.
  const cpus = spent === undefined || spent < 0 ? undefined : spent / (at - before.at);
  const used = withoutUndefined<Partial<Record<keyof SandboxLimits, string>>>({
    memoryMb: inMib(memoryBytes),
    tasks: tasks?.toString(),
    cpus: cpus?.toFixed(1),
    tmpMb: inMib(tmpBytes),
  });
  return Object.keys(used).length === 0 ? undefined : used;
}

function inMib(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}

/** How commands of sessions of a kind run. */
export async function commandsOf({ host }: Looking, kind: SessionKind): Promise<CommandsShown> {
  if (kind === "sandboxed") return { kind, where: "sandbox", text: "In the sandbox of the session." };
  const containment = await host.containment({ kind });
  return { kind, where: containment.contained ? "view" : "open", text: textOf(containment) };
}

function textOf({ wanted, contained, reason = "" }: SessionContainment): string {
  if (wanted === undefined) return "As this user on this machine; rules decide about each.";
  if (contained) return `Contained: ${describeContainment(wanted)}.`;
  return `Not contained, though ${wanted.source} wants it: ${reason}`;
}

function limitsOf(settings: SandboxSettings | undefined): Record<string, string> {
  const limits = { ...DEFAULT_LIMITS, ...settings?.limits };
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));
}

function networkText(network: SandboxSettings["network"]): string {
  if (network === undefined || network === "none") return "none";
  return network === "full" ? "full" : network.allow.join(", ");
}
