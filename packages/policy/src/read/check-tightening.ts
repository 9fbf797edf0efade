import { asRecord, nearestNames } from "@haft/utils";
import type { ExecRules } from "./exec-config.ts";
import { type PolicyConfig, scopeParts, type SessionRules } from "./policy-config.ts";
import type { KeyPath, SourceMap, Problems } from "./problems.ts";

/** Lists the rules that a workspace may have. Their author is unknown, so they only restrict calls. */
export interface TighteningRules extends Pick<SessionRules, "deny" | "ask" | "allow"> {
  /** Contains additional rules for each command. */
  exec?: Pick<ExecRules, "security" | "ask" | "allow" | "safeBins"> & { preset?: "careful" };
}

/**
 * Describes a policy document from a workspace.
 *
 * @example
 * ```ts run
 * import { createPolicy, type WorkspacePolicy } from "@haft/policy";
 *
 * const workspace: WorkspacePolicy = { config: { deny: ["effect:network"] }, source: "repo/haft.policy.json" };
 * const policy = createPolicy({ grant: ["effect:network"] }, { tools: [], partial: true, workspace: [workspace] });
 * ```
 */
export interface WorkspacePolicy {
  /** Contains the document. Keys beyond {@link TighteningRules} are errors unless it is trusted. */
  config: PolicyConfig;
  /** Marks a document that its owner trusted. It may grant, but has no `mode` and no `elevated`. */
  trusted?: boolean;
  /** Names the file. */
  source: string;
  /** Returns the line of a key. */
  positions?: SourceMap;
}

const RULES: readonly string[] = ["deny", "ask", "allow", "exec"] satisfies (keyof TighteningRules)[];
const EXEC: readonly string[] = [
  "preset",
  "security",
  "ask",
  "allow",
  "safeBins",
] satisfies (keyof NonNullable<TighteningRules["exec"]>)[];

type OtherExec = Exclude<keyof ExecRules, keyof NonNullable<TighteningRules["exec"]>>;
type Other = Exclude<keyof PolicyConfig, keyof TighteningRules>;

const ELSEWHERE = "belongs in a file that the operator names";

/** Reasons why a workspace may not have the other keys. A missing key is a type error. */
const OTHERS: Readonly<Record<Other, string>> = {
  $schema: ELSEWHERE,
  grant: "lets calls through",
  mode: "would decide whether rules apply",
  profile: "is the operator's choice",
  sessions: "distinguishes sessions",
  models: "distinguishes sessions",
  agents: "distinguishes sessions",
  channels: "distinguishes sessions",
  groups: "distinguishes sessions",
  senders: "distinguishes sessions",
  subagents: "distinguishes sessions",
};
const OTHERS_OF_EXEC: Readonly<Record<OtherExec, string>> = {
  trustedDirs: "selects trusted programs",
  elevated: "lets calls exceed the rules",
  containment: "removes approvals if commands are contained",
  network: "opens hosts to contained commands, and disables rules about the network",
  caches: "opens folders to contained commands",
};

/** Describes a key that could loosen rules. */
export interface LooseningViolation {
  /** Contains the path in the document. */
  path: KeyPath;
  /** Completes the sentence "It …": `lets calls through`. */
  why: string;
}

/**
 * Splits a document into rules that only tighten (`rules`) and keys that could do more (`beyond`). Unknown keys stay in `rules`;
 * `createPolicy` rejects them.
 *
 * @example
 * ```ts run
 * import { splitTightening } from "@haft/policy";
 *
 * const { rules, beyond } = splitTightening({ deny: ["write"], grant: ["exec"] });
 * rules; // => { deny: ["write"] }
 * beyond; // => [{ path: ["grant"], why: "lets calls through" }]
 * ```
 */
export function splitTightening(config: PolicyConfig): {
  rules: TighteningRules;
  beyond: LooseningViolation[];
} {
  const beyond: LooseningViolation[] = [];
  const { exec, ...rules } = without(asRecord(config), [], OTHERS, beyond);
  if (exec === undefined) return { rules, beyond };
  const tightening = without(asRecord(exec), ["exec"], OTHERS_OF_EXEC, beyond);
  if (tightening["preset"] === "contained") {
    delete tightening["preset"];
    // Without the list of the preset, these keys would be errors.
    if (tightening["allow"] === undefined && tightening["security"] !== "allowlist") {
      delete tightening["safeBins"];
      if (tightening["ask"] !== "always") delete tightening["ask"];
    }
    beyond.push({ path: ["exec", "preset"], why: OTHERS_OF_EXEC.containment });
  }
  return { rules: { ...rules, exec: asRecord(exec) === exec ? tightening : (exec as object) }, beyond };
}

function without(
  given: Readonly<Record<string, unknown>>,
  path: KeyPath,
  others: Readonly<Record<string, string>>,
  beyond: LooseningViolation[],
): Record<string, unknown> {
  const tighteningEntries = Object.entries(given).filter(([key]) => {
    if (key === "$schema" || !Object.hasOwn(others, key)) return true;
    beyond.push({ path: [...path, key], why: others[key]! });
    return false;
  });
  return Object.fromEntries(tighteningEntries);
}

/** Reports keys that would lift other documents' rules. */
export function checkTrusted(config: PolicyConfig, problems: Problems): void {
  if (config.mode !== undefined && config.mode !== "enforce")
    problems.add(["mode"], {
      message: `Rules of a workspace always apply, so they cannot be "${config.mode}"; leave it out.`,
    });
  const parts = scopeParts.flatMap((part) =>
    Object.entries(config[part] ?? {}).map(([key, rules]) => ({ path: [part, key], rules })),
  );
  const roots = [
    { path: [], rules: config },
    { path: ["subagents"], rules: config.subagents },
  ];
  for (const { path, rules } of [...roots, ...parts]) {
    if (rules?.exec?.elevated === undefined) continue;
    const message = `It ${OTHERS_OF_EXEC.elevated}, including the rules of other files; move it to a configuration that you name.`;
    problems.add([...path, "exec", "elevated"], { message });
  }
}

export function checkTightening(config: unknown, problems: Problems): void {
  const rules = asRecord(config);
  checkKeys(rules, [], RULES, OTHERS, problems);
  const exec = asRecord(rules["exec"]);
  checkKeys(exec, ["exec"], EXEC, OTHERS_OF_EXEC, problems);
  if (exec["preset"] === "contained") {
    const message = `"contained" ${OTHERS_OF_EXEC.containment}, and a workspace only tightens; use the preset careful, or no preset.`;
    problems.add(["exec", "preset"], { message });
  }
}

function checkKeys(
  given: Readonly<Record<string, unknown>>,
  path: KeyPath,
  known: readonly string[],
  others: Readonly<Record<string, string>>,
  problems: Problems,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key) || (key === "$schema" && path.length === 0)) continue;
    if (Object.hasOwn(others, key)) {
      const message = `It ${others[key]}; rules of a workspace apply to every session and only tighten: ${known.join(", ")}. Move it to a configuration that you name.`;
      problems.add([...path, key], { message });
    } else {
      const message = `There is no such key; rules of a workspace have ${known.join(", ")}.`;
      problems.add([...path, key], { message, nearest: nearestNames(key, known) });
    }
  }
}
