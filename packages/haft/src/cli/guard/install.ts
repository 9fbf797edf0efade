import { resolveStateFolder } from "@haft/config/internal/home-folder";
import {
  planCompanionFiles,
  removeCompanionFiles,
  createHookEntry,
  describeMissingRules,
  readCurrentRules,
  parseHookEntry,
  changeAgentSettings,
  readAgentSettings,
  settingsError,
  nativeRules,
  type GuardRules,
  type AgentSettings,
  type SettingsLocation,
  allSettings,
  folderProblems,
} from "@haft/guard/internal/agents";
import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { refuseToAgents } from "../refuse-in-session.ts";
import { UsageError } from "../usage.ts";
import { clearGuardCache } from "./clear-guard-cache.ts";
import { findAgentSettings, getSettingsLocation } from "./settings-location.ts";

export interface InstallValues {
  policy?: string;
  project?: boolean;
  native?: boolean;
  "watch-only"?: boolean;
  "dry-run"?: boolean;
}

/** Checks everything before a change. */
export async function installGuard(names: readonly string[], values: InstallValues): Promise<number> {
  if (names.length === 0) throw new UsageError("Name agents: haft guard install claude codex …");
  const { project = false, native: wantsNative = false, "dry-run": isDry = false } = values;
  const { "watch-only": watchOnly } = values;
  if (wantsNative && watchOnly)
    throw new UsageError("--native adds rules that deny, and --watch-only denies nothing; omit one.");
  const chosen = findAgentSettings(names);
  if (process.platform === "win32")
    throw new UsageError(
      "haft guard install writes lines for POSIX shells; it does not support Windows yet.",
    );
  const policyFile = values.policy === undefined ? undefined : resolve(values.policy);
  const line = createHookEntry({ policyFile, watchOnly });
  const location = getSettingsLocation(project);
  requireHome(location);
  requireFolders(chosen, location);
  if (!isDry) refuseToAgents("change the guard of an agent", statesIn(chosen, location));
  const planned = [];
  for (const settings of chosen) {
    const { rules, warnings, problem } = await readCurrentRules(
      settings.id,
      policyFile,
      process.cwd(),
      !isDry,
    );
    if (problem !== undefined)
      throw commandError(
        "GUARD_SETTINGS",
        `Nothing was installed, because the rules cannot be used: ${problem}`,
      );
    const was = readAgentSettings(settings.file(location));
    const putBeside = planCompanionFiles(settings, was.path);
    try {
      const installed = settings.install(was.text, line);
      const withRules = withNative(settings, installed, { rules, wantsNative, watchOnly, project });
      const idle = describeMissingRules(rules, settings.id, policyFile);
      const notes = [...warnings, ...(idle === undefined ? [] : [idle]), ...rules.notes, ...withRules.notes];
      planned.push({ settings, was, putBeside, text: withRules.text, notes });
    } catch (thrown) {
      throw settingsError(was.path, thrown);
    }
  }
  for (const { settings, was, putBeside, text, notes } of planned) {
    if (!isDry) {
      putBeside();
      changeAgentSettings(was, text);
    }
    const isNew = text !== was.text;
    console.log(
      `${settings.id}: ${isNew ? (isDry ? "would be written to" : "installed in") : "already installed in"} ${was.path}`,
    );
    if (isDry && isNew) console.log(shownChange(was.text, text).join("\n"));
    for (const note of notes) console.log(`  ${note}`);
    if (settings.next !== undefined) console.log(`  ${settings.next}`);
    if (settings.untried) console.log("  Not tried with the real client.");
  }
  if (line.watchdog.length === 0)
    console.log(
      "This machine has neither timeout nor perl to end a guard that hangs; it ends itself after 8 s.",
    );
  if (isDry) console.log("Nothing was changed.");
  else console.log("Test it: haft guard status --probe");
  return 0;
}

