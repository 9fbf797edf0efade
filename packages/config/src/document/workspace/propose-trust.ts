import { splitTightening } from "@haft/policy";
import { readRegularFile } from "@haft/system";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { listRepositoryAncestors } from "../../boundary/configuration-paths.ts";
import { resolveRealPath } from "../../boundary/real-path.ts";
import { configError } from "../../errors.ts";
import { resolvePath } from "../../settings/resolve-path.ts";
import { type CoveredFiles, findCoveredFiles } from "../../trust/covered-files.ts";
import { ModuleGuard } from "../../trust/module-guard.ts";
import type { TrustRecord } from "../../trust/trust-record.ts";
import { readUserFile } from "../check-ownership.ts";
import { configInvalidError } from "../config-invalid.ts";
import { isConfigurationName } from "../find-configuration.ts";
import { isCode, loadCode } from "../load-code.ts";
import { readYaml, type TextSource, explainReadError } from "../policy-file.ts";
import { type ReadConfig, readConfig } from "../read-config.ts";
import { getWorkspaceLimits } from "./workspace-rules.ts";

export interface TrustProposal {
  path: string;
  covered: CoveredFiles;
  /** Contains all settings; absent for code, which has not run. */
  config?: ReadConfig;
  /** Runs code, after a person agreed. @throws HaftError as {@link proposeTrust} */
  accept(by: string): Promise<{ said: ReadConfig; record: TrustRecord }>;
}

/**
 * Reads a workspace configuration as it would apply once trusted. Runs nothing.
 *
 * @param also modules that it loads without naming them
 * @throws HaftError `CONFIG_INVALID` for a broken file, `CONFIG_UNSAFE` if other users may write it, `CONFIG_UNTRUSTED` if it covers too
 * many files, `POLICY_UNREADABLE`
 */
export async function proposeTrust(file: string, also: readonly string[] = []): Promise<TrustProposal> {
  const path = join(resolveRealPath(dirname(resolve(file))), basename(file));
  if (!isConfigurationName(basename(path)))
    throw broken(
      path,
      "Only files named haft.config.yaml, .json, .ts and .js are looked for in a workspace.",
    );
  const found = readUserFile(path);
  if (found === undefined) throw broken(path, "There is no such file.");
  if ("why" in found)
    throw configError("CONFIG_UNSAFE", `${path} ${found.why}, so it cannot be trusted.`, {
      fix: "Make this user its owner, in a folder that only this user can write to (chmod go-w), and do not use a link.",
    });
  const extra = also.map((each) => resolve(each));
  const value = isCode(path) ? undefined : await valueOf(path, found.text);
  const reads = isCode(path) ? [] : (await readConfig(path, undefined, filesOfUnknown(path))).files;
  const covered = coverOf(path, value, [...reads, ...extra]);
  const guard = new ModuleGuard({ path, ...plain(covered) });
  const said = isCode(path) ? undefined : await readConfig(path, guard);
  return {
    path,
    covered,
    ...(said && { config: said }),
    async accept(by) {
      const read = said ?? (await readConfig(path, guard));
      // The code has run, so its files are known now.
      const all = said
        ? covered
        : coverOf(path, (await loadCode(path, guard)).value, [...read.files, ...extra]);
      return { said: read, record: recordOf(path, by, read, all, covered) };
    },
  };
}

function recordOf(
  path: string,
  by: string,
  { config }: ReadConfig,
  all: CoveredFiles,
  shown: CoveredFiles,
): TrustRecord {
  const { roots = {}, sandbox, policy = {} } = config;
  const limits = getWorkspaceLimits(sandbox);
  const opened = [...Object.values(roots), ...Object.values((sandbox || {}).roots ?? {})];
  return {
    path,
    at: new Date().toISOString(),
    by,
    files: { ...Object.fromEntries(all.files), ...Object.fromEntries(shown.files) },
    packages: all.packages,
    places: Object.fromEntries(opened.map((each) => [each.path, resolveRealPath(each.path)])),
    tightens: { config: splitTightening(policy).rules, ...(limits && { limits }) },
  };
}

function plain({ files, packages }: CoveredFiles): Pick<TrustRecord, "files" | "packages"> {
  return { files: Object.fromEntries(files), packages };
}

function coverOf(path: string, value: unknown, also: readonly string[]): CoveredFiles {
  const folder = dirname(path);
  const named = namesIn(value);
  const files = named.filter(isPath).map((each) => resolvePath(each, folder));
  const missing = [...files, ...also].find((each) => !existsSync(each));
  if (missing !== undefined) throw broken(path, `It names ${missing}, which does not exist.`);
  const modules = files.map((each) => realpathSync(each));
  return findCoveredFiles(
    [path, ...modules, ...also],
    named.filter((each) => !isPath(each)),
    path,
    modules.filter((each) => /\.[cm]?tsx?$/.test(each)),
  );
}

/** Returns the names of plugins as written. The reader reports other problems. */
function namesIn(value: unknown): string[] {
  const { plugins } = (value ?? {}) as { plugins?: unknown };
  const entries: unknown[] = Array.isArray(plugins) ? plugins : [];
  return entries
    .map((each) => (typeof each === "object" && each !== null && "use" in each ? each.use : each))
    .filter((each) => typeof each === "string" && each !== "") as string[];
}

function isPath(name: string): boolean {
  return /^(?:\.{1,2}|~)?\//.test(name);
}

async function valueOf(path: string, text: string): Promise<unknown> {
  const read = await readYaml(text);
  if ("problems" in read) throw configInvalidError(path, read.problems);
  return read.value;
}

function broken(path: string, message: string): Error {
  return configInvalidError(path, [{ path: "", message }]);
}

/**
 * Reads policy files of an untrusted configuration: regular files of at most 1 MiB whose real path is in the same workspace. Errors do not
 * repeat their text.
 *
 * @param configuration real path
 */
function filesOfUnknown(configuration: string): TextSource {
  const [folder = dirname(configuration), ...above] = listRepositoryAncestors(dirname(configuration));
  const workspace = above.at(-1) ?? folder;
  return {
    hidesText: true,
    read(path) {
      const real = resolveRealPath(path);
      if (!real.startsWith(workspace === "/" ? "/" : `${workspace}/`))
        throw outside(configuration, path, real);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(readRegularFile(real));
      } catch (thrown) {
        throw configError("POLICY_UNREADABLE", `${path}: cannot read it: ${explainReadError(thrown)}.`);
      }
    },
  };
}

function outside(configuration: string, path: string, real: string): Error {
  const where = real === path ? "" : `, which leads to ${real}`;
  return configError(
    "CONFIG_UNTRUSTED",
    `${configuration} names ${path}${where}: outside of its workspace, so it is not read for a configuration that is not trusted.`,
    { fix: "Copy the rules into the workspace, or name the configuration with --config." },
  );
}
