import { systemReason } from "@haft/workspace/internal/system";
import { readLine } from "../../guard/install/read-line.ts";
import { readAgentSettings } from "../../guard/install/settings-file.ts";
import { allSettings } from "../../guard/settings/all-settings.ts";
import { settingsPlace } from "./settings-place.ts";

export interface TriedBy {
  policyFile: string | undefined;
  told: string;
}

const PLACES = /^(?:HAFT_|XDG_)/;

/**
 * The rules that the installed hook of an agent decides by; those of a file where one is named. What the hook looks by is set for this
 * process, too, since both have to find the same.
 */
export function installedRules(agent: string, named: string | undefined): TriedBy {
  if (named !== undefined) return { policyFile: named, told: named };
  const settings = allSettings.get(agent);
  const failed: string[] = [];
  for (const place of settings === undefined ? [] : [settingsPlace(false), settingsPlace(true)]) {
    const file = settings!.file(place);
    try {
      const { text } = readAgentSettings(file);
      const [installed] = text === undefined ? [] : settings!.installed(text);
      if (installed === undefined) continue;
      const { policyFile, env, watchOnly } = readLine(installed);
      for (const name of Object.keys(process.env))
        if (/^HAFT_(?:CONFIG|POLICY|ADMIN_POLICY)$/.test(name)) delete process.env[name];
      for (const [name, value] of Object.entries(env)) if (PLACES.test(name)) process.env[name] = value;
      const watched = watchOnly ? "; it only watches, and decides nothing" : "";
      return {
        policyFile,
        told: `${policyFile ?? "those of your configuration"}, as installed in ${file}${watched}`,
      };
    } catch (thrown) {
      failed.push(`${file} cannot be read (${systemReason(thrown)})`);
    }
  }
  const why = failed.length > 0 ? failed.join("; ") : `${agent} has no hook installed`;
  return { policyFile: undefined, told: `those of your configuration; ${why}` };
}
