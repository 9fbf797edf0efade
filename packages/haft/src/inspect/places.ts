import { type SessionKind, withoutUndefined } from "@haft/core";
import { describeContainment } from "@haft/core/internal";
import type { CommandsShown, NodeShown, Places, SandboxShown } from "@haft/inspector";
import { sessionKinds } from "@haft/policy";
import type { SessionContainment } from "../contained/containment.ts";
import { DEFAULT_LIMITS } from "../sandbox/settings.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import type { Looking } from "./looking.ts";

/** What runs where, and what limits it. */
export async function placesShown(looking: Looking): Promise<Places> {
  const { host, inside } = looking;
  const { sandbox } = inside.rules.options;
  const limits = limitsOf(sandbox === false ? undefined : sandbox);
  const network = sandbox === false ? undefined : networkText(sandbox?.network);
  const sandboxes = host.sandboxes().map(({ id, backend, scope, state }): SandboxShown => {
    const inIt = inside.sessions.all().filter(({ workspace }) => workspace.describe().place === "sandbox");
    return withoutUndefined<SandboxShown>({
      id,
      backend,
      scope,
      state,
      limits,
      network,
      sessions: inIt.map(({ session }) => session.opening),
    });
  });
  const nodes = ((await inside.nodes?.list().catch(() => [])) ?? []).map((node): NodeShown => {
    const { id, name, state, present, approved } = node;
    return { id, name, state: `${state}, ${present ? "there" : "away"}`, commands: approved };
  });
  const commands = await Promise.all(sessionKinds.map((kind) => commandsOf(looking, kind)));
  return { sandboxes, nodes, commands };
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
