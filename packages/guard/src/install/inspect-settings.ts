import { realPathOrSelf } from "@haft/config/internal/boundary";
import { getErrorMessage } from "@haft/core";
import { systemReason } from "@haft/system";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { GuardRules } from "../rules/guard-rules.ts";
import type { AgentSettings, SettingsLocation } from "../settings/agent-settings.ts";
import { nativeRules } from "../settings/native/native-rules.ts";
import { folderProblems } from "../settings/variables.ts";
import { type ClientVersion, clientVersion } from "./client-version.ts";
import { describeMissingRules, readCurrentRules } from "./current-rules.ts";
import { describeHookChanges } from "./hook-changes.ts";
import { parseHookEntry } from "./parse-hook-entry.ts";
import { type ProbeResult, probe } from "./probe.ts";
import { readAgentSettings } from "./settings-file.ts";

/**
 * Describes the installed guard of an agent.
 *
 * @example
 * ```ts
 * import type { SettingsInspection } from "@haft/guard/internal/agents";
 * const format = ({ agent, state, problems }: SettingsInspection) => [`${agent}: ${state}`, ...problems].join("\n");
 * ```
 */
export interface SettingsInspection {
  agent: string;
  file: string;
  /** `broken`: it cannot decide, or the agent does not ask it. */
  state:
    | "guarded"
    | "watched"
    | "not installed"
    | "broken"
    | "not trusted"
    | "changed since trusted"
    | "changed since installed"
    | "decides nothing";
  problems: string[];
  notes: string[];
  policyFile?: string;
  native?: string[];
  probed?: ProbeResult;
  client: ClientVersion;
}

/**
 * Inspects the guard in the settings of an agent.
 *
 * @param location Selects a project, or the user.
 * @param options `folder`: the start folder of the agent. `wantsProbe`: runs the installed hook with test calls.
 *
 * @example
 * ```ts
 * import { allSettings, inspectSettings } from "@haft/guard/internal/agents";
 * const place = { home: "/home/me", env: process.env };
 * const options = { folder: process.cwd(), wantsProbe: false };
 * const { state, problems } = await inspectSettings(allSettings.get("claude")!, place, options);
 * ```
 */
export async function inspectSettings(
  settings: AgentSettings,
  location: SettingsLocation,
  { folder, wantsProbe }: { folder: string; wantsProbe: boolean },
): Promise<SettingsInspection> {
  const file = settings.file(location);
  const looked: SettingsInspection = {
    agent: settings.id,
    file,
    state: "not installed",
    problems: [],
    notes: [],
    client: clientVersion(settings.id),
  };
  let text: string | undefined;
  let line: string | undefined;
  let native: string[] | undefined;
  try {
    ({ text } = readAgentSettings(file));
    line = text === undefined ? undefined : settings.installed(text)[0];
    native = text === undefined ? undefined : settings.native?.read(text);
  } catch (thrown) {
    return { ...looked, state: "broken", problems: [`${file} cannot be read: ${systemReason(thrown)}`] };
  }
  if (text === undefined || line === undefined) return looked;
  const { programs, policyFile, watchOnly } = parseHookEntry(line);
  const missing = programs.filter((program) => !existsSync(program));
  const { rules, warnings, problem } = await readCurrentRules(settings.id, policyFile, folder);
  const inProject = location.project !== undefined;
  const other = inspectRelatedFiles(settings, location, folder);
  const problems = [
    ...(native === undefined || problem !== undefined ? [] : behind(settings, native, { rules, inProject })),
    ...(settings.findDisablingSettings?.(text) ?? []),
    ...other.problems,
    ...(inProject ? [] : folderProblems(settings.id, location.env)),
    ...(programs.length < 2 ? ["The program that it starts is unknown. Run haft guard install again."] : []),
    ...missing.map((program) => `${program} does not exist. Run haft guard install again.`),
    ...(problem === undefined
      ? []
      : [`Every call except reading the rules is denied, because the rules cannot be used: ${problem}`]),
    ...auditProblems(rules, watchOnly),
  ];
  const changes = problems.length > 0 ? [] : describeHookChanges(settings, location, { text, line });
  const idle = problem === undefined ? describeMissingRules(rules, settings.id, policyFile) : undefined;
  const trust = watchOnly ? undefined : settings.trust?.(text, [file, realPathOrSelf(file)]);
  if (trust === "switched off") problems.push("The hook is disabled in /hooks, so no call asks it.");
  const notes = [...warnings, ...(idle === undefined ? [] : [idle]), ...rules.notes, ...other.notes];
  const probed = wantsProbe ? await probe(settings, line, file) : undefined;
  if (probed !== undefined && !watchOnly) {
    const { denies, answers, deniesWithout, outcomes } = probed;
    if (!denies)
      problems.push(
        settings.blocks(outcomes.forbidden)
          ? `The guard does not decide: a forbidden call was denied by ${formatOutcome(outcomes.forbidden)}, like every other call.`
          : `A forbidden call would run: the line ended with ${formatOutcome(outcomes.forbidden)}.`,
      );
    if (!answers && denies)
      problems.push(
        `A harmless call got no answer: the line ended with ${formatOutcome(outcomes.harmless)}.`,
      );
    if (!deniesWithout)
      problems.push(
        `It fails open: if the guard crashes, the line ends with ${formatOutcome(outcomes.crash)}; if it is silent, with ${formatOutcome(outcomes.silent)}; if it is missing, with ${formatOutcome(outcomes.missing)}.`,
      );
  }
  const untrusted =
    trust === "not trusted"
      ? trust
      : trust === "changed since"
        ? ("changed since trusted" as const)
        : undefined;
  if (untrusted !== undefined && settings.next !== undefined) notes.push(settings.next);
  const state =
    problems.length > 0
      ? "broken"
      : changes.length > 0
        ? "changed since installed"
        : (untrusted ?? (watchOnly ? "watched" : idle === undefined ? "guarded" : "decides nothing"));
  return {
    ...looked,
    state,
    problems: [...problems, ...changes],
    notes,
    ...(policyFile === undefined ? {} : { policyFile }),
    ...(native && { native }),
    ...(probed && { probed }),
  };
}

