import { dedupeByRule } from "@haft/config/internal/document";
import { type SessionFacts, type SessionKind, invalidOptions } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { ReplacementRules } from "@haft/host/internal/host";
import {
  type ExplainingPolicy,
  type MatrixCell,
  type PolicyProblem,
  readMatrix,
  getCellReason,
  sessionKinds,
} from "@haft/policy";
import { attempt } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import type { CellDetail, Lint, PolicyView } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { toExplainedDecision } from "./explained-decision.ts";
import { toLints, policyFiles, policyFileText } from "./policy-files.ts";
import { programLint } from "./program-lint.ts";

export function policyView(looking: InspectionContext, { agent }: { agent?: string }): PolicyView {
  const { host } = looking;
  const { policy, catalogue } = host;
  return {
    version: policy.version,
    mode: policy.mode,
    lines: readMatrix(policy, catalogue, agent),
    files: policyFiles(looking),
    lint: shownLint(looking, [...policy.warnings]),
    agents: Object.keys(policy.config.agents ?? {}),
  };
}

export async function lintCurrentPolicy(looking: InspectionContext): Promise<Lint[]> {
  const { options, configuration } = looking.internals.activeRules.rules;
  const { policySource = "the policy", administratorPolicy: administrator } = options;
  const documents: Document[] = [
    ...(options.policy === undefined
      ? []
      : [
          withoutUndefined<Document>({
            config: options.policy,
            source: policySource,
            positions: options.policyPositions,
          }),
        ]),
    ...(administrator === false || administrator === undefined ? [] : [administrator]),
    ...(configuration?.workspace ?? []),
  ];
  const ofPrograms = documents.map(async ({ config, source, positions = nowhere }: Document) =>
    (await programLint({ config, source, positions })).map((warning) => ({ ...warning, source })),
  );
  return shownLint(looking, [...looking.host.policy.warnings, ...(await Promise.all(ofPrograms)).flat()]);
}

type Document = Omit<ReplacementRules, "positions"> & Partial<ReplacementRules>;
const nowhere: ReplacementRules["positions"] = () => undefined;

function shownLint(
  looking: InspectionContext,
  warnings: readonly (PolicyProblem & { source: string })[],
): Lint[] {
  const files = policyFiles(looking);
  return [...Map.groupBy(warnings, ({ source }) => source)].flatMap(([source, all]) => {
    const file = files.find(({ path }) => path === source || path.endsWith(`/${source}`));
    // For columns.
    const text = file && attempt(() => policyFileText(looking, file.id, false))?.text;
    return toLints(dedupeByRule(all), file?.path ?? source, text, "warning").map(covered);
  });
}

/** Rules can contain secrets, masked for read-only tokens. */
function covered({ message, nearest, ...where }: Lint): Lint {
  const shown = { ...where, message: redactSecrets(message) };
  return nearest === undefined ? shown : { ...shown, nearest: nearest.map(redactSecrets) };
}

export function openCell(
  looking: InspectionContext,
  { kind, tool, agent = "" }: { kind: string; tool: string; agent?: string },
): CellDetail | undefined {
  const { policy, catalogue } = looking.host;
  const facts = catalogue.find(({ id, name }) => id === tool || name === tool);
  if (facts === undefined) return undefined;
  const session = parseSessionKind(kind);
  const decision = policy.forSession(factsOf(policy, session, agent)).call(facts, undefined);
  const row = readMatrix(policy, [facts], agent)[0]!;
  const cell = row.cells[session];
  // The mark answers most calls; the trace has unknown arguments.
  const { effect, ...explained } = toExplainedDecision(decision);
  return {
    ...explained,
    effect: cell.toOthers === undefined ? effect : cell.toOthers === "grant" ? "deny" : cell.toOthers,
    reason: getCellReason(facts, decision),
    toolId: facts.id,
    kind: session,
    cell,
  };
}

/** Uses the policy's containment. */
function factsOf(policy: ExplainingPolicy, kind: SessionKind, agentId: string): SessionFacts {
  const facts: SessionFacts = { kind, agentId, model: "", messageChannel: "" };
  const containment = policy.containment(facts);
  return containment === undefined
    ? facts
    : { ...facts, containment: { mode: containment.mode, network: containment.network } };
}

/** @throws HaftError `INVALID_OPTIONS` */
export function parseSessionKind(kind = "main"): SessionKind {
  const known = sessionKinds.find((one) => one === kind);
  if (known !== undefined) return known;
  throw invalidOptions(
    `The kind of session must be one of ${sessionKinds.join(", ")}; got ${JSON.stringify(kind)}.`,
  );
}

export function isSameCell(one: MatrixCell | undefined, other: MatrixCell | undefined): boolean {
  const cellText = (cell: MatrixCell | undefined) =>
    cell && [cell.word, cell.toSome, cell.toOthers, cell.dependsOnCall, cell.contained].join(" ");
  return cellText(one) === cellText(other);
}
