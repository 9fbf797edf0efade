import type { SessionFacts, ToolFacts } from "@haft/core";
import { describeContainment } from "@haft/core/internal";
import { escapeInvisible } from "@haft/utils";
import { matchesHost } from "../patterns/host-pattern.ts";
import type { CallFacts } from "../patterns/match-call.ts";
import type { Change } from "../read/change.ts";
import { formatSource } from "../read/document.ts";
import type { CompiledPolicy } from "../rules/compile-policy.ts";
import {
  combineContainment,
  type RequestedContainment,
  type LayerContainment,
  type ContainmentView,
} from "../rules/containment.ts";
import { listRuleHosts, isNarrower } from "../rules/network.ts";
import type { Finding } from "../rules/rule.ts";
import { truncateSentence, joinWords } from "../text/sentence.ts";
import type { Elevation } from "./elevation.ts";
import { type Layers, createLayers } from "./layers.ts";

export function resolveContainment(
  compiled: CompiledPolicy,
  facts: SessionFacts,
): RequestedContainment | undefined {
  const { administrator, policy, workspace } = compiled;
  const all = [policy, ...(administrator ? [administrator] : []), ...workspace];
  if (!all.some(({ hasContainment }) => hasContainment)) return undefined;
  return requestedIn(createLayers(compiled, facts));
}

function requestedIn({ exec, view }: Layers): RequestedContainment | undefined {
  return view.sandboxed
    ? undefined
    : combineContainment(exec.flatMap(({ layer }) => layer.containment ?? []));
}

/** Returns the reason of a call that asks to leave the view. Without a plan, it reads the arguments, so every such call is detected. */
export function getOutsideReason(
  { containment }: ContainmentView,
  { effects }: ToolFacts,
  call: CallFacts | undefined,
): string | undefined {
  if (containment === undefined || call === undefined) return undefined;
  const { args, subjects } = call;
  if (subjects !== undefined) return subjects.command?.outside;
  if (!effects.includes("execute") || typeof args !== "object" || args === null) return undefined;
  const { outside, reason } = args as { outside?: unknown; reason?: unknown };
  if (outside === undefined || outside === null || outside === false) return undefined;
  return typeof reason === "string" ? reason : "";
}

/** Returns the findings about the view of a call. Leaving the view needs approval. */
export function evaluateContainment(
  layers: Layers,
  tool: ToolFacts,
  call: CallFacts,
  elevation: Elevation | undefined,
): readonly Finding[] {
  const { containment } = layers.view;
  const { command, hosts = [] } = call.subjects ?? {};
  const runs = call.subjects === undefined ? tool.effects.includes("execute") : command !== undefined;
  if (containment === undefined || !runs) return [];
  const reason = getOutsideReason(layers.view, tool, call);
  if (reason !== undefined) return [evaluateLeaving(layers, reason, elevation)];
  const wanting = wantingLayer(layers);
  const free = layers.exec.some(({ layer }) => layer.elevated?.mode === "full");
  const leaving = `leaving needs approval${free ? ", unless the call is elevated" : ""}`;
  const contained: Finding = {
    layer: "containment",
    rule: `contained: ${describeContainment(containment)}; ${leaving}`,
    source: wanting === undefined ? OPENED : formatSource(wanting.document, wanting.key),
    verdict: "pass",
    because: "is contained",
  };
  const beyond = hosts.filter((host) => !isReached(layers.view, host));
  return [
    contained,
    ...(beyond.length === 0 ? [] : [evaluateHosts(layers, beyond)]),
    ...(command?.forward === undefined ? [] : [evaluateForward(contained.source, command.forward)]),
  ];
}

/** Only a person knows which service uses the port. */
function evaluateForward(source: string, port: number): Finding {
  return {
    layer: "containment",
    rule: "forwarding a port of contained commands to this machine needs approval",
    source,
    verdict: "ask",
    because: `needs approval to make its port ${port} reachable from this machine`,
  };
}

/** The session itself opened the view. */
const OPENED = "workspace";

function wantingLayer({ exec }: Layers): LayerContainment | undefined {
  const all = exec.flatMap(({ layer }) => layer.containment ?? []);
  return all.find(({ mode }) => mode === "read-only") ?? all.find(({ mode }) => mode !== undefined);
}

function evaluateLeaving(layers: Layers, reason: string, elevation: Elevation | undefined): Finding {
  const wanting = wantingLayer(layers);
  const source = wanting === undefined ? OPENED : formatSource(wanting.document, wanting.key);
  const base = { layer: "containment", source };
  if (elevation?.finding.verdict === "allow") {
    const rule = "the call leaves the view of contained commands, and is elevated";
    return { ...base, rule, verdict: "pass", because: elevation.finding.because };
  }
  const words = truncateSentence(escapeInvisible(reason.trim()), MAX_REASON);
  const why = words === "" ? "it gives no reason" : `its reason: ${JSON.stringify(words)}`;
  return {
    ...base,
    rule: "the call leaves the view of contained commands: needs approval",
    verdict: "ask",
    because: `needs approval to run outside the view of contained commands (${source}); ${why}`,
  };
}

/** Limits the quoted reason of the call, in characters. The prompt contains all of it. */
const MAX_REASON = 80;

function isReached({ containment, hosts }: ContainmentView, host: string): boolean {
  return containment?.network === "full" || hosts.some((pattern) => matchesHost(pattern, host));
}

function evaluateHosts(layers: Layers, beyond: readonly string[]): Finding {
  const network = layers.view.containment!.network;
  const shown = beyond.length > 2 ? [...beyond.slice(0, 1), `${beyond.length - 1} more`] : beyond;
  const hosts = joinWords(shown.map((host) => truncateSentence(escapeInvisible(host), 60)));
  const why =
    network === "none"
      ? "but commands of this session have no network access"
      : `which ${beyond.length > 1 ? "are" : "is"} not on the list of this session's network`;
  const gates = layers.exec.flatMap(({ layer: { containment, path } }) => {
    const required = containment?.network;
    if (containment === undefined || required === undefined) return [];
    const missing = beyond.filter(
      (host) => required !== "full" && !listRuleHosts(required).some((each) => matchesHost(each, host)),
    );
    return missing.length === 0 ? [] : [{ containment, path, missing }];
  });
  const [first] = gates;
  const fixed = gates.some(
    ({ containment: { network: required, networkKey } }) =>
      required === "none" && networkKey.at(-1) === "network",
  );
  const remedies = gates.flatMap(({ containment: { document }, path, missing }) =>
    missing.map((entry): Change => ({ op: "add", owner: document.owner, list: [...path, "network"], entry })),
  );
  return {
    layer: "containment",
    rule: "a host outside the network of contained commands: needs approval",
    source:
      first === undefined ? OPENED : formatSource(first.containment.document, first.containment.networkKey),
    verdict: "ask",
    because: `needs approval to reach ${hosts}, ${why}`,
    // An explicit `none` is intended.
    ...(fixed || remedies.length === 0 ? {} : { remedies }),
  };
}

export function updateSessionFacts(layers: Layers, changed: CompiledPolicy): SessionFacts {
  const { containment, ...others } = layers.facts;
  const was = requestedIn(layers);
  if (containment === undefined || was === undefined) return layers.facts;
  const asWanted = was.mode === containment.mode && isNarrower(was.network, containment.network);
  if (!asWanted || !isNarrower(containment.network, was.network)) return layers.facts;
  const is = resolveContainment(changed, others);
  return is === undefined ? others : { ...others, containment: { mode: is.mode, network: is.network } };
}