/** Agents would not read a missing home folder. */
function requireHome({ home }: SettingsLocation): void {
  if (isAbsolute(home) && statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw commandError(
    "GUARD_SETTINGS",
    `Nothing was installed: the home folder, ${JSON.stringify(home)}, is ${isAbsolute(home) ? "not an existing folder" : "not an absolute path"}.`,
    { fix: "Set HOME to the home folder of the user who starts the agents." },
  );
}

function requireFolders(chosen: readonly AgentSettings[], { project, env }: SettingsLocation): void {
  if (project !== undefined) return;
  const [problem] = chosen.flatMap(({ id }) => folderProblems(id, env));
  if (problem !== undefined)
    throw commandError("GUARD_SETTINGS", `Nothing was changed: ${problem}`, {
      fix: "Set the variable to the same absolute path as for the agent, or unset it.",
    });
}

function withNative(
  settings: AgentSettings,
  text: string,
  { rules, wantsNative, watchOnly = false, project }: NativeWishes,
): { text: string; notes: string[] } {
  const { id, native } = settings;
  const was = native?.read(text);
  if (native === undefined)
    return {
      text,
      notes: wantsNative ? [`${id} has no native rules for files that bypass its hook.`] : [],
    };
  if (watchOnly) return { text: native.write(text, []), notes: [] };
  if (!wantsNative && was === undefined) return { text, notes: [] };
  const found = nativeRules(settings, rules, project);
  const ruleList = found?.rules ?? [];
  const message =
    ruleList.length === 0
      ? "The rules deny reading of no path, so there are no native rules."
      : `Its native rules also deny: ${ruleList.join(", ")}`;
  return { text: native.write(text, ruleList), notes: [message, ...(found?.notes ?? [])] };
}

interface NativeWishes {
  rules: GuardRules;
  wantsNative: boolean;
  watchOnly: boolean | undefined;
  project: boolean;
}

export async function uninstallGuard(names: readonly string[], values: InstallValues): Promise<number> {
  const { project = false, "dry-run": isDry = false } = values;
  const chosen = findAgentSettings(names.length === 0 ? [...allSettings.keys()] : names);
  const location = getSettingsLocation(project);
  requireFolders(names.length === 0 ? [] : chosen, location);
  if (!isDry) refuseToAgents("remove the guard from an agent", statesIn(chosen, location));
  const states = [resolveStateFolder().path, ...statesIn(chosen, location)];
  const planned = chosen.map((settings) => {
    const was = readAgentSettings(settings.file(location));
    try {
      return { settings, was, text: was.text === undefined ? undefined : settings.uninstall(was.text) };
    } catch (thrown) {
      if (names.length === 0) return { settings, was, text: was.text };
      throw settingsError(was.path, thrown);
    }
  });
  for (const { settings, was, text } of planned) {
    const isThere = was.text !== text;
    if (!isDry) changeAgentSettings(was, text);
    if (!isDry && isThere) removeCompanionFiles(settings, was.path);
    if (!isThere && names.length === 0) continue;
    console.log(
      `${settings.id}: ${isThere ? (isDry ? "would be removed from" : "removed from") : "is not in"} ${was.path}`,
    );
    if (isDry && isThere) console.log(shownChange(was.text, text).join("\n"));
  }
  if (!isDry && !isAnywhere(location)) clearGuardCache(states);
  if (names.length === 0 && planned.every(({ was, text }) => was.text === text))
    console.log(describeAbsence(project));
  return 0;
}

function describeAbsence(project: boolean): string {
  if (project) return "The guard is not installed in this project.";
  return isAnywhere(getSettingsLocation(true))
    ? "The guard is not installed for your user. It is installed in this project: haft guard uninstall --project removes it."
    : "The guard is not installed.";
}

function isAnywhere(location: SettingsLocation): boolean {
  return [location, getSettingsLocation(false)].some((each) =>
    [...allSettings.values()].some((settings) => {
      try {
        const { text } = readAgentSettings(settings.file(each));
        return text !== undefined && settings.installed(text).length > 0;
      } catch {
        // Unreadable settings may contain the hook.
        return true;
      }
    }),
  );
}

/** This shell may not have the hook's variables. */
function statesIn(chosen: readonly AgentSettings[], location: SettingsLocation): string[] {
  return chosen.flatMap((settings) => {
    try {
      const { text } = readAgentSettings(settings.file(location));
      const lines = text === undefined ? [] : settings.installed(text);
      return lines.flatMap((line) => {
        const { HAFT_STATE_DIR: stateFolder, XDG_STATE_HOME: xdg } = parseHookEntry(line).env;
        return stateFolder ?? (xdg === undefined ? [] : [join(xdg, "haft")]);
      });
    } catch {
      return [];
    }
  });
}

/** Settings contain secrets, so context is omitted. */
function shownChange(before: string | undefined, after: string | undefined): string[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  return [
    `@@ line ${start + 1}`,
    ...was.slice(start, was.length - end).map((line) => `-${line}`),
    ...is.slice(start, is.length - end).map((line) => `+${line}`),
  ];
}

function linesOf(text = ""): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
}
