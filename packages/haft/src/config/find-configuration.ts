import { messageOf } from "@haft/core";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { configFolder } from "../boundary/config-folder.ts";
import { hostError } from "../errors.ts";
import { readOwnFile } from "./own-place.ts";
import { readPolicyFile } from "./policy-file.ts";
import { type ReadConfig, readConfig, readWorkspaceConfig, type WorkspaceConfig } from "./read-config.ts";

/** The names of configurations. */
const TEXTS = ["haft.config.yaml", "haft.config.json"];
const CODE = ["haft.config.ts", "haft.config.js"];
/** What is not read, and easily taken for one that is. */
const MISNAMED = ["haft.config.yml", "haft.config.mts", "haft.config.mjs"];
const WHY_MISNAMED = "is not read: a configuration is named haft.config.yaml, .json, .ts or .js";
/** Bytes. Whoever wrote the workspace is not to choose how long a start takes. */
const LARGEST_OF_WORKSPACE = 64 * 1024;
const WHY_CODE = "is code, and that of a workspace is not loaded";

/** One place where a configuration was looked for. */
export interface LookedFor {
  /** The file. */
  path: string;
  /** Why there: the operator named it, it is the user's own, or it lies in the workspace or above it. */
  as: "--config" | "HAFT_CONFIG" | "user" | "workspace" | "HAFT_POLICY";
  /** What came of it. `passed over`: it is there, and was not used. */
  outcome: "used" | "absent" | "passed over";
  /** Why it was passed over: the end of a sentence that starts with the path, or what is wrong with it in lines. */
  why?: string;
}

/** What was found: one configuration that is believed, and those of the workspace, which only tighten. */
export interface Configuration {
  trusted: ReadConfig | undefined;
  /** Rules instead of those of `trusted`. */
  policy:
    | (Pick<ReadConfig, "policySource" | "policyPositions" | "files"> & {
        config: ReadConfig["config"]["policy"];
      })
    | undefined;
  /** From the workspace upwards. */
  workspace: readonly WorkspaceConfig[];
  /** Every place, in order. */
  looked: LookedFor[];
}

/** For whom a configuration is looked for. */
interface Wanted {
  /** A file that the operator names, instead of `HAFT_CONFIG` and the user's own. */
  named?: string;
  /** The folder sessions work in. */
  workspaceDir: string;
  /** A policy was given, which is instead of the one that `HAFT_POLICY` names. */
  hasPolicy: boolean;
}

/**
 * Finds and reads what a host starts with.
 *
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_AMBIGUOUS`, `CONFIG_UNSAFE`, `CONFIG_RELATIVE`, `POLICY_UNREADABLE`: of
 * what is believed. What is wrong with files of a workspace is told in `looked`.
 */
export async function findConfiguration({ named, workspaceDir, hasPolicy }: Wanted): Promise<Configuration> {
  const looked: LookedFor[] = [];
  const trusted = await findTrusted(named, looked);
  const policy = hasPolicy ? undefined : await findPolicy(looked);
  const workspace = await findInWorkspace(workspaceDir, looked);
  return { trusted, policy, workspace, looked };
}

