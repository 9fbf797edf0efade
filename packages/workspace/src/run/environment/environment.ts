import type { HaftError } from "@haft/core";
import { isDisplayVariable, requireKnownOptions } from "@haft/core/internal";
import { sha256 } from "@haft/utils";
import { workspaceError } from "../../errors.ts";
import { isAlwaysBlocked, isBlockedOverride, isHarmlessValue } from "./blocked-variables.ts";
import { addGitSettings } from "./without-editor.ts";

/** See {@link baseEnvironment}. */
export interface EnvironmentOptions {
  /** Variables of the host. Default: `process.env`. */
  from?: Readonly<Record<string, string | undefined>>;
  /** Adds host variables by name; a `*` at the end matches any ending. */
  inherit?: readonly string[];
  /** Set by the operator for every command. */
  set?: Readonly<Record<string, string>>;
  /** A caller may set these variables although they are refused by default: `KUBECONFIG`, `HTTPS_PROXY` … */
  allow?: readonly string[];
}

/** Every command receives these host variables. Others, such as secrets, are not passed on. */
const BASE_VARIABLES = [
  "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "TMPDIR",
] as const; // prettier-ignore

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";
/** POSIX allows more, but shells drop other names. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function baseEnvironment(options: EnvironmentOptions = {}): Record<string, string> {
  requireKnownOptions<EnvironmentOptions>("baseEnvironment", options, {
    from: true,
    inherit: true,
    set: true,
    allow: true,
  });
  const names = [...BASE_VARIABLES, ...(options.inherit ?? [])];
  const base: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.from ?? process.env)) {
    if (value !== undefined && names.some((one) => covers(one, name)) && !isAlwaysBlocked(name))
      base[name] = value;
  }
  base["PATH"] ??= FALLBACK_PATH;
  return { ...base, ...checkedEnvironment(options.set ?? {}, { operator: true }) };
}

/**
 * Checks variables that a caller wants to set for one program: a model, a plugin, the configuration of a tool server. Ignores case, because
 * some programs do.
 *
 * @param options.allow names that may be set although they are refused by default
 * @param options.operator whether the operator sets the variables: then only variables that are always blocked are refused
 * @returns the variables
 * @throws HaftError `ENVIRONMENT_BLOCKED` with every refused name, `INVALID_PROCESS`
 * @example
 * ```ts run
 * import { HaftError } from "@haft/core";
 * import { checkedEnvironment } from "@haft/workspace";
 * checkedEnvironment({ NODE_ENV: "test" }); // => { NODE_ENV: "test" }
 * const codes: string[] = [];
 * try {
 *   checkedEnvironment({ LD_PRELOAD: "/tmp/evil.so" });
 * } catch (error) {
 *   if (HaftError.is(error)) codes.push(error.code);
 * }
 * codes; // => ["ENVIRONMENT_BLOCKED"]
 * ```
 */
export function checkedEnvironment(
  wanted: Readonly<Record<string, string>>,
  options: { allow?: readonly string[]; operator?: boolean } = {},
): Record<string, string> {
  requireKnownOptions<typeof options>("checkedEnvironment", options, { allow: true, operator: true });
  const refused: string[] = [];
  const broken: string[] = [];
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(wanted)) {
    if (!NAME.test(name) || typeof value !== "string" || value.includes("\0")) {
      broken.push(name);
      continue;
    }
    const allowed = options.operator === true || (options.allow ?? []).some((one) => covers(one, name));
    const blocked = isAlwaysBlocked(name) || (!allowed && isBlockedOverride(name));
    if (blocked && !isHarmlessValue(name, value)) refused.push(name);
    else checked[name] = value;
  }
  if (broken.length > 0) throw invalidVariables(broken);
  if (refused.length > 0) throw blockedVariables(refused);
  return checked;
}

function covers(pattern: string, name: string): boolean {
  const wanted = pattern.toUpperCase();
  const upper = name.toUpperCase();
  return wanted.endsWith("*") ? upper.startsWith(wanted.slice(0, -1)) : upper === wanted;
}

function blockedVariables(variables: string[]): HaftError {
  return workspaceError(
    "ENVIRONMENT_BLOCKED",
    `These variables may not be set for a command, because they change which programs run, or which peers programs trust: ${listed(variables)}.`,
    { details: { variables }, receipt: "none" },
  );
}

function invalidVariables(variables: string[]): HaftError {
  return workspaceError("INVALID_PROCESS", `These variables are invalid: ${listed(variables)}.`, {
    fix: "Use letters, digits and `_` in names, without a leading digit, and no NUL in values.",
    details: { variables },
    receipt: "none",
  });
}

function listed(names: string[]): string {
  return names.map((name) => JSON.stringify(name.slice(0, 80))).join(", ");
}

/** Prevents git from running the configuration of a folder with files of a repository, which anybody who writes files can create. */
export function guardGit(env: Readonly<Record<string, string>>): Record<string, string> {
  return addGitSettings(env, [["safe.bareRepository", "explicit"]]);
}

/** Ignores display settings and order, and does not reveal values. */
export function hashEnvironment(env: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(env)
    .filter(([name]) => !isDisplayVariable(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}
