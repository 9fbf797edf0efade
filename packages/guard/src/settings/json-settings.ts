import type { AgentId } from "../contract/payload.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { type HookEntry, isGuardHookLine, shellLine } from "./hook-entry.ts";
import { type JsonHooks, listGuardEntries, listRecords, withEntry, withoutEntries } from "./json-entry.ts";

/** An agent whose hooks stand in a JSON file among other settings. */
export interface JsonShape {
  event: string;
  /** What the line says of it. Default: its name. */
  eventArgument?: string;
  /** Each entry has a list of hooks in it, and does not say the line itself. */
  nested: boolean;
  base?: Readonly<Record<string, unknown>>;
  /** Members of the hook beside its command. */
  hook: (line: HookEntry) => object;
  entry?: object;
}

export function createJsonSettings(
  id: AgentId,
  { event, eventArgument = event, nested, base, hook, entry }: JsonShape,
): Pick<AgentSettings, "install" | "uninstall" | "installed" | "entries"> {
  const linesOf = (found: unknown): unknown[] =>
    listRecords([found]).flatMap((each) =>
      (nested ? listRecords(each["hooks"]) : [each]).map((one) => one["command"]),
    );

  const hooks: JsonHooks = {
    event,
    // One that somebody added hooks of their own to is not the guard's to take away.
    isGuardEntry: (found) => {
      const lines = linesOf(found);
      return lines.length > 0 && lines.every((line) => isGuardHookLine(id, line));
    },
    ...(base && { base }),
  };
  return {
    install(text, line) {
      const own = { ...hook(line), command: shellLine(id, eventArgument, line) };
      const wanted = nested ? { ...entry, hooks: [own] } : { ...entry, ...own };
      if (text === undefined) return withEntry(text, wanted, hooks);
      const [found, more] = listGuardEntries(text, hooks);
      if (more === undefined && JSON.stringify(found) === JSON.stringify(wanted)) return text;
      return withEntry(withoutEntries(text, hooks), wanted, hooks);
    },
    uninstall: (text) => withoutEntries(text, hooks),
    installed: (text) =>
      listGuardEntries(text, hooks)
        .flatMap((found) => linesOf(found))
        .map(String),
    entries: (text) => listGuardEntries(text, hooks),
  };
}
