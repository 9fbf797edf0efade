import type { ContainmentFacts, SessionFacts } from "@haft/core";
import type { HostPattern } from "../patterns/host-pattern.ts";
import { type Document, formatSource } from "../read/document.ts";
import { readContainment, type ExecRules } from "../read/exec-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { joinWords } from "../text/sentence.ts";
import { listRuleHosts, isNarrower, narrowerNetwork, type NetworkRules } from "./network.ts";

/** Describes the containment that a policy requires for a session. */
export interface RequestedContainment extends ContainmentFacts {
  /** Lists additional folders in which commands can write, absolute or `~/…`. Absent: the default folders of the host. */
  caches?: readonly string[];
  /** Indicates that a layer leaves the caches to the host. `caches` is then limited to its default folders. */
  usesHostCaches: boolean;
  /** Names the deciding keys. */
  source: string;
}

export interface LayerContainment {
  readonly document: Document;
  readonly mode: ContainmentFacts["mode"] | undefined;
  readonly key: KeyPath;
  readonly network: NetworkRules | undefined;
  readonly networkKey: KeyPath;
  readonly caches: readonly string[] | undefined;
}

export interface ContainmentView {
  readonly sandboxed: boolean;
  readonly containment: ContainmentFacts | undefined;
  /** Another program is responsible for containment. */
  readonly guarded: boolean;
  readonly hosts: readonly HostPattern[];
}

export function toContainmentView(facts: SessionFacts): ContainmentView {
  const { kind, sandbox, containment } = facts;
  const guarded = facts.guarded === true;
  const sandboxed = kind === "sandboxed" || sandbox !== undefined;
  if (sandboxed || containment === undefined)
    return { sandboxed, guarded, containment: undefined, hosts: [] };
  return { sandboxed, guarded, containment, hosts: listRuleHosts(containment.network) };
}

export function compileContainment(
  rules: ExecRules,
  path: KeyPath,
  document: Document,
): LayerContainment | undefined {
  const wanted = readContainment(rules);
  const { network, caches } = rules;
  if (wanted === undefined && network === undefined && caches === undefined) return undefined;
  return {
    document,
    mode: wanted?.mode,
    key: [...path, wanted?.key ?? "network"],
    // An inner scope cannot open a network.
    network: network ?? (wanted && "none"),
    networkKey: [...path, network === undefined && wanted ? wanted.key : "network"],
    caches,
  };
}

export function combineContainment(layers: readonly LayerContainment[]): RequestedContainment | undefined {
  const wanting = layers.filter(({ mode }) => mode !== undefined);
  if (wanting.length === 0) return undefined;
  const deciding = wanting.find(({ mode }) => mode === "read-only") ?? wanting[0]!;
  const source = [formatSource(deciding.document, deciding.key)];
  let network: NetworkRules = "full";
  let caches: readonly string[] | undefined;
  for (const layer of layers) {
    if (layer.network !== undefined && !isNarrower(network, layer.network)) {
      network = narrowerNetwork(network, layer.network);
      source.push(formatSource(layer.document, layer.networkKey));
    }
    if (layer.caches !== undefined)
      caches = caches === undefined ? layer.caches : narrowerFolders(caches, layer.caches);
  }
  return {
    mode: deciding.mode!,
    network,
    ...(caches === undefined ? {} : { caches }),
    usesHostCaches: wanting.some((layer) => layer.caches === undefined),
    source: joinWords([...new Set(source)]),
  };
}

function narrowerFolders(one: readonly string[], other: readonly string[]): string[] {
  const within = (folder: string, outer: string) => folder === outer || folder.startsWith(`${outer}/`);
  const both = one.flatMap((folder) =>
    other.flatMap((each) => (within(folder, each) ? folder : within(each, folder) ? each : [])),
  );
  return [...new Set(both)];
}

/** Returns why a session lacks the containment of a scope, as the rest of a sentence. Returns `undefined` if it has it. */
export function findMissingContainment(
  layer: LayerContainment | undefined,
  { sandboxed, guarded, containment }: ContainmentView,
): { readonly why: string; readonly key: KeyPath } | undefined {
  if (layer === undefined || sandboxed || guarded) return undefined;
  const { mode, network, key, networkKey } = layer;
  if (containment === undefined)
    return mode === undefined ? undefined : { why: "nothing contains commands here", key };
  if (mode === "read-only" && containment.mode !== "read-only")
    return { why: "commands here write in the workspace", key };
  if (network !== undefined && !isNarrower(containment.network, network))
    return { why: "commands here reach more of the network", key: networkKey };
  return undefined;
}
