import { nearestNames } from "@haft/core/internal";
import type { ExecRules } from "./exec-config.ts";
import type { PolicyConfig, SessionRules } from "./policy-config.ts";
import type { KeyPath, Positions, Problems } from "./problems.ts";

/**
 * What a document of a workspace may say. A workspace can be anybody's, so its rules hold calls back and let none
 * through: they add to every layer above, for every session.
 */
export interface TighteningRules extends Pick<SessionRules, "deny" | "ask" | "allow"> {
  /** Each command has to pass these as well. */
  exec?: Pick<ExecRules, "security" | "ask" | "allow" | "safeBins"> & { preset?: "careful" };
}

/** A document that lies in a workspace. */
export interface WorkspacePolicy {
  /** What stands in it. Any other key is an error. */
  config: TighteningRules;
  /** Name of the file, for messages. */
  source: string;
  /** Tells the line of a key in that file, for messages. */
  positions?: Positions;
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

/** Why the other keys are no workspace's. A new key of policies that is forgotten here does not compile. */
const OTHERS: Readonly<Record<Other, string>> = {
  $schema: ELSEWHERE,
  grant: "lets calls through",
  mode: "would say whether rules hold",
  profile: "is the operator's choice",
  sessions: "tells sessions apart",
  models: "tells sessions apart",
  agents: "tells sessions apart",
  channels: "tells sessions apart",
  groups: "tells sessions apart",
  senders: "tells sessions apart",
  subagents: "tells sessions apart",
};
const OTHERS_OF_EXEC: Readonly<Record<OtherExec, string>> = {
  trustedDirs: "says which programs are believed",
  elevated: "lets calls do more than the rules",
  containment: "takes questions away where commands are contained",
  network: "opens hosts to contained commands, and takes rules about the network away",
  caches: "opens folders to contained commands",
};

/** Tells of every key that could do anything but tighten. */
export function checkTightening(config: unknown, problems: Problems): void {
  const rules = membersOf(config);
  checkKeys(rules, [], RULES, OTHERS, problems);
  const exec = membersOf(rules["exec"]);
  checkKeys(exec, ["exec"], EXEC, OTHERS_OF_EXEC, problems);
  if (exec["preset"] === "contained") {
    const message = `"contained" ${OTHERS_OF_EXEC.containment}, and a workspace only tightens; its preset is careful, or none.`;
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
      const message = `It ${others[key]}; rules of a workspace hold for every session and only tighten: ${known.join(", ")}. Move it to a configuration that you name.`;
      problems.add([...path, key], { message });
    } else {
      const message = `There is no such key; rules of a workspace have ${known.join(", ")}.`;
      problems.add([...path, key], { message, nearest: nearestNames(key, known) });
    }
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
