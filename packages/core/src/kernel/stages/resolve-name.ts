import { nearestNames } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { Workspace } from "../../contract/ports.ts";
import { coreError } from "../../errors.ts";
import type { AdmittedCall, Step } from "../call.ts";
import { createBlockedOutcome, createFailedOutcome } from "../outcome.ts";
import type { Resolution } from "../session-view.ts";

export function resolveName(call: AdmittedCall): Step {
  const { workspace } = call.session;
  const { view } = call.rules;
  const resolution = view.resolve(call.request.name);
  switch (resolution.found) {
    case "visible": {
      const { tool, target } = resolution;
      call.tool = tool;
      if (target !== undefined) call.calledAs = call.request.name;
      call.toolName = tool.hasShortName ? tool.facts.name : tool.facts.id;
      call.meta.toolName = call.toolName;
      const misplaced = findMisplacement(call.request.name, resolution, workspace);
      return misplaced && createFailedOutcome(call, misplaced);
    }
    case "hidden": {
      const { decision, tool } = resolution;
      call.decision = decision;
      call.toolName = tool.facts.name;
      return createBlockedOutcome(call, "POLICY_DENIED", decision.reason, decision.fix, {
        decisionId: decision.id,
      });
    }
    case "broken":
    case "absent": {
      const { message, fix, code } = resolution.why;
      const error = coreError("TOOL_UNAVAILABLE", message, { fix, details: { diagnostic: code } });
      return createFailedOutcome(call, error);
    }
    case "unknown":
      return createFailedOutcome(call, unknownTool(call, resolution.several));
  }
}

function unknownTool(call: AdmittedCall, several: readonly string[]): HaftError {
  const names = call.rules.view.definitions.map(({ name }) => name);
  const near = several.length > 0 ? several : nearestNames(call.request.name, names);
  const fix =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : names.length > 0
        ? `Tools of this session: ${names.slice(0, 30).join(", ")}${names.length > 30 ? ", …" : ""}.`
        : "This session has no tools.";
  const shown = call.request.name.length > 80 ? `${call.request.name.slice(0, 80)}…` : call.request.name;
  const what = several.length > 0 ? `"${shown}" may mean several tools.` : `There is no tool "${shown}".`;
  return coreError("UNKNOWN_TOOL", what, {
    fix,
    details: { nearest: near, tools: names.slice(0, 100) },
  });
}

export function findMisplacement(
  requested: string,
  { tool, target }: Extract<Resolution, { found: "visible" }>,
  workspace: Workspace,
): HaftError | undefined {
  if (target === undefined) return undefined;
  const here = workspace.describe().target;
  return here === target ? undefined : wrongTarget(requested, target, here, tool.facts.name);
}

function wrongTarget(requested: string, expected: string, here: string, short: string): HaftError {
  const message = `${requested} acts on the ${expected} workspace, but this session's files are on the ${here}.`;
  const fix = `Use ${short}, which acts on the files of this session.`;
  return coreError("WRONG_PLACE", message, { fix, details: { place: expected, here } });
}
