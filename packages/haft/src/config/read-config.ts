import { HaftError, messageOf, type Plugin, withoutUndefined } from "@haft/core";
import { checkValue, type Issue, tooManyValues, membersOf } from "@haft/core/internal";
import {
  formatPath,
  type KeyPath,
  parsePolicyConfig,
  type PolicyConfig,
  type PolicyProblem,
  type Positions,
  splitTightening,
  type WorkspacePolicy,
  policySchema,
} from "@haft/policy";
import { readOpenedPlaces } from "@haft/workspace/internal/network";
import { dirname } from "node:path";
import { placedNode } from "../nodes/settings.ts";
import { SANDBOX_CAPS, SANDBOX_SETTINGS } from "../sandbox/settings-schema.ts";
import type { SandboxCaps } from "../sandbox/settings.ts";
import { placedServe } from "../serve/settings.ts";
import { mcpProblems } from "../settings/mcp-servers.ts";
import { placedAt } from "../settings/placed-at.ts";
import type { ModuleGuard } from "../trust/module-guard.ts";
import { configInvalid } from "./config-invalid.ts";
import { CONFIG_FILE, type HaftConfig, SANDBOX_IN_FILES } from "./haft-config.ts";
import { isCode, loadCode } from "./load-code.ts";
import { type PluginEntry, placePlugin, schemaOfEntry } from "./placed-plugins.ts";
import {
  HIDDEN_TEXT,
  readPolicyFrom,
  readPolicyText,
  readYaml,
  readYamlFile,
  type TextSource,
} from "./policy-file.ts";
import { placedNats } from "./records/nats-settings.ts";
import { OPERATORS_ALONE, recordProblems } from "./records/record-problems.ts";
import { withScopeFiles } from "./scope-files.ts";

export interface ReadConfig {
  source: string;
  /** What stands there: paths are absolute, and a policy that was named by its file is read. */
  config: Omit<HaftConfig, "policy" | "plugins"> & {
    policy?: PolicyConfig;
    plugins?: readonly (Plugin | PluginEntry)[];
  };
  /** Where its policy stands: the same file, or the one it names. */
  policySource: string;
  policyPositions: Positions;
  positions: Positions;
  files: readonly string[];
}

/** What is told of one part: names that were probably meant are looked for with each. */
const MOST_ISSUES = 100;

