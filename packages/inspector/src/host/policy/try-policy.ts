import { dedupeByRule } from "@haft/config/internal/document";
import { HaftError, getErrorMessage } from "@haft/core";
import type { ReplacementRules } from "@haft/host/internal/host";
import { type ExplainingPolicy, type PolicyProblem, readMatrix, sessionKinds } from "@haft/policy";
import { replaceFile } from "@haft/system";
import { sha256 } from "@haft/utils";
import { setImmediate as turn } from "node:timers/promises";
import { inspectorError } from "../../errors.ts";
import type {
  Lint,
  PolicyEdit,
  PolicyFile,
  PolicySave,
  PolicySaveResult,
  PolicyEditPreview,
} from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { toErrorLints, toLints, policyFiles, readEditedRules, readRulesText } from "./policy-files.ts";
import { isSameCell } from "./policy-view.ts";
import { programLint } from "./program-lint.ts";

export type LoadedPolicyEdit =
  | { policy: ExplainingPolicy; file: PolicyFile; rules: ReplacementRules; lint: Lint[] }
  | { lint: Lint[] };

/** @throws HaftError `INSPECT_FILE` for a file without editable rules */
export async function loadPolicyEdit(
  looking: InspectionContext,
  { id, text }: Pick<PolicyEdit, "id" | "text">,
): Promise<LoadedPolicyEdit> {
  const file = editable(looking, id);
  const read = await readEditedRules(looking, file, text);
  if ("lint" in read) return read;
  try {
    const policy = looking.internals.activeRules.policyWith(read.rules);
    const { rules } = read;
    await turn();
    return { policy, file, rules, lint: toLints(warningsAt(policy, file), file.path, text, "warning") };
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    const { problems } = thrown.details as { problems: PolicyProblem[] };
    return { lint: toErrorLints(problems, file.path, text) };
  }
}

/** The page requests it last, because program warnings are slow. */
export async function lintPolicyEdit(looking: InspectionContext, edit: PolicyEdit): Promise<Lint[]> {
  const tried = await loadPolicyEdit(looking, edit);
  if (!("policy" in tried)) return tried.lint;
  const { policy, file, rules } = tried;
  const warnings = dedupeByRule([...warningsAt(policy, file), ...(await programLint(rules))]);
  return toLints(warnings, file.path, edit.text, "warning");
}

function warningsAt({ warnings }: ExplainingPolicy, { path }: PolicyFile): PolicyProblem[] {
  return dedupeByRule(warnings.filter(({ source }) => source === path));
}

function editable(looking: InspectionContext, id: string): PolicyFile {
  const file = policyFiles(looking).find((one) => one.id === id);
  if (file === undefined)
    throw inspectorError("INSPECT_FILE", `There is no file of rules ${JSON.stringify(id)}.`);
  if (!file.editable)
    throw inspectorError("INSPECT_FILE", `${file.path} cannot be edited here. ${file.why ?? ""}`.trim());
  return file;
}

export async function tryPolicy(looking: InspectionContext, edit: PolicyEdit): Promise<PolicyEditPreview> {
  const tried = await loadPolicyEdit(looking, edit);
  if (!("policy" in tried)) return { lint: tried.lint, changed: [] };
  const { catalogue, policy } = looking.host;
  const changed: PolicyEditPreview["changed"][number][] = [];
  for (const tool of catalogue) {
    // Yields to other requests.
    await turn();
    const [before] = readMatrix(policy, [tool], edit.agent);
    const [after] = readMatrix(tried.policy, [tool], edit.agent);
    for (const kind of sessionKinds) {
      const [was, is] = [before!.cells[kind], after!.cells[kind]];
      if (isSameCell(was, is)) continue;
      changed.push({ toolId: tool.id, name: after!.name, kind, before: was, after: is });
    }
  }
  return { lint: tried.lint, changed };
}

/**
 * Replaces a file of rules, and reloads the host.
 *
 * @throws HaftError `POLICY_FILE_CHANGED` for a changed file, `POLICY_INVALID` for unusable rules
 */
export async function savePolicy(
  looking: InspectionContext,
  { id, text, sha256: before }: PolicySave,
): Promise<PolicySaveResult> {
  const file = editable(looking, id);
  const tried = await loadPolicyEdit(looking, { id, text });
  const errors = tried.lint.filter(({ severity }) => severity === "error");
  if (!("policy" in tried))
    throw inspectorError(
      "INSPECT_FILE",
      `${file.path} was not written: ${errors[0]?.message ?? "it cannot be used"}`,
      {
        fix: "Correct the marked errors; nothing was written.",
        details: { lint: errors },
      },
    );
  // Immediately before the replacement.
  const check = () => {
    const now = sha256(readRulesText(file));
    if (now === before) return;
    const message = `${file.path} has changed since it was read and was not overwritten.`;
    throw inspectorError("POLICY_FILE_CHANGED", message, { details: { sha256: now } });
  };
  writeRules(file.path, text, check);
  const { problems } = await looking.host.reload();
  const inForce = looking.host.policy.version === tried.policy.version;
  return { sha256: sha256(text), inForce, problems: problems.map(({ message }) => message) };
}

/** @throws HaftError `INSPECT_FILE` for a missing file */
function writeRules(path: string, text: string, check: () => void): void {
  try {
    replaceFile(path, text, { flush: true, check });
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    throw inspectorError("INSPECT_FILE", `${path} cannot be written: ${getErrorMessage(thrown)}.`, {
      cause: thrown,
    });
  }
}
