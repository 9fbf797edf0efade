import type { AgentSettings, SettingsPlace } from "../settings/agent-settings.ts";
import type { GuardLine } from "../settings/guard-line.ts";
import {
  isServerName,
  lineOfServer,
  newServerName,
  ownServers,
  withServer,
} from "../settings/guard-server.ts";
import { changeSettings, readSettings, settingsError } from "./settings-file.ts";

/** What is to be known of hooks that call a server: sentences. */
export const OVER_MCP: readonly string[] = [
  "Its hook calls a tool of a server of the guard's, which Claude Code starts with each session; what runs now knows of it after a restart.",
  "Where the server is gone, fails or does not answer, Claude Code blocks the call (seen with 2.1.330; older than 2.1.295 it would run).",
  "A server of the same name in a repository's .mcp.json would be asked instead: so its name ends with twelve random digits. Tell it to nobody.",
  "At a terminal its own prompt is not used: what has to be asked is denied with the id of an approval.",
];

/** The same line with a server: the one that the settings call already, or a new one. */
export function withName(settings: AgentSettings, text: string | undefined, line: GuardLine): GuardLine {
  const installed = text === undefined ? [] : settings.installed(text);
  return { ...line, server: installed.find((each) => isServerName(each)) ?? newServerName() };
}

/**
 * What has to become of the file with the user's servers, where an agent has one: with the server of this line, or with none.
 *
 * @throws HaftError `GUARD_SETTINGS`
 */
export function planServer(
  settings: AgentSettings,
  place: SettingsPlace,
  line: GuardLine | undefined,
): { path: string; isNew: boolean; change(): void } | undefined {
  const path = settings.serverFile?.(place);
  if (path === undefined) return undefined;
  const was = readSettings(path);
  try {
    const text = withServer(was.text, line);
    return { path, isNew: text !== was.text, change: () => changeSettings(was, text) };
  } catch (thrown) {
    // Without one of the guard's in it, what is wrong with it is of no concern.
    if (line?.server === undefined && was.text?.includes("haft-guard-") !== true) return undefined;
    throw settingsError(path, thrown);
  }
}

/** The line that an installed hook comes to: itself, or that of the server which it calls; nothing where that is gone. */
export function startedBy(
  settings: AgentSettings,
  place: SettingsPlace,
  installed: string,
): string | undefined {
  if (!isServerName(installed)) return installed;
  const path = settings.serverFile?.(place);
  const text = path === undefined ? undefined : readSettings(path).text;
  const server = text === undefined ? undefined : ownServers(text).get(installed);
  return server && lineOfServer(server);
}
