import { parseHookEntry, readAgentSettings, allSettings } from "@haft/guard/internal/agents";
import { systemReason } from "@haft/system";
import { getSettingsLocation } from "./settings-location.ts";

export interface InstalledRules {
  policyFile: string | undefined;
  description: string;
}

const LOCATION_VARIABLES = /^(?:HAFT_|XDG_)/;

/** Returns the files of `--policy` in installed hooks. */
export function listPolicyFiles(): string[] {
  const locations = [getSettingsLocation(false), getSettingsLocation(true)];
  const files = [...allSettings.values()].flatMap((settings) =>
    locations.flatMap((location) => {
      try {
        const { text } = readAgentSettings(settings.file(location));
        const lines = text === undefined ? [] : settings.installed(text);
        return lines.flatMap((line) => parseHookEntry(line).policyFile ?? []);
      } catch {
        // `haft guard status` reports the error.
        return [];
      }
    }),
  );
  return [...new Set(files)];
}

/** Copies the installed hook's variables, to find the same rules. */
export function findInstalledRules(agent: string, named: string | undefined): InstalledRules {
  if (named !== undefined) return { policyFile: named, description: named };
  const settings = allSettings.get(agent);
  const failed: string[] = [];
  for (const location of settings === undefined
    ? []
    : [getSettingsLocation(false), getSettingsLocation(true)]) {
    const file = settings!.file(location);
    try {
      const { text } = readAgentSettings(file);
      const [installed] = text === undefined ? [] : settings!.installed(text);
      if (installed === undefined) continue;
      const { policyFile, env, watchOnly } = parseHookEntry(installed);
      for (const name of Object.keys(process.env))
        if (/^HAFT_(?:CONFIG|POLICY|ADMIN_POLICY)$/.test(name)) delete process.env[name];
      for (const [name, value] of Object.entries(env))
        if (LOCATION_VARIABLES.test(name)) process.env[name] = value;
      const watched = watchOnly ? "; it only watches, and decides nothing" : "";
      return {
        policyFile,
        description: `${policyFile ?? "the rules of your configuration"}, as installed in ${file}${watched}`,
      };
    } catch (thrown) {
      failed.push(`${file} cannot be read (${systemReason(thrown)})`);
    }
  }
  const why = failed.length > 0 ? failed.join("; ") : `${agent} has no hook installed`;
  return { policyFile: undefined, description: `the rules of your configuration; ${why}` };
}
