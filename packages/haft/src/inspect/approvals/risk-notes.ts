import type { CallSubjects, ToolEffect } from "@haft/core";
import type { CallRecord } from "@haft/core/kernel";
import type { RiskNote } from "@haft/inspector";

const LEVELS: readonly RiskNote["level"][] = ["danger", "care", "info"];
/** Of a kind that a call has many of. */
const MOST_OF_A_KIND = 5;

/** What to look at twice before a call is allowed, by what it would do; the gravest first. */
export function riskNotes(
  effects: readonly ToolEffect[],
  plan: CallRecord["plan"],
  effectsUnknown = false,
): RiskNote[] {
  const { subjects, consent = [] } = plan ?? {};
  const notes: RiskNote[] = [
    ...commandNotes(subjects?.command),
    ...consent
      .slice(0, MOST_OF_A_KIND)
      .map(({ reason }): RiskNote => ({ kind: "consent", level: "care", text: reason })),
    ...(subjects?.paths ?? []).flatMap(pathNote).slice(0, MOST_OF_A_KIND),
    ...(subjects?.hosts ?? []).slice(0, MOST_OF_A_KIND).map((host): RiskNote => ({
      kind: "network",
      level: "info",
      text: `It connects to ${host}.`,
    })),
    ...nodeNote(subjects?.node),
  ];
  if (effects.includes("message"))
    notes.push({ kind: "message", level: "care", text: "It writes to people, which cannot be taken back." });
  if (effects.includes("network") && subjects?.hosts === undefined)
    notes.push({
      kind: "network",
      level: "care",
      text: "It reaches the network; where is not known beforehand.",
    });
  if (effectsUnknown)
    notes.push({ kind: "unknown-effects", level: "care", text: "Nobody declared what this tool may do." });
  return notes.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

function commandNotes(command: CallSubjects["command"]): RiskNote[] {
  if (command === undefined) return [];
  const notes: RiskNote[] = [];
  const { unclear, elevated, outside, commands, forward } = command;
  if (unclear !== undefined)
    notes.push({ kind: "unclear", level: "danger", text: `It is not certain what it runs: ${unclear}.` });
  if (elevated === true)
    notes.push({ kind: "elevated", level: "danger", text: "It wants to run outside of its limits." });
  if (outside !== undefined)
    notes.push({
      kind: "outside",
      level: "danger",
      text: `It leaves the view that commands are contained in, and says why: ${outside}`,
    });
  if (forward !== undefined)
    notes.push({
      kind: "network",
      level: "care",
      text: `Its port ${forward} can be reached from this machine.`,
    });
  const carriers = new Map(
    commands.flatMap(({ name, carrier }) => (carrier === undefined ? [] : [[name, carrier]])),
  );
  for (const carrier of [...carriers.values()].slice(0, MOST_OF_A_KIND))
    notes.push({ kind: "carrier", level: "care", text: `${carrier.replace(/\.$/, "")}.` });
  return notes;
}

function pathNote({
  path,
  access,
  recursive,
  outside,
}: NonNullable<CallSubjects["paths"]>[number]): RiskNote[] {
  const notes: RiskNote[] = [];
  if (outside === true)
    notes.push({
      kind: "outside",
      level: "danger",
      text: `${path} is outside of the folders of the session.`,
    });
  if (recursive === true && access === "write")
    notes.push({ kind: "recursive", level: "care", text: `It changes everything below ${path}.` });
  return notes;
}

function nodeNote(node: CallSubjects["node"]): RiskNote[] {
  if (node === undefined) return [];
  const what = node.command === undefined ? "" : `: ${node.command}`;
  return [{ kind: "node", level: "care", text: `It acts on the machine ${node.name}${what}.` }];
}
