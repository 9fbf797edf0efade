import type { CallSubjects } from "@haft/core";
import type { Change } from "../read/change.ts";
import { type Document, findSourceFile, formatSource } from "../read/document.ts";
import { formatPath } from "../read/problems.ts";
import type { ExecLayer } from "../rules/exec-rules.ts";
import type { Finding } from "../rules/rule.ts";

export interface ExecGate {
  readonly layer: ExecLayer;
  readonly listed: boolean;
  readonly inspectsCommands: boolean;
}

export interface ElevationFacts {
  readonly sandboxed: boolean;
  readonly gates: readonly ExecGate[];
  readonly document: Document;
}

export interface Elevation {
  readonly granted: boolean;
  readonly finding: Finding;
}

/** Elevation needs every scope that mentions it, and the administrator's scope if it restricts commands. */
export function evaluateElevation(
  subjects: CallSubjects | undefined,
  facts: ElevationFacts,
): Elevation | undefined {
  if (subjects?.command?.elevated !== true) return undefined;
  const base = { layer: "elevated", rule: "the call asks for elevation" };
  const failing = failingGates(facts);
  if (failing.length > 0) {
    const remedies = failing.flatMap(({ remedy }) => remedy ?? []);
    const because = `cannot be elevated: ${textOf(failing)}`;
    const all = failing.every(({ remedy }) => remedy !== undefined);
    const source = failing[0]!.source;
    return {
      granted: false,
      finding: { ...base, source, verdict: "deny", because, ...(all ? { remedies } : {}) },
    };
  }
  const deciding =
    facts.gates.find(({ layer }) => layer.elevated?.mode === "ask") ??
    facts.gates.find(({ layer }) => layer.elevated?.mode === "full")!;
  const modeSource = formatSource(deciding.layer.document, [...deciding.layer.path, "elevated", "mode"]);
  if (deciding.layer.elevated?.mode === "full") {
    return {
      granted: true,
      finding: { ...base, source: modeSource, verdict: "allow", because: `is elevated by ${modeSource}` },
    };
  }
  const because = `needs approval to be elevated (${modeSource} = "ask")`;
  const everyTime = `elevated calls need approval every time (${modeSource})`;
  return { granted: true, finding: { ...base, source: modeSource, verdict: "ask", because, everyTime } };
}

function textOf(failing: readonly FailingGate[]): string {
  const named = new Set<string>();
  const texts = failing.map(({ document, text }) => {
    const name = document === undefined || named.has(document) ? "" : `${document}: `;
    if (document !== undefined) named.add(document);
    return name + text;
  });
  return texts.join("; ");
}

interface FailingGate {
  readonly text: string;
  readonly document?: string;
  readonly source: string;
  readonly remedy?: Change;
}

function failingGates({ sandboxed, gates, document }: ElevationFacts): FailingGate[] {
  if (sandboxed) return [{ text: "sandboxed sessions are never elevated", source: "built-in session table" }];
  return [...failingModes(gates, document), ...failingSenders(gates, document)];
}

function failingModes(gates: readonly ExecGate[], document: Document): FailingGate[] {
  const off = gates.filter(({ layer }) => layer.elevated?.mode === "off");
  const failing = off.map(({ layer }) => failingGate('is "off"', layer, "mode"));
  const mentions = gates.filter(({ layer }) => layer.elevated?.mode !== undefined);
  if (mentions.length === 0) failing.push(failingGate("is not set", atRoot(document), "mode"));
  const administrator = gates.filter(({ layer }) => layer.document.owner === "administrator");
  const restricting = administrator.find(
    ({ layer: { security, ask, containment } }) =>
      (security ?? "full") !== "full" || ask !== "off" || containment?.mode !== undefined,
  );
  if (restricting && !administrator.some(({ layer }) => layer.elevated?.mode !== undefined)) {
    const problem = "is not set, and only the administrator can lift the administrator's rules";
    failing.push(failingGate(problem, restricting.layer, "mode"));
  }
  return failing;
}

function failingSenders(gates: readonly ExecGate[], document: Document): FailingGate[] {
  const lists = gates.filter(({ layer }) => layer.elevated?.senders !== undefined);
  if (lists.length === 0) {
    const mention = gates.find(({ layer }) => layer.elevated !== undefined)?.layer;
    return [failingGate("names no sender", mention ?? atRoot(document), "senders")];
  }
  return lists
    .filter(({ listed }) => !listed)
    .map(({ layer }) => failingGate("does not name the sender", layer, "senders"));
}

type KeyLocation = Pick<ExecLayer, "document" | "path">;

function atRoot(document: Document): KeyLocation {
  return { document, path: ["exec"] };
}

/** Only the operator knows which sender to add. */
function failingGate(
  problem: string,
  { document, path }: KeyLocation,
  name: "mode" | "senders",
): FailingGate {
  const key = [...path, "elevated", name];
  const gate = {
    text: `${formatPath(key)} ${problem}`,
    document: findSourceFile(document, key),
    source: formatSource(document, key),
  };
  if (name === "senders") return gate;
  return { ...gate, remedy: { op: "set", owner: document.owner, key, value: "ask" } };
}
