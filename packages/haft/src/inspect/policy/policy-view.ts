import type { SessionFacts, SessionKind } from "@haft/core";
import type { CellOpened, Lint, PolicyView } from "@haft/inspector";
import { type ExplainingPolicy, type MatrixCell, readMatrix, sessionKinds } from "@haft/policy";
import { attempt } from "@haft/workspace/internal/system";
import { hostError } from "../../errors.ts";
import type { Looking } from "../looking.ts";
import { markedTrace } from "./explained.ts";
import { lintOf, policyFiles, policyFileText } from "./policy-files.ts";

/** Rules as they are: what each kind of session may do with each tool. */
export function policyView(looking: Looking, { agent }: { agent?: string }): PolicyView {
  const { host } = looking;
  const { policy, catalogue } = host;
  return {
    version: policy.version,
    mode: policy.mode,
    lines: readMatrix(policy, catalogue, agent),
    files: policyFiles(looking),
    lint: warningsIn(looking, policy),
    agents: Object.keys(policy.config.agents ?? {}),
  };
}

function warningsIn(looking: Looking, { warnings }: ExplainingPolicy): Lint[] {
  const files = policyFiles(looking);
  return warnings.flatMap((warning) => {
    const file = files.find(({ path }) => path === warning.source || path.endsWith(`/${warning.source}`));
    // For columns alone. One that is gone by now has none.
    const text = file && attempt(() => policyFileText(looking, file.id, false))?.text;
    return lintOf([warning], file?.path ?? warning.source, text, "warning");
  });
}

/** What opens behind a cell. */
export function openCell(
  looking: Looking,
  { kind, tool, agent = "" }: { kind: string; tool: string; agent?: string },
): CellOpened | undefined {
  const { policy, catalogue } = looking.host;
  const facts = catalogue.find(({ id, name }) => id === tool || name === tool);
  if (facts === undefined) return undefined;
  const session = kindOf(kind);
  const decision = policy.forSession(factsOf(policy, session, agent)).call(facts, undefined);
  const row = readMatrix(policy, [facts], agent)[0]!;
  return { ...markedTrace(decision), toolId: facts.id, kind: session, cell: row.cells[session] };
}

/** As the matrix asks: with commands contained as the policy wants them. */
function factsOf(policy: ExplainingPolicy, kind: SessionKind, agentId: string): SessionFacts {
  const facts: SessionFacts = { kind, agentId, model: "", messageChannel: "" };
  const wish = policy.containment(facts);
  return wish === undefined ? facts : { ...facts, containment: { mode: wish.mode, network: wish.network } };
}

/** @throws HaftError `INSPECT_KIND` */
export function kindOf(kind = "main"): SessionKind {
  const known = sessionKinds.find((one) => one === kind);
  if (known !== undefined) return known;
  throw hostError(
    "INSPECT_KIND",
    `A kind of session is ${sessionKinds.join(", ")}; got ${JSON.stringify(kind)}.`,
  );
}

/** Whether two cells say the same to whoever calls. */
export function sameCell(one: MatrixCell | undefined, other: MatrixCell | undefined): boolean {
  const said = (cell: MatrixCell | undefined) =>
    cell && [cell.word, cell.toSome, cell.toOthers, cell.dependsOnCall, cell.contained].join(" ");
  return said(one) === said(other);
}
