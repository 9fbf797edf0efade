import type { AgentSettings } from "./agent-settings.ts";
import type { HookEntry } from "./hook-entry.ts";

export function dedicatedFileSettings({
  write,
  read,
  value = (text) => text,
}: {
  write: (line: HookEntry) => string;
  /** @throws Error if the text is invalid */
  read: (text: string) => string[];
  value?: (text: string) => unknown;
}): Pick<AgentSettings, "install" | "uninstall" | "installed" | "entries"> {
  return {
    install(text, line) {
      if (text !== undefined && read(text).length === 0)
        throw new Error("it exists and does not belong to the guard");
      return write(line);
    },
    uninstall: (text) => (read(text).length === 0 ? text : undefined),
    installed: read,
    entries: (text) => [value(text)],
  };
}
