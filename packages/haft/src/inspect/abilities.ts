import { type ToolEffect, type ToolFacts, withoutUndefined } from "@haft/core";
import type { Abilities, Ability, CellWord } from "@haft/inspector";
import { readMatrix } from "@haft/policy";
import { hostError } from "../errors.ts";
import type { HostSessionOptions } from "../host/host-options.ts";
import type { Looking } from "./looking.ts";
import { commandsOf } from "./places.ts";
import { kindOf } from "./policy/policy-view.ts";

/** From mild to strict. */
const WORDS: readonly CellWord[] = ["allow", "ask", "grant", "deny"];
const APPROVAL_MS = 30 * 60_000;

type Asked = { kind?: string; agent?: string; run?: string };
type ToolWord = Abilities["tools"][number] & { reason: string };

/** What the agent of a session can do, as facts. */
export async function abilitiesOf(looking: Looking, asked: Asked): Promise<Abilities> {
  const { host, inside } = looking;
  const session = await sessionOf(looking, asked);
  const { kind, agentId } = session;
  const options = withoutUndefined<HostSessionOptions>({ kind, agentId, messageChannel: session.channel });
  const preview = await host.preview(options);
  const names = new Set(preview.tools().map(({ name }) => name));
  const tools = toolWords(looking, session).filter(
    ({ name, pluginId }) => names.has(name) || names.has(`${pluginId}/${name}`),
  );
  const by = (effect: ToolEffect, ...not: string[]) =>
    ability(tools.filter(({ effects, name }) => effects.includes(effect) && !not.includes(name)));
  const [how, places, nodes] = await Promise.all([
    commandsOf(looking, kind),
    kind === "sandboxed" ? undefined : host.containedPlaces(options).catch(() => undefined),
    inside.nodes?.list().catch(() => []),
  ]);
  const grants = (await inside.approvals?.allGrants().catch(() => [])) ?? [];
  const { given, rules } = inside;
  const settings = rules.options;
  const commands = by("execute");
  const isView = how.where === "view";
  const network = places?.network;
  return {
    session,
    folders: host.workspace.describe().mounts.map(({ name, path, access }) => ({ name, path, access })),
    read: ability(
      tools.filter(({ effects }) => effects.every((effect) => effect === "read") && effects.length > 0),
    ),
    write: by("write", "exec", "bash", "process"),
    commands: withoutUndefined<Abilities["commands"]>({
      ...commands,
      where: commands.tools.length === 0 ? "nowhere" : how.where,
      writes: isView ? places?.writable : undefined,
      network:
        isView && network ? (network.kind === "hosts" ? (network.hosts ?? []) : network.kind) : undefined,
      leaving: isView ? "asks" : undefined,
    }),
    network: by("network", "exec", "bash", "process"),
    messages: by("message"),
    nodes: {
      ...ability(tools.filter(({ name }) => name === "node_invoke")),
      names: (nodes ?? []).map(({ name }) => name),
    },
    closed: [...(settings.boundary?.deny ?? []), ...(places?.hidden ?? [])],
    consent: [...(settings.boundary?.projectSettings ?? [])],
    approvals: {
      mode: given.approvalMode ?? (given.approver === undefined ? "pending" : "wait"),
      timeoutMs: given.approvalTimeoutMs ?? APPROVAL_MS,
      grants: grants.filter(
        (grant) => grant.agentId === agentId && (session.sessionKey ?? grant.sessionKey) === grant.sessionKey,
      ).length,
    },
    tools: tools.map(({ reason: _reason, ...tool }) => tool),
    missing: preview.missing().length,
    record: {
      mode: inside.ledger === undefined ? "none" : (settings.record ?? "plan"),
      undo: inside.stateDir !== undefined,
      audit: inside.auditFile !== undefined,
    },
  };
}

async function sessionOf(looking: Looking, { kind, agent, run }: Asked): Promise<Abilities["session"]> {
  if (run === undefined) return { kind: kindOf(kind), agentId: agent ?? "main" };
  const live = looking.live(run)?.session;
  const record = live === undefined ? await looking.ledger().run(run) : undefined;
  const facts = live?.facts ?? record?.facts;
  if (facts === undefined) throw hostError("RUN_UNKNOWN", `There is no session ${JSON.stringify(run)}.`);
  return withoutUndefined<Abilities["session"]>({
    kind: facts.kind,
    agentId: facts.agentId,
    sessionKey: live?.key ?? record?.sessionKey,
    runId: run,
    model: facts.model || undefined,
    channel: facts.messageChannel || undefined,
  });
}

function toolWords({ host }: Looking, { kind, agentId }: Abilities["session"]): ToolWord[] {
  const facts = new Map<string, ToolFacts>(host.catalogue.map((one) => [one.id, one]));
  return readMatrix(host.policy, host.catalogue, agentId).map(({ toolId, cells }) => {
    const { name, pluginId, effects } = facts.get(toolId)!;
    const { word, toSome, reason } = cells[kind];
    return withoutUndefined<ToolWord>({ name, pluginId, effects, word, toSome, reason });
  });
}

/** The mildest answer among tools: what an agent can do, it does with that. */
function ability(tools: readonly ToolWord[]): Ability {
  const [best] = tools.toSorted((one, other) => WORDS.indexOf(one.word) - WORDS.indexOf(other.word));
  return withoutUndefined<Ability>({
    word: best?.word ?? "deny",
    toSome: best?.toSome,
    tools: tools.filter(({ word }) => word === "allow" || word === "ask").map(({ name }) => name),
    reason: best?.reason ?? "No tool of the session does it.",
  });
}
