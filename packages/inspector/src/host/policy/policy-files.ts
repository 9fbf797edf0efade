import { getMachinePolicyPath } from "@haft/config/internal/boundary";
import {
  readFileWithOwnership,
  CONFIG_FILE,
  readYaml,
  toPolicyProblem,
  withScopeFiles,
} from "@haft/config/internal/document";
import { HaftError } from "@haft/core";
import { checkValue, redactSecrets } from "@haft/core/internal";
import type { ReplacementRules } from "@haft/host/internal/host";
import type { PolicyProblem, SourceMap } from "@haft/policy";
import { attempt } from "@haft/system";
import { withoutUndefined, sha256 } from "@haft/utils";
import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { inspectorError } from "../../errors.ts";
import type { Lint, PolicyFile, PolicyFileText } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";

export function policyFiles({ internals }: InspectionContext): PolicyFile[] {
  const { options: given } = internals;
  const { rules } = internals.activeRules;
  const { configuration } = rules;
  const policyFile = typeof given.policy === "string" ? resolve(given.policy) : undefined;
  const files: PolicyFile[] = [];
  const source = policyFile ?? configuration?.policy?.policySource ?? configuration?.trusted?.policySource;
  if (source !== undefined) {
    const isConfiguration = policyFile === undefined && source === configuration?.trusted?.source;
    const isText = /\.(?:ya?ml|json)$/.test(source);
    const why = isText ? undefined : "It is code, so its text does not show its rules.";
    files.push(known(source, isConfiguration ? "configuration" : "policy", why));
  }
  const administrator =
    typeof given.administratorPolicy === "string"
      ? resolve(given.administratorPolicy)
      : given.administratorPolicy === undefined
        ? getMachinePolicyPath()
        : "";
  if (administrator !== "" && rules.options.administratorPolicy !== false)
    files.push(
      known(
        administrator,
        "administrator",
        "It belongs to the administrator of this machine: no policy loosens it and no page changes it.",
      ),
    );
  for (const { file } of configuration?.workspace ?? [])
    files.push(known(file, "workspace", "It belongs to the workspace and can only tighten. Edit it there."));
  return files;
}

function known(path: string, owner: PolicyFile["owner"], why: string | undefined): PolicyFile {
  const id = sha256(path).slice(0, 12);
  return { id, path, owner, editable: why === undefined, ...(why !== undefined && { why }) };
}

export function policyFileText(
  looking: InspectionContext,
  id: string,
  covered: boolean,
): PolicyFileText | undefined {
  const file = policyFiles(looking).find((one) => one.id === id);
  if (file === undefined) return undefined;
  const text = readRulesText(file);
  const shown = covered ? redactSecrets(text) : text;
  return { ...file, text: shown, sha256: sha256(text), ...(shown !== text && { covered }) };
}

/**
 * Returns a file's text if it still contains rules. A session could replace it by a link or a blocking file.
 *
 * @throws HaftError `INSPECT_FILE` if it is missing or unreadable
 */
export function readRulesText({ path, owner }: Pick<PolicyFile, "path" | "owner">): string {
  const isNamed = owner === "policy" || owner === "administrator";
  const found = readFileWithOwnership(
    (isNamed ? attempt(() => realpathSync.native(path)) : undefined) ?? path,
  );
  if (found !== undefined && "text" in found) return found.text;
  throw inspectorError("INSPECT_FILE", `${path} ${found?.why ?? "does not exist"}.`, {
    fix: "Restore the file, or name another file of rules. Then reload the page.",
  });
}

export type RulesReadResult = { rules: ReplacementRules } | { lint: Lint[] };

