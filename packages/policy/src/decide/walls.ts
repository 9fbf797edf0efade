import type { SessionFacts } from "@haft/core";
import { matchesHost } from "../patterns/host-pattern.ts";
import type { CallFacts } from "../patterns/match-call.ts";
import { placeOf } from "../read/document.ts";
import type { CompiledPolicy } from "../rules/compile-policy.ts";
import { combinedWish, type ContainmentWish, type View } from "../rules/containment.ts";
import { showNetwork } from "../rules/network.ts";
import type { Finding } from "../rules/rules.ts";
import { joinWords } from "../text/join-words.ts";
import { cut } from "../text/sentence.ts";
import type { Elevation } from "./elevation.ts";
import { type Layers, layersOf } from "./layers.ts";

/** How the layers that hold for a session want its commands contained. */
export function wishOf(compiled: CompiledPolicy, facts: SessionFacts): ContainmentWish | undefined {
  if (!compiled.contains || facts.kind === "sandboxed" || facts.sandbox !== undefined) return undefined;
  return wishIn(layersOf(compiled, facts));
}

/** The same of layers that are known. */
export function wishIn({ exec, view }: Layers): ContainmentWish | undefined {
  return view.sandboxed ? undefined : combinedWish(exec.flatMap(({ layer }) => layer.containment ?? []));
}

/** Does the call ask to leave the view that commands of its session are contained in? */
export function leaves({ containment }: View, call: CallFacts | undefined): boolean {
  return containment !== undefined && call?.subjects?.command?.outside !== undefined;
}

/** What the walls around contained commands have to say about a call. A person decides about what passes them. */
export function lookAtWalls(
  layers: Layers,
  call: CallFacts,
  elevation: Elevation | undefined,
): readonly Finding[] {
  const { view } = layers;
  const { command, hosts = [] } = call.subjects ?? {};
  if (view.containment === undefined || command === undefined) return [];
  if (leaves(view, call)) return [lookAtLeaving(layers, command.outside!, elevation)];
  const beyond = hosts.filter((host) => !isReached(view, host));
  return beyond.length === 0 ? [] : [lookAtHosts(layers, beyond)];
}

function lookAtLeaving(layers: Layers, reason: string, elevation: Elevation | undefined): Finding {
  const wanting = layers.exec.find(({ layer }) => layer.containment?.mode !== undefined)?.layer.containment;
  const source = wanting === undefined ? "the workspace" : placeOf(wanting.document, wanting.key);
  const base = { layer: "containment", source };
  if (elevation?.finding.verdict === "allow") {
    const rule = "the call leaves the view that commands are contained in: answered by its elevation";
    return { ...base, rule, verdict: "pass", because: elevation.finding.because };
  }
  const why = reason.trim() === "" ? "no reason is given" : cut(reason.trim(), 200);
  return {
    ...base,
    rule: "leaving the view that commands are contained in needs approval",
    verdict: "ask",
    because: `needs approval to leave the view that commands are contained in (${source}): ${why}`,
  };
}

/** Does the network of the view let it through? */
function isReached({ containment, hosts }: View, host: string): boolean {
  return containment?.network === "full" || hosts.some((pattern) => matchesHost(pattern, host));
}

function lookAtHosts(layers: Layers, beyond: readonly string[]): Finding {
  const network = layers.view.containment!.network;
  const shown = joinWords(beyond.length > 3 ? [...beyond.slice(0, 2), `${beyond.length - 2} more`] : beyond);
  const gates = layers.exec.flatMap(({ layer }) => {
    const { containment, document, path } = layer;
    return containment?.network === undefined || containment.network === "full"
      ? []
      : [{ containment, document, path }];
  });
  const source = gates[0] ? placeOf(gates[0].document, gates[0].containment.networkKey) : "the workspace";
  const why =
    network === "none"
      ? "and commands of this session reach no host"
      : `which ${beyond.length > 1 ? "are" : "is"} not on the list of this session's network`;
  return {
    layer: "containment",
    rule: `network ${showNetwork(network)}: other hosts need approval`,
    source,
    verdict: "ask",
    because: `wants to reach ${shown}, ${why}`,
  };
}