/**
 * Reads a configuration that is believed.
 *
 * @param guard of one in a workspace: all it reads and loads is what was trusted
 * @param named reads the files of rules that the configuration names; by default the guard, or the disk
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
  if ("problems" in read) throw configInvalid(file, read.problems);
  return checkConfig(file, read, guard, named);
}

function requireFewValues(file: string, value: unknown): void {
  const message = tooManyValues(value);
  if (message !== undefined) throw configInvalid(file, [{ path: "", message }]);
}

async function checkConfig(
  file: string,
  { value, positions, files }: { value: unknown; positions: Positions; files?: readonly string[] },
  guard?: ModuleGuard,
  named?: TextSource,
): Promise<ReadConfig> {
  requireFewValues(file, value);
  const problems: PolicyProblem[] = [];
  const check = (schema: object, part: unknown, path: KeyPath) => {
    for (const issue of checkValue(schema, part, MOST_ISSUES))
      problems.push(problemOf(issue, path, positions));
  };
  check(CONFIG_FILE, value, []);
  const { policy: given, sandbox, plugins, ...config } = membersOf(value) as HaftConfig;
  const inner: Positions = (path) => positions(["policy", ...path]);
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
    const schema = schemaOfEntry(entry, files !== undefined);
    if (schema !== undefined) check(schema, entry, ["plugins", index]);
  }
  if (policy !== undefined && typeof policy !== "string")
    for (const problem of policyProblems(policy, ["policy"], rules?.positions ?? inner))
      problems.push(named?.hidesText && problem.file !== undefined ? hidden(problem) : problem);
  problems.push(...networkProblems(config.network, positions));
  if (problems.length === 0)
    for (const { path, message } of mcpProblems(config.mcp ?? {}))
      problems.push(at(path, positions, { message }));
  if (problems.length === 0)
    for (const { path, message } of recordProblems(membersOf(config), guard !== undefined))
      problems.push(at(path, positions, { message }));
  if (policy === "") problems.push(at(["policy"], positions, { message: "It names no file." }));
  if (problems.length > 0) throw configInvalid(file, problems);

  const folder = dirname(file);
  const { nats, audit } = config;
  const own = withoutUndefined<ReadConfig["config"]>({
    ...config,
    plugins: plugins?.map((entry, index) =>
      placePlugin(entry, {
        from: folder,
        source: file,
        at: formatPath(["plugins", index]),
        lineOf: (path) => positions(["plugins", index, "config", ...path]),
      }),
    ),
    roots: config.roots && placed(config.roots, folder),
    nats: nats && placedNats(nats, folder),
    audit: audit && { ...audit, file: placedAt(audit.file, folder) },
    node: config.node && placedNode(config.node, folder),
    serve: config.serve && placedServe(config.serve, folder),
    sandbox:
      sandbox && sandbox.roots
        ? { ...sandbox, roots: placed(sandbox.roots, folder) }
        : (sandbox ?? undefined),
  });
  const ownFiles = files ?? guard?.files ?? [file];
  if (typeof policy === "string") {
    const path = placedAt(policy, folder);
    const read = await readPolicyFrom(path, named);
    const policyPositions = read.positions;
    const [wrong] = named?.hidesText ? policyProblems(read.config, ["policy"], policyPositions) : [];
    if (wrong !== undefined) throw configInvalid(file, [hidden({ file: path, ...wrong })]);
    return {
      source: file,
      config: { ...own, policy: read.config },
      policySource: path,
      policyPositions,
      positions,
      files: [...ownFiles, path, ...read.files],
    };
  }
  return {
    source: file,
    config: withoutUndefined({ ...own, policy }),
    policySource: file,
    policyPositions: rules?.positions ?? inner,
    positions,
    files: [...ownFiles, ...(rules?.files ?? [])],
  };
}

/** The problem without its path and message, which repeat keys and values of the file. */
function hidden({ line, file }: PolicyProblem): PolicyProblem {
  return withoutUndefined({ path: "policy", line, file, message: HIDDEN_TEXT });
}

/** An entry that is none would open nothing, and nobody would know. */
function networkProblems(network: unknown, positions: Positions): PolicyProblem[] {
  const { allowPrivate } = membersOf(network);
  if (!Array.isArray(allowPrivate)) return [];
  return allowPrivate.flatMap((entry: unknown, index) => {
    try {
      readOpenedPlaces([entry as string]);
      return [];
    } catch (thrown) {
      return [at(["network", "allowPrivate", index], positions, { message: messageOf(thrown) })];
    }
  });
}