async function findTrusted(named: string | undefined, looked: LookedFor[]): Promise<ReadConfig | undefined> {
  const variable = fromEnvironment("HAFT_CONFIG");
  const path = named === undefined ? variable : resolve(named);
  if (path !== undefined) {
    looked.push({ path, as: named === undefined ? "HAFT_CONFIG" : "--config", outcome: "used" });
    return readConfig(path);
  }
  // A link that leads nowhere is there: its rules are missed, and nothing starts without them.
  const isThere = (each: string) => lstatSync(each, { throwIfNoEntry: false }) !== undefined;
  const [first, second] = [...TEXTS, ...CODE].map(ofUser).filter(isThere);
  for (const each of MISNAMED.map(ofUser).filter(isThere))
    looked.push({ path: each, as: "user", outcome: "passed over", why: WHY_MISNAMED });
  if (second !== undefined)
    throw hostError(
      "CONFIG_AMBIGUOUS",
      `${first} and ${second} are both there, and one of them would be ignored.`,
    );
  if (first === undefined) {
    for (const name of [...TEXTS, ...CODE])
      looked.push({ path: ofUser(name), as: "user", outcome: "absent" });
    return undefined;
  }
  looked.push({ path: first, as: "user", outcome: "used" });
  // People keep such files in a repository of their own, and link them; what counts is where they really are.
  if (!existsSync(first)) return readConfig(first);
  const real = realpathSync(first);
  const why = foreign(real);
  if (why !== undefined)
    throw hostError("CONFIG_UNSAFE", `${first} ${real === first ? "" : `leads to ${real}, which `}${why}.`);
  return readConfig(first);
}

function ofUser(name: string): string {
  return join(configFolder(), name);
}

function foreign(path: string): string | undefined {
  const read = readOwnFile(path);
  return read !== undefined && "why" in read ? read.why : undefined;
}

async function findPolicy(looked: LookedFor[]): Promise<Configuration["policy"]> {
  const path = fromEnvironment("HAFT_POLICY");
  if (path === undefined) return undefined;
  looked.push({ path, as: "HAFT_POLICY", outcome: "used" });
  const { config, positions, files } = await readPolicyFile(path);
  return { config, policySource: path, policyPositions: positions, files: [path, ...files] };
}

/** Relative it would be another file wherever Haft is started, and in a workspace the agent's own. */
function fromEnvironment(variable: "HAFT_CONFIG" | "HAFT_POLICY"): string | undefined {
  const value = process.env[variable] ?? "";
  if (value === "") return undefined;
  if (isAbsolute(value)) return value;
  const message = `${variable} is ${JSON.stringify(value)}, which is another file wherever Haft is started.`;
  throw hostError("CONFIG_RELATIVE", message, { fix: `Give ${variable} an absolute path.` });
}

/** All that is there holds, since each only tightens: a second file beside the first takes nothing of it away. */
async function findInWorkspace(workspaceDir: string, looked: LookedFor[]): Promise<WorkspaceConfig[]> {
  const found: WorkspaceConfig[] = [];
  for (const folder of foldersUpwards(workspaceDir)) {
    for (const name of [...TEXTS, ...CODE, ...MISNAMED]) {
      const path = join(folder, name);
      const add = (outcome: LookedFor["outcome"], why?: string) =>
        looked.push({ path, as: "workspace", outcome, ...(why === undefined ? {} : { why }) });
      if (!TEXTS.includes(name)) {
        const why = CODE.includes(name) ? WHY_CODE : WHY_MISNAMED;
        if (lstatSync(path, { throwIfNoEntry: false })) add("passed over", why);
        continue;
      }
      const read = readOwnFile(path, LARGEST_OF_WORKSPACE);
      if (read === undefined) add("absent");
      else if ("why" in read) add("passed over", read.why);
      else {
        try {
          found.push(await readWorkspaceConfig(path, read.text));
          add("used");
        } catch (thrown) {
          add("passed over", messageOf(thrown));
        }
      }
    }
  }
  return found;
}

/**
 * The workspace, and the folders above it as far as the root of its repository, of several one inside the other that of the
 * outermost: a session can make a `.git` where it works, and must not hide what stands above. Without a repository the
 * workspace alone.
 */
function foldersUpwards(workspaceDir: string): string[] {
  let start: string;
  try {
    start = realpathSync(workspaceDir);
  } catch {
    // Who opens it says what is wrong with it.
    return [];
  }
  const folders: string[] = [];
  let within = 1;
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    if (lstatSync(join(folder, ".git"), { throwIfNoEntry: false })) within = folders.length;
    if (dirname(folder) === folder) return folders.slice(0, within);
  }
}
