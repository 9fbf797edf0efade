import { isDeepStrictEqual } from "node:util";
import type { AgentSettings, SettingsLocation } from "../settings/agent-settings.ts";
import { listChangedCompanionFiles } from "./companion-files.ts";
import { createHookEntry } from "./create-hook-entry.ts";
import { parseHookEntry } from "./parse-hook-entry.ts";
import { rebuildHookEntry } from "./rebuild-hook-entry.ts";

export interface InstalledHooks {
  text: string;
  line: string;
}

export function describeHookChanges(
  settings: AgentSettings,
  location: SettingsLocation,
  { text, line }: InstalledHooks,
): string[] {
  const again = rebuildHookEntry(line) ?? createHookEntry(parseHookEntry(line));
  const wanted = settings.entries(settings.install(undefined, again));
  const changes = settings.entries(text).flatMap((found) => {
    const each = wanted.map((entry) => differences(found, entry, ""));
    return each.toSorted((a, b) => a.length - b.length)[0] ?? [];
  });
  for (const path of listChangedCompanionFiles(settings, settings.file(location)))
    changes.push(`${path} differs from the file that this version of Haft installs`);
  return changes.length === 0
    ? []
    : [`Changed since installation: ${[...new Set(changes)].join("; ")}. Run haft guard install again.`];
}

/** Characters. */
const LONGEST = 80;

function differences(found: unknown, wanted: unknown, key: string): string[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  // A longer timeout does no harm.
  if (/timeout(?:Sec)?$/.test(key) && Number.isFinite(found) && Number(found) >= Number(wanted)) return [];
  if (isContainer(found) && isContainer(wanted)) {
    const isList = Array.isArray(wanted);
    return [...new Set([...Object.keys(found), ...Object.keys(wanted)])].flatMap((name) => {
      const inner = isList ? `${key}[${name}]` : key === "" ? name : `${key}.${name}`;
      return differences(valueIn(found, name), valueIn(wanted, name), inner);
    });
  }
  const [is, was] = [found, wanted].map((value) => (value === undefined ? "missing" : JSON.stringify(value)));
  if (was!.length > LONGEST)
    return [`${key || "its module"} differs from the text that this version of Haft installs`];
  const shown = is!.length > LONGEST ? `${is!.slice(0, LONGEST)}…` : is;
  return [`${key} is ${shown} instead of ${was}`];
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function valueIn(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
