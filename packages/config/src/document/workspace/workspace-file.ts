import { getErrorMessage } from "@haft/core";
import { explainEndedTrust } from "../../trust/check-trust.ts";
import { ModuleGuard } from "../../trust/module-guard.ts";
import type { TrustRecord } from "../../trust/trust-record.ts";
import type { TrustStore } from "../../trust/trust-store.ts";
import { type OwnedFileText, readFileWithOwnership } from "../check-ownership.ts";
import { isCode } from "../load-code.ts";
import { type ReadConfig, readConfig, readWorkspaceConfig, type WorkspaceConfig } from "../read-config.ts";
import { OPERATOR_ONLY_KEYS } from "../records/record-problems.ts";
import { toWorkspaceRules } from "./workspace-rules.ts";

/** In bytes. The author of a workspace must not delay a start. */
const LARGEST = 64 * 1024;

const LIFTS: ReadonlySet<string> = new Set(["policy.mode", "policy.exec.elevated"]);

export interface WorkspaceFile {
  /** `believed`: the operator named the file, so it was read before. */
  outcome: "used" | "absent" | "passed over" | "believed";
  /** The end of a sentence that starts with the path, or lines with problems. */
  why?: string;
  /** `ended`: a trusted file has changed. Absent without a file. */
  trust?: "trusted" | "not trusted" | "ended";
  notes: string[];
  rules: WorkspaceConfig[];
  config?: ReadConfig;
}

/** @param store `undefined` trusts nothing */
export async function readWorkspaceFile(path: string, store: TrustStore | undefined): Promise<WorkspaceFile> {
  const found = readFileWithOwnership(path);
  if (found === undefined) return { outcome: "absent", notes: [], rules: [] };
  const { record, problem } = store?.find(path) ?? {};
  const notes = problem === undefined ? [] : [problem];
  const trusted = record && (await readTrusted(record, found));
  if (trusted !== undefined && "config" in trusted) {
    return { outcome: "used", trust: "trusted", notes, rules: [toWorkspaceRules(trusted)], config: trusted };
  }
  const left = await readTightening(path, found);
  if (record === undefined) return { ...left, trust: "not trusted", notes: [...notes, ...left.notes] };
  const over = `${path} was trusted, and is not any more: ${trusted!.ended}. What it took away then holds until you trust it again or revoke it: haft config trust ${path}, haft config untrust ${path}.`;
  return {
    ...left,
    ...(isCode(path) && { why: "is code that has changed since it was trusted" }),
    trust: "ended",
    notes: [...notes, over],
    rules: [...left.rules, { file: path, source: path, ...record.tightens }],
  };
}

async function readTrusted(
  record: TrustRecord,
  found: OwnedFileText,
): Promise<ReadConfig | { ended: string }> {
  const why = "why" in found ? found.why : found.foreign;
  const ended = why === undefined ? explainEndedTrust(record, namesPlugins(record)) : `it ${why}`;
  if (ended !== undefined) return { ended };
  try {
    return await readConfig(record.path, new ModuleGuard(record));
  } catch (thrown) {
    return { ended: getErrorMessage(thrown).replace(/\.$/, "") };
  }
}

/** A named plugin may run in a separate process, so its packages are compared before. */
function namesPlugins({ packages }: TrustRecord): boolean {
  return packages.some(({ named }) => named);
}

async function readTightening(
  path: string,
  found: OwnedFileText,
): Promise<Omit<WorkspaceFile, "trust" | "config">> {
  const passedOver = (why: string) => ({ outcome: "passed over" as const, why, notes: [], rules: [] });
  if (isCode(path))
    return passedOver(
      `is code, and that of a workspace is loaded once you trust it: haft config trust ${path}`,
    );
  if ("why" in found) return passedOver(found.why);
  const size = Buffer.byteLength(found.text);
  if (size > LARGEST)
    return passedOver(`has ${size} bytes, and an untrusted configuration may have at most ${LARGEST}`);
  try {
    const { rules, loosening } = await readWorkspaceConfig(path, found.text);
    const notes: string[] = [];
    if (found.foreign !== undefined)
      notes.push(
        `${path} ${found.foreign}, so its rules can be anybody's; they hold, since they only tighten.`,
      );
    const keys = loosening.map((each) => each.path);
    const never = keys.filter((key) => LIFTS.has(key));
    const alone = keys.filter((key) => OPERATOR_ONLY_KEYS.includes(key));
    const later = keys.filter((key) => !LIFTS.has(key) && !alone.includes(key));
    if (later.length > 0)
      notes.push(
        `${path} also says ${later.join(", ")}, which holds once you trust it: haft config trust ${path} shows what that would do.`,
      );
    if (never.length > 0)
      notes.push(
        `${path} also says ${never.join(", ")}, which would lift rules of others, and cannot be trusted either: take it out, or name the file with --config.`,
      );
    if (alone.length > 0)
      notes.push(
        `${path} also says ${alone.join(", ")}: only the operator may set records, notices, servers and other machines, so trust does not apply either. Remove it, or name the file with --config.`,
      );
    return { outcome: "used", notes, rules: [rules] };
  } catch (thrown) {
    return passedOver(getErrorMessage(thrown));
  }
}
