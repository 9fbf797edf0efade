import { HaftError, getErrorMessage, type Plugin } from "@haft/core";
import { checkValue, type Issue, checkValueCount } from "@haft/core/internal";
import {
  formatPath,
  type KeyPath,
  parsePolicyConfig,
  type PolicyConfig,
  type PolicyProblem,
  type SourceMap,
  splitTightening,
  type WorkspacePolicy,
  policySchema,
} from "@haft/policy";
import { withoutUndefined, asRecord } from "@haft/utils";
import { parsePrivateAllowlist } from "@haft/workspace/internal/network";
import { dirname } from "node:path";
import { findMcpProblems } from "../settings/mcp-servers.ts";
import { resolveNodePaths } from "../settings/node-settings.ts";
import { resolvePath } from "../settings/resolve-path.ts";
import { SANDBOX_CAPS, SANDBOX_SETTINGS } from "../settings/sandbox-schema.ts";
import type { SandboxCaps } from "../settings/sandbox-settings.ts";
import { resolveServePaths } from "../settings/serve-settings.ts";
import type { ModuleGuard } from "../trust/module-guard.ts";
import { configInvalidError } from "./config-invalid.ts";
import { CONFIG_FILE, type HaftConfig, SANDBOX_IN_FILES } from "./haft-config.ts";
import { isCode, loadCode } from "./load-code.ts";
import { type PluginEntry, attachPluginReference, getEntrySchema } from "./plugin-references.ts";
import {
  HIDDEN_TEXT,
  readPolicyFrom,
  readPolicyText,
  readYaml,
  readYamlFile,
  type TextSource,
} from "./policy-file.ts";
import { resolveNatsPaths } from "./records/nats-settings.ts";
import { OPERATOR_ONLY_KEYS, findRecordProblems } from "./records/record-problems.ts";
import { withScopeFiles } from "./scope-files.ts";

export interface ReadConfig {
  source: string;
  /** With absolute paths and the policy file read. */
  config: Omit<HaftConfig, "policy" | "plugins"> & {
    policy?: PolicyConfig;
    plugins?: readonly (Plugin | (PluginEntry & { use: Plugin }))[];
  };
  /** The same file, or the file that it names. */
  policySource: string;
  policyPositions: SourceMap;
  positions: SourceMap;
  files: readonly string[];
}

/** Limits the reported problems of one part, because each searches for similar names. */
const MAX_ISSUES = 100;

/**
 * Reads a trusted configuration.
 *
 * @param guard for a file in a workspace: checks that everything it reads and loads was trusted
 * @param named reads the named policy files; default: the guard, or the disk
 * @throws HaftError `CONFIG_INVALID`, with every problem in its details, `POLICY_UNREADABLE`, and `CONFIG_UNTRUSTED`
 */
export async function readConfig(
  file: string,
  guard?: ModuleGuard,
  named: TextSource | undefined = guard,
): Promise<ReadConfig> {
  guard?.guardAll();
  if (isCode(file)) {
    const { value, files } = await loadCode(file, guard);
    return checkConfig(
      file,
      { value, positions: () => undefined, files: guard?.files ?? files },
      guard,
      named,
    );
  }
  const read = guard === undefined ? await readYamlFile(file) : await readYaml(guard.read(file));
  if ("problems" in read) throw configInvalidError(file, read.problems);
  return checkConfig(file, read, guard, named);
}

function requireFewValues(file: string, value: unknown): void {
  const message = checkValueCount(value);
  if (message !== undefined) throw configInvalidError(file, [{ path: "", message }]);
}

