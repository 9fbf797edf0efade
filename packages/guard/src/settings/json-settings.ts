import type { AgentId } from "../contract/payload.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { type HookEntry, isGuardHookLine, shellLine } from "./hook-entry.ts";
import { type JsonHooks, listGuardEntries, listRecords, withEntry, withoutEntries } from "./json-entry.ts";

export interface JsonShape {
  event: string;
  /** Default: `event`. */
  eventArgument?: string;
  /** Each entry has a list of hooks. */
  nested: boolean;
  base?: Readonly<Record<string, unknown>>;
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
    isGuardEntry: (found) => {
      const lines = linesOf(found);
      return lines.length > 0 && lines.every((line) => isGuardHookLine(id, line));
    },
    ...(base && { base }),
  };
  return {
    install(text, line) {
      const guardHook = { ...hook(line), command: shellLine(id, eventArgument, line) };
      const wanted = nested ? { ...entry, hooks: [guardHook] } : { ...entry, ...guardHook };
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
