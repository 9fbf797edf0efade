import { containsPath, getRealPath } from "@haft/config/internal/boundary";
import {
  selectUsableRules,
  configInvalidError,
  type Configuration,
  type ConfigurationCandidate,
  isCode,
  type ReadConfig,
  type WorkspaceConfig,
  dropUntrustedLoosening,
} from "@haft/config/internal/document";
import { HaftError, type Logger, type ToolFacts } from "@haft/core";
import type { Registry } from "@haft/core/kernel";
import { hashFile } from "@haft/plugin-loader/internal/plugins";
import type { ExplainingPolicy } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";
import { hostError } from "../errors.ts";
import type { HostPlugins, NextPlugins } from "./host-plugins.ts";
import {
  type resolveRuleFiles,
  composePolicy,
  type HostRules,
  type ReplacementRules,
  policyWith,
  readRules,
} from "./read-rules.ts";
import { warnSkippedConfigurations, reportProblem, warnUnmatchedRules } from "./warn-unmatched-rules.ts";

/**
 * Describes a file that a reload did not use, and why.
 *
 * @example
 * ```ts
 * import type { ReloadProblem } from "@haft/host";
 * const format = ({ code, message, fix = "" }: ReloadProblem) => `${code}: ${message} ${fix}`.trim();
 * ```
 */
export interface ReloadProblem {
  /** Names the error. */
  code: string;
  /** Names the file, its line if known, and the problem. */
  message: string;
  /** Tells a person what to do next. */
  fix?: string;
}

/**
 * Contains the result of `host.reload()`.
 *
 * @example
 * ```ts
 * import type { Host } from "@haft/host";
 * declare const host: Host;
 * const { changed, problems, later } = await host.reload();
 * for (const { message } of problems) console.error(message);
 * if (changed) console.log("New rules apply. A new host is needed for:", later.map(({ key }) => key));
 * ```
 */
export interface Reload {
  /** States whether the rules or plugins in force changed. */
  changed: boolean;
  /**
   * Lists files that were not used. Their earlier content stays in force: its own rules for a workspace file,
   * all rules for a trusted file.
   */
  problems: readonly ReloadProblem[];
  /**
   * Lists other keys whose values in files have changed since the start. They apply only to the next host: `roots`, `sandbox`, `model`,
   * `nodes`, and the records and notices of a configuration; `code` for a configuration that is code; and `sandbox.limits` of a file in the
   * workspace.
   */
  later: readonly { key: string; source: string }[];
}

export interface ReloaderOptions {
  ruleFiles: ReturnType<typeof resolveRuleFiles>;
  initialRules: HostRules;
  policy: ExplainingPolicy;
  workspace: readonly WorkspaceConfig[];
  plugins: HostPlugins;
  writable: readonly string[];
  replaceRegistry(registry: Registry): Promise<() => void>;
  applyPolicy(policy: ExplainingPolicy): void;
  logger: Logger | undefined;
}

