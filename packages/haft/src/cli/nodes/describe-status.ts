import type { NodeStatus } from "@haft/nodes";
import { formatTable } from "@haft/policy";
import { shellWord, escapeInvisible } from "@haft/utils";
import { commandForPrograms, offerRows } from "./describe-node.ts";

type DeclarationChange = NonNullable<NodeStatus["changes"]>[number];

export function statusForPrograms({
  id,
  name,
  state,
  present,
  digest,
  approved,
  changes,
}: NodeStatus): object {
  return {
    id,
    name,
    state,
    present,
    ...(digest !== undefined && { digest }),
    approved,
    ...(changes !== undefined && { changes }),
  };
}

export function nodeProgramsText(status: NodeStatus): object {
  const { declared } = status;
  const commands = declared?.commands.map((command) => ({
    ...commandForPrograms(command),
    parameters: command.parameters,
    approved: status.approved.includes(command.name),
  }));
  const workspaces = declared?.workspaces.map((workspace) => ({
    ...workspace,
    approved: status.approved.includes(`workspace.${workspace.name}`),
  }));
  return {
    ...statusForPrograms(status),
    ...(commands !== undefined && { commands }),
    ...(workspaces !== undefined && { workspaces }),
  };
}

export function describeStatuses(all: readonly NodeStatus[]): string {
  const rows = all.map((status) => [
    escapeInvisible(status.name),
    stateOf(status),
    status.present ? "online" : "offline",
    whatOf(status),
    status.id,
  ]);
  return formatTable([["node", "state", "now", "may be called", "id"], ...rows]).join("\n");
}

/** @param isDecided omits the approving command */
export function describeStatus(status: NodeStatus, isDecided = false): string {
  const { id, name, state, present, declared, digest, approved, changes } = status;
  const rows = declared && offerRows(declared, approved);
  const sections = [
    `${name}: ${stateOf(status)}, ${present ? "online" : "offline"}\n${id}`,
    rows === undefined
      ? "Its offer is unknown, because it was offline."
      : [`It offers${present ? "" : ", as last known"}:`, ...formatTable(rows)].join("\n"),
    ...(changes === undefined || changes.length === 0
      ? []
      : [
          ["Changed since the approval:", ...changes.map((change) => `  ${changeInWords(change)}`)].join(
            "\n",
          ),
        ]),
    ...(changes === undefined ? [] : ["It is held back until you approve it again or revoke it."]),
    ...(isDecided || digest === undefined || state === "revoked"
      ? []
      : [
          `To approve exactly this offer:\n  haft nodes approve ${shellWord(name)} [COMMAND…] --digest ${digest}`,
        ]),
  ];
  return sections.join("\n\n").split("\n").map(escapeInvisible).join("\n");
}

function changeInWords({ command, change, parts }: DeclarationChange): string {
  return parts.length === 0 ? `${command} was ${change}` : `${command} has changed ${parts.join(" and ")}`;
}

const STATES = {
  new: "not approved",
  approved: "approved",
  changed: "changed, held back",
  revoked: "revoked",
} as const;

function stateOf({ state }: NodeStatus): string {
  return STATES[state];
}

const SHOWN = 3;

function whatOf({ state, approved }: NodeStatus): string {
  if (state !== "approved" || approved.length === 0) return "nothing";
  const more = approved.length - SHOWN;
  return `${approved.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