/** A required log that cannot be written denies every call. */
function auditProblems({ audit }: GuardRules, watchOnly: boolean): string[] {
  const why = audit === undefined ? undefined : describeUnwritable(audit.file);
  if (why === undefined) return [];
  const effect = watchOnly ? "No decision is logged" : "Every call is denied";
  return [`${effect}, because the audit log ${audit!.file} cannot be written: ${why}.`];
}

function describeUnwritable(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) return "it is not a file";
    let at = file;
    while (statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) at = dirname(at);
    if (at !== file && !statSync(at).isDirectory()) return `${at} is not a folder`;
    accessSync(at, constants.W_OK);
    return undefined;
  } catch (thrown) {
    return systemReason(thrown);
  }
}

function behind(
  settings: AgentSettings,
  native: readonly string[],
  { rules, inProject }: { rules: GuardRules; inProject: boolean },
): string[] {
  const wanted = nativeRules(settings, rules, inProject)?.rules ?? [];
  const missing = wanted.filter((rule) => !native.includes(rule));
  const surplus = native.filter((rule) => !wanted.includes(rule));
  const again = `Run haft guard install ${settings.id} --native${inProject ? " --project" : ""} again.`;
  return [
    ...(missing.length === 0
      ? []
      : [`Its native rules are outdated: ${missing.join(", ")} is missing. ${again}`]),
    ...(surplus.length === 0
      ? []
      : [`Its native rules are outdated: the policy no longer has ${surplus.join(", ")}. ${again}`]),
  ];
}

function inspectRelatedFiles(
  settings: AgentSettings,
  location: SettingsLocation,
  folder: string,
): Pick<SettingsInspection, "problems" | "notes"> {
  const [problems, notes]: [string[], string[]] = [[], []];
  const { relatedFiles } = settings;
  const files = relatedFiles?.files(location, folder) ?? [];
  for (const file of files.filter((each) => each !== settings.file(location)))
    try {
      problems.push(
        ...relatedFiles!.problems(readAgentSettings(file).text).map((text) => `${file}: ${text}`),
      );
    } catch (thrown) {
      notes.push(
        `It is unknown whether the agent asks it, because ${file} cannot be read: ${getErrorMessage(thrown)}`,
      );
    }
  return { problems, notes };
}

function formatOutcome({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): string {
  const output = (stdout || stderr).trim().slice(0, 200);
  return `exit code ${code} and ${output === "" ? "no output" : JSON.stringify(output)}`;
}