function policyProblems(policy: unknown, path: KeyPath, positions: Positions): readonly PolicyProblem[] {
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

/** What a workspace says: rules that tighten, and the most that its sandboxes may use. */
export interface WorkspaceConfig extends WorkspacePolicy {
  file: string;
  limits?: SandboxCaps;
  whole?: Positions;
}

export interface FoundConfig {
  rules: WorkspaceConfig;
  beyond: readonly PolicyProblem[];
}

/**
 * Reads what a workspace says: rules that tighten. They are checked where they are compiled, by the one list of what may
 * tighten.
 *
 * @throws HaftError `CONFIG_INVALID`
 */
export async function readWorkspaceConfig(file: string, text: string): Promise<FoundConfig> {
  const read = await readYaml(text);
  if ("problems" in read) throw configInvalid(file, read.problems);
  const { value, positions } = read;
  requireFewValues(file, value);
  const issues = checkValue(CONFIG_FILE, value, MOST_ISSUES);
  const problems = issues
    .filter(({ path: [key] }) => key === undefined || !OPERATORS.has(String(key)))
    .map((issue) => problemOf(issue, [], positions));
  const { policy, sandbox, ...others } = membersOf(value);
  const beyond: PolicyProblem[] = [];
  const addBeyond = (path: KeyPath, why: string) => {
    const message = `It ${why}, and a configuration that is found in a workspace only tightens until it is trusted.`;
    beyond.push(at(path, positions, { message }));
  };
  for (const key of Object.keys(others).filter((each) => OPERATORS.has(each)))
    addBeyond([key], OPERATORS.get(key)!);
  // Of sandboxes it says how little they may use.
  const { limits, ...settings } = membersOf(sandbox);
  const ofSandbox =
    membersOf(sandbox) === sandbox ? Object.keys(settings).map((key) => ["sandbox", key]) : [["sandbox"]];
  for (const path of sandbox === undefined ? [] : ofSandbox) addBeyond(path, OPERATORS.get("sandbox")!);
  if (limits !== undefined)
    for (const issue of checkValue(SANDBOX_CAPS, limits, MOST_ISSUES))
      problems.push(problemOf(issue, ["sandbox", "limits"], positions));
  if (typeof policy === "string") addBeyond(["policy"], "names another file");
  else if (policy !== undefined && membersOf(policy) !== policy)
    problems.push(at(["policy"], positions, { message: "Expected an object." }));
  if (problems.length > 0) throw configInvalid(file, problems);
  const split = splitTightening(membersOf(policy));
  for (const { path, why } of split.beyond) addBeyond(["policy", ...path], why);
  return {
    rules: {
      file,
      source: file,
      config: split.rules,
      positions: (path) => positions(["policy", ...path]),
      ...(limits === undefined ? {} : { limits: limits as SandboxCaps, whole: positions }),
    },
    beyond,
  };
}

/** What only an operator says, or an owner who trusts it, and why. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["roots", "opens folders"],
  ["sandbox", "says where commands run"],
  ["network", "opens local networks to tools"],
  ["model", "is the operator's choice"],
  ["plugins", "loads code"],
  ...OPERATORS_ALONE.map(
    (key) =>
      [
        key,
        "is about records, notices, models, servers or other machines, which are the operator's",
      ] as const,
  ),
]);

export function problemOf(
  { kind, path, expected, received, known, near }: Issue,
  above: KeyPath,
  positions: Positions,
): PolicyProblem {
  const whole = [...above, ...path];
  if (kind === "missing") return at(whole.slice(0, -1), positions, { message: `It has no ${path.at(-1)}.` });
  if (kind === "unknown")
    return at(whole, positions, {
      message: unknownKey(whole, known),
      nearest: near,
    });
  return at(whole, positions, { message: `Expected ${expected}, got ${received}.`, nearest: near });
}

function at(
  path: KeyPath,
  positions: Positions,
  { message, nearest }: Pick<PolicyProblem, "message" | "nearest">,
): PolicyProblem {
  return withoutUndefined({ path: formatPath(path), line: positions(path), message, nearest });
}

function placed(roots: NonNullable<HaftConfig["roots"]>, folder: string): NonNullable<HaftConfig["roots"]> {
  return Object.fromEntries(
    Object.entries(roots).map(([name, root]) => [name, { ...root, path: placedAt(root.path, folder) }]),
  );
}

/** Says of a key that a configuration does not know what there is instead, or that it belongs into the policy. */
function unknownKey(path: KeyPath, known: readonly string[]): string {
  const [key, ...rest] = path;
  if (rest.length === 0 && Object.hasOwn(Object(policySchema()["properties"]), String(key)))
    return `There is no such key here; it stands under policy: { ${key}: … }.`;
  return `There is no such key; known here: ${known.join(", ")}.`;
}