async function checkConfig(
  file: string,
  { value, positions, files }: { value: unknown; positions: SourceMap; files?: readonly string[] },
  guard?: ModuleGuard,
  named?: TextSource,
): Promise<ReadConfig> {
  requireFewValues(file, value);
  const problems: PolicyProblem[] = [];
  const check = (schema: object, part: unknown, path: KeyPath) => {
    for (const issue of checkValue(schema, part, MAX_ISSUES))
      problems.push(toPolicyProblem(issue, path, positions));
  };
  check(CONFIG_FILE, value, []);
  const { policy: given, sandbox, plugins, ...config } = asRecord(value) as HaftConfig;
  const inner: SourceMap = (path) => positions(["policy", ...path]);
  const rules =
    given === undefined || typeof given === "string"
      ? undefined
      : await withScopeFiles({ config: given, positions: inner }, file, (path) =>
          readPolicyText(path, named),
        );
  const policy = rules?.config ?? (given as string | undefined);
  if (sandbox !== undefined && sandbox !== false)
    check(files === undefined ? SANDBOX_IN_FILES : SANDBOX_SETTINGS, sandbox, ["sandbox"]);
  for (const [index, entry] of (Array.isArray(plugins) ? plugins : []).entries()) {
    const schema = getEntrySchema(entry, files !== undefined);
    if (schema !== undefined) check(schema, entry, ["plugins", index]);
  }
  if (policy !== undefined && typeof policy !== "string")
    for (const problem of policyProblems(policy, ["policy"], rules?.positions ?? inner))
      problems.push(named?.hidesText && problem.file !== undefined ? hidden(problem) : problem);
  problems.push(...networkProblems(config.network, positions));
  if (problems.length === 0)
    for (const { path, message } of findMcpProblems(config.mcp ?? {}))
      problems.push(at(path, positions, { message }));
  if (problems.length === 0)
    for (const { path, message } of findRecordProblems(asRecord(config), guard !== undefined))
      problems.push(at(path, positions, { message }));
  if (policy === "") problems.push(at(["policy"], positions, { message: "It names no file." }));
  if (problems.length > 0) throw configInvalidError(file, problems);

  const folder = dirname(file);
  const { nats, audit } = config;
  const resolved = withoutUndefined<ReadConfig["config"]>({
    ...config,
    plugins: plugins?.map((entry, index) =>
      attachPluginReference(entry, {
        from: folder,
        source: file,
        at: formatPath(["plugins", index]),
        getLine: (path) => positions(["plugins", index, "config", ...path]),
      }),
    ),
    roots: config.roots && placed(config.roots, folder),
    nats: nats && resolveNatsPaths(nats, folder),
    audit: audit && { ...audit, file: resolvePath(audit.file, folder) },
    node: config.node && resolveNodePaths(config.node, folder),
    serve: config.serve && resolveServePaths(config.serve, folder),
    sandbox:
      sandbox && sandbox.roots
        ? { ...sandbox, roots: placed(sandbox.roots, folder) }
        : (sandbox ?? undefined),
  });
  const readFiles = files ?? guard?.files ?? [file];
  if (typeof policy === "string") {
    const path = resolvePath(policy, folder);
    const read = await readPolicyFrom(path, named);
    const policyPositions = read.positions;
    const [wrong] = named?.hidesText ? policyProblems(read.config, ["policy"], policyPositions) : [];
    if (wrong !== undefined) throw configInvalidError(file, [hidden({ file: path, ...wrong })]);
    return {
      source: file,
      config: { ...resolved, policy: read.config },
      policySource: path,
      policyPositions,
      positions,
      files: [...readFiles, path, ...read.files],
    };
  }
  return {
    source: file,
    config: withoutUndefined({ ...resolved, policy }),
    policySource: file,
    policyPositions: rules?.positions ?? inner,
    positions,
    files: [...readFiles, ...(rules?.files ?? [])],
  };
}

/** Path and message repeat keys and values of the file. */
function hidden({ line, file }: PolicyProblem): PolicyProblem {
  return withoutUndefined({ path: "policy", line, file, message: HIDDEN_TEXT });
}

function networkProblems(network: unknown, positions: SourceMap): PolicyProblem[] {
  const { allowPrivate } = asRecord(network);
  if (!Array.isArray(allowPrivate)) return [];
  return allowPrivate.flatMap((entry: unknown, index) => {
    try {
      parsePrivateAllowlist([entry as string]);
      return [];
    } catch (thrown) {
      return [at(["network", "allowPrivate", index], positions, { message: getErrorMessage(thrown) })];
    }
  });
}

function policyProblems(policy: unknown, path: KeyPath, positions: SourceMap): readonly PolicyProblem[] {
  try {
    parsePolicyConfig(policy, "", positions);
    return [];
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    const found = thrown.details?.["problems"] as readonly PolicyProblem[];
    return found.map((problem) => ({
      ...problem,
      path: [formatPath(path), problem.path].filter(Boolean).join("."),
    }));
  }
}

/** Contains the tightening rules of a workspace, and the limits of its sandboxes. */
export interface WorkspaceConfig extends WorkspacePolicy {
  file: string;
  limits?: SandboxCaps;
  filePositions?: SourceMap;
}