/** Reloads rules and plugins atomically: checks everything before it applies anything. */
export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #held: ReadonlySet<string>;
  readonly #prints: ReadonlyMap<string, string | undefined>;
  #rules: HostRules;
  #policy: ExplainingPolicy;
  #workspace: readonly WorkspaceConfig[];
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#rules = options.initialRules;
    this.#policy = options.policy;
    this.#workspace = options.workspace;
    this.#held = new Set(
      options.initialRules.trustedFiles.flatMap((path) => [path, getRealPath(path) ?? path]),
    );
    const { trusted } = options.initialRules.configuration ?? {};
    const code = trusted !== undefined && isCode(trusted.source) ? trusted.files.filter(isCode) : [];
    this.#prints = new Map(code.map((file) => [file, hashFile(file)]));
  }

  get rules(): HostRules {
    return this.#rules;
  }

  /** Returns the current policy with other operator rules. @throws HaftError `POLICY_INVALID` */
  policyWith(other: ReplacementRules): ExplainingPolicy {
    return policyWith(this.#rules, other, this.#options.plugins.catalogue, this.#workspace);
  }

  /** Reloads run in sequence, so that each reads the files after its request. */
  reload(): Promise<Reload> {
    const reloading = this.#last.then(() => this.#reload());
    this.#last = reloading.catch(() => undefined);
    return reloading;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #reload(): Promise<Reload> {
    const { ruleFiles, plugins, logger } = this.#options;
    this.#checkOpen();
    let fresh: HostRules;
    let policy: ExplainingPolicy;
    let workspace: readonly WorkspaceConfig[];
    let next: NextPlugins | undefined;
    let useTools: (() => void) | undefined;
    try {
      fresh = await readRules(ruleFiles);
      this.#checkBelieved(fresh);
      next = await plugins.prepare(fresh.options.plugins ?? [], (paths) =>
        this.#checkOutside(fresh, paths, "is loaded for a newly named plugin"),
      );
      const catalogue = next?.catalogue ?? plugins.catalogue;
      workspace = this.#workspaceRules(fresh, catalogue);
      policy = composePolicy(fresh, catalogue, workspace);
      useTools = next && (await this.#options.replaceRegistry(next.registry));
      this.#checkOpen();
    } catch (thrown) {
      await next?.abandon();
      this.#checkOpen();
      if (!HaftError.is(thrown)) throw thrown;
      reportProblem(thrown.message, logger);
      return { changed: false, problems: [problemOf(thrown)], later: [] };
    }
    const changed = policy.version !== this.#policy.version || next !== undefined;
    this.#rules = fresh;
    this.#policy = policy;
    this.#workspace = workspace;
    useTools?.();
    this.#options.applyPolicy(policy);
    await next?.commit();
    const looked = fresh.configuration?.candidates ?? [];
    warnSkippedConfigurations(looked, logger, new Set(workspace.map(({ file }) => file)));
    warnUnmatchedRules(policy.unmatched, logger);
    return {
      changed,
      problems: looked.filter(isPassedOver).map(problemOfFile),
      later: this.#later(fresh, workspace),
    };
  }

  #checkOpen(): void {
    if (this.#isClosed) throw hostError("HOST_CLOSED", "This host is closed, so no rules are in force.");
  }

  /** Returns the valid rules, and the earlier rules of invalid files: breaking a file must not lift restrictions. */
  #workspaceRules({ configuration }: HostRules, tools: readonly ToolFacts[]): WorkspaceConfig[] {
    if (configuration === undefined) return [];
    const usable = selectUsableRules(configuration, tools);
    const broken = new Set(configuration.candidates.filter(isPassedOver).map(({ path }) => path));
    return [...usable, ...this.#workspace.filter(({ file }) => broken.has(file)).map(dropUntrustedLoosening)];
  }

  /** Checks that trusted rules exist, and are not at a path that a session can write to. */
  #checkBelieved(fresh: HostRules): void {
    const { configuration, options, trustedFiles } = fresh;
    const before = this.#rules;
    const { trusted } = before.configuration ?? {};
    if (trusted !== undefined && configuration?.trusted === undefined)
      throw configInvalidError(trusted.source, [{ path: "", message: REMOVED }]);
    const { administratorPolicy: above } = before.options;
    if (above && !options.administratorPolicy)
      throw hostError("POLICY_UNREADABLE", `${above.source}: ${REMOVED}`);
    this.#checkOutside(fresh, trustedFiles, "was not read when this host started");
  }

  /** Sessions cannot change files of the start; others are not protected. */
  #checkOutside({ options }: HostRules, paths: readonly string[], why: string): void {
    const { writable } = this.#options;
    if (options.boundary?.code === false) return;
    for (const path of paths) {
      const real = getRealPath(path) ?? path;
      const root = this.#held.has(real) ? undefined : writable.find((folder) => containsPath(folder, real));
      if (root === undefined) continue;
      const message = `${path} ${why}, and is in ${root}, where sessions could have written it.`;
      throw hostError("CONFIG_UNSAFE", message, { fix: "Move it to another folder, or start Haft again." });
    }
  }

  #later({ configuration }: HostRules, workspace: readonly WorkspaceConfig[]): Reload["later"] {
    const before = this.#options.initialRules.configuration?.trusted;
    const now = configuration?.trusted;
    const source = now?.source ?? before?.source ?? "";
    const differing = (one: ReadConfig | undefined, other: ReadConfig | undefined) =>
      KEYS.filter((key) => !isDeepStrictEqual(one?.config[key], other?.config[key]));
    const differences = differing(before, now);
    const layersOf = ({ layers = [] }: Partial<Configuration> = {}) =>
      new Map(layers.map((each) => [each.source, each]));
    const [were, are] = [layersOf(this.#options.initialRules.configuration), layersOf(configuration)];
    const trusted = [...new Set([...were.keys(), ...are.keys()])].flatMap((file) =>
      differing(were.get(file), are.get(file)).map((key) => ({ key, source: file })),
    );
    const code = [...this.#prints].filter(([file, print]) => print === undefined || print !== hashFile(file));
    const limits = [...this.#options.workspace, ...workspace]
      .map((one) => one.file)
      .filter(
        (file) => !isDeepStrictEqual(limitsAt(file, this.#options.workspace), limitsAt(file, workspace)),
      );
    return [
      ...differences.map((key) => ({ key, source })),
      ...trusted,
      ...[...new Set(limits)].map((file) => ({ key: "sandbox.limits", source: file })),
      ...code.map(([file]) => ({ key: "code", source: file })),
    ];
  }
}

const REMOVED =
  "its rules were in force, but it no longer exists. Write {} into it for no rules, or start Haft again without it.";

const KEYS = [
  "roots",
  "sandbox",
  "network",
  "model",
  "approvals",
  "record",
  "durability",
  "keep",
  "onStoreFault",
  "store",
  "mcp",
  "nodes",
] as const satisfies (keyof ReadConfig["config"])[];

function limitsAt(file: string, workspace: readonly WorkspaceConfig[]): WorkspaceConfig["limits"] {
  return workspace.find((each) => each.file === file)?.limits;
}

function isPassedOver({ outcome }: ConfigurationCandidate): boolean {
  return outcome === "passed over";
}

function problemOf({ code, message, fix }: HaftError): ReloadProblem {
  return withoutUndefined({ code, message, fix });
}

function problemOfFile({ path, why = "" }: ConfigurationCandidate): ReloadProblem {
  return { code: "CONFIG_INVALID", message: why.startsWith(path) ? why : `${path} ${why}.` };
}