/** Parses an edited file with loaded scope files only, because the sender may not read files. */
export async function readEditedRules(
  looking: InspectionContext,
  { path, owner }: PolicyFile,
  text: string,
): Promise<RulesReadResult> {
  const failed = (problems: readonly PolicyProblem[]) => ({ lint: toErrorLints(problems, path, text) });
  const tooLarge = (what: string) => failed([{ path: "", message: `${what} ${CHECK_INSTEAD}` }]);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES)
    return tooLarge(`The page accepts at most ${MAX_BYTES} bytes; this text has ${bytes}.`);
  const read = await readYaml(text);
  await turn();
  if ("problems" in read) return failed(read.problems);
  if (countEntries(read.value) > MAX_ENTRIES)
    return tooLarge(
      `The page accepts at most ${MAX_ENTRIES} entries, including aliases; this text has more.`,
    );
  try {
    const part =
      owner === "configuration" ? policyIn(read) : { value: read.value, positions: read.positions };
    if ("problems" in part) return failed(part.problems);
    const whole = { config: part.value as ReplacementRules["config"], positions: part.positions };
    const { config, positions } = await withScopeFiles(whole, path, loadedScopes(looking));
    return { rules: { config, positions, source: path } };
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return failed([{ path: "", message: thrown.message }]);
  }
}

/** Parsing blocks the host's thread. */
const MAX_BYTES = 64 * 1024;
const MAX_ENTRIES = 2_000;
const MAX_ERRORS = 100;
const CHECK_INSTEAD = "Edit the file in an editor and check it with haft policy check FILE.";

/** Counts keys and entries up to {@link MAX_ENTRIES}. */
function countEntries(value: unknown): number {
  const waiting = [value];
  let count = 0;
  while (waiting.length > 0 && count <= MAX_ENTRIES) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const entries = Object.values(next);
    count += entries.length;
    if (count <= MAX_ENTRIES) waiting.push(...entries);
  }
  return count;
}

export function toErrorLints(problems: readonly PolicyProblem[], path: string, text: string): Lint[] {
  const shown = problems.slice(0, MAX_ERRORS);
  const more = problems.length - shown.length;
  if (more > 0) shown.push({ path: "", message: `There are ${more} more problems.` });
  return toLints(shown, path, text, "error");
}

function loadedScopes({ internals }: InspectionContext): Parameters<typeof withScopeFiles>[2] {
  const { policy = {}, policyPositions: positions } = internals.activeRules.rules.options;
  const loaded = new Map<string, Awaited<ReturnType<Parameters<typeof withScopeFiles>[2]>>>();
  for (const part of ["agents", "sessions"] as const)
    for (const [name, config] of Object.entries(policy[part] ?? {})) {
      const file = positions?.fileOf?.([part, name]);
      if (file === undefined) continue;
      loaded.set(file, { config, positions: (path) => positions?.([part, name, ...path]) });
    }
  return async (path) => {
    const text = loaded.get(path);
    if (text !== undefined) return text;
    throw inspectorError("POLICY_UNREADABLE", `${path}: the host did not load this file as rules.`, {
      fix: "Write the rules into the text, or name the file in the saved policy and reload the host.",
    });
  };
}

/** A host would not start with errors in the rest. */
function policyIn({ value, positions }: { value: unknown; positions: SourceMap }) {
  const issues = checkValue(CONFIG_FILE, value, Number.POSITIVE_INFINITY);
  if (issues.length > 0) {
    const problems = issues.map((issue) => toPolicyProblem(issue, [], positions));
    return { problems };
  }
  const { policy = {} } = value as { policy?: unknown };
  if (typeof policy === "string") {
    const message = "The rules are in a separate file now; edit that file.";
    return { problems: [{ path: "policy", message }] satisfies PolicyProblem[] };
  }
  return { value: policy, positions: ((path) => positions(["policy", ...path])) as SourceMap };
}

export function toLints(
  problems: readonly PolicyProblem[],
  file: string,
  text: string | undefined,
  severity: Lint["severity"],
): Lint[] {
  const lines = text?.split("\n");
  return problems.map(({ path, line, message, nearest, file: source = file, severity: named }) =>
    withoutUndefined<Lint>({
      severity: named ?? severity,
      file: source,
      line,
      column:
        line === undefined || basename(source) !== basename(file)
          ? undefined
          : columnOf(lines?.[line - 1], path),
      path,
      message,
      nearest,
    }),
  );
}

function columnOf(line: string | undefined, path: string): number | undefined {
  if (line === undefined) return undefined;
  const key = /([^.[\]]+)(?:\[\d+\])?$/.exec(path)?.[1];
  const at = key === undefined ? -1 : line.indexOf(key);
  return (at < 0 ? line.search(/\S/) : at) + 1 || 1;
}