export interface WorkspaceConfigResult {
  rules: WorkspaceConfig;
  loosening: readonly PolicyProblem[];
}

/**
 * The compiler of rules checks whether they tighten.
 *
 * @throws HaftError `CONFIG_INVALID`
 */
export async function readWorkspaceConfig(file: string, text: string): Promise<WorkspaceConfigResult> {
  const read = await readYaml(text);
  if ("problems" in read) throw configInvalidError(file, read.problems);
  const { value, positions } = read;
  requireFewValues(file, value);
  const issues = checkValue(CONFIG_FILE, value, MAX_ISSUES);
  const problems = issues
    .filter(({ path: [key] }) => key === undefined || !OPERATORS.has(String(key)))
    .map((issue) => toPolicyProblem(issue, [], positions));
  const { policy, sandbox, ...others } = asRecord(value);
  const beyond: PolicyProblem[] = [];
  const addBeyond = (path: KeyPath, why: string) => {
    const message = `It ${why}, and a configuration that is found in a workspace only tightens until it is trusted.`;
    beyond.push(at(path, positions, { message }));
  };
  for (const key of Object.keys(others).filter((each) => OPERATORS.has(each)))
    addBeyond([key], OPERATORS.get(key)!);
  const { limits, ...settings } = asRecord(sandbox);
  const ofSandbox =
    asRecord(sandbox) === sandbox ? Object.keys(settings).map((key) => ["sandbox", key]) : [["sandbox"]];
  for (const path of sandbox === undefined ? [] : ofSandbox) addBeyond(path, OPERATORS.get("sandbox")!);
  if (limits !== undefined)
    for (const issue of checkValue(SANDBOX_CAPS, limits, MAX_ISSUES))
      problems.push(toPolicyProblem(issue, ["sandbox", "limits"], positions));
  if (typeof policy === "string") addBeyond(["policy"], "names another file");
  else if (policy !== undefined && asRecord(policy) !== policy)
    problems.push(at(["policy"], positions, { message: "Expected an object." }));
  if (problems.length > 0) throw configInvalidError(file, problems);
  const split = splitTightening(asRecord(policy));
  for (const { path, why } of split.beyond) addBeyond(["policy", ...path], why);
  return {
    rules: {
      file,
      source: file,
      config: split.rules,
      positions: (path) => positions(["policy", ...path]),
      ...(limits === undefined ? {} : { limits: limits as SandboxCaps, filePositions: positions }),
    },
    loosening: beyond,
  };
}

/** Maps the keys that need an operator or a trusted file to the reason. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["roots", "opens folders"],
  ["sandbox", "says where commands run"],
  ["network", "opens local networks to tools"],
  ["model", "is the operator's choice"],
  ["plugins", "loads code"],
  ...OPERATOR_ONLY_KEYS.map(
    (key) =>
      [
        key,
        "is about records, notices, models, servers or other machines, which are the operator's",
      ] as const,
  ),
]);

export function toPolicyProblem(
  { kind, path, expected, received, known, near }: Issue,
  above: KeyPath,
  positions: SourceMap,
): PolicyProblem {
  const whole = [...above, ...path];
  if (kind === "missing")
    return at(whole.slice(0, -1), positions, { message: `It has no ${path.at(-1)} (${expected}).` });
  if (kind === "unknown")
    return at(whole, positions, {
      message: unknownKey(whole, known),
      nearest: near,
    });
  return at(whole, positions, { message: `Expected ${expected}, got ${received}.`, nearest: near });
}

function at(
  path: KeyPath,
  positions: SourceMap,
  { message, nearest }: Pick<PolicyProblem, "message" | "nearest">,
): PolicyProblem {
  return withoutUndefined({ path: formatPath(path), line: positions(path), message, nearest });
}

function placed(roots: NonNullable<HaftConfig["roots"]>, folder: string): NonNullable<HaftConfig["roots"]> {
  return Object.fromEntries(
    Object.entries(roots).map(([name, root]) => [name, { ...root, path: resolvePath(root.path, folder) }]),
  );
}

/** An unknown key may belong to the policy. */
function unknownKey(path: KeyPath, known: readonly string[]): string {
  const [key, ...rest] = path;
  if (rest.length === 0 && Object.hasOwn(Object(policySchema()["properties"]), String(key)))
    return `There is no such key here; it belongs under policy: { ${key}: … }.`;
  return `There is no such key; known here: ${known.join(", ")}.`;
}
