import type { AgentId } from "@haft/guard";
import type { AgentSettings } from "./agent-settings.ts";
import { type GuardLine, isOwnLine, shellLine } from "./guard-line.ts";
import { type JsonHooks, ownEntries, recordsIn, withEntry, withoutEntries } from "./json-entry.ts";

/** An agent whose hooks stand in a JSON file among other settings. */
export interface JsonShape {
  event: string;
  /** What the line says of it. Default: its name. */
  said?: string;
  /** Each entry has a list of hooks in it, and does not say the line itself. */
  nested: boolean;
  base?: Readonly<Record<string, unknown>>;
  /** Members of the hook beside its command. */
  hook: (line: GuardLine) => object;
  entry?: object;
}

export function jsonSettingsOf(
  id: AgentId,
  { event, said = event, nested, base, hook, entry }: JsonShape,
): Pick<AgentSettings, "install" | "uninstall" | "installed" | "entries"> {
  const linesOf = (found: unknown): unknown[] =>
    recordsIn([found]).flatMap((each) =>
      (nested ? recordsIn(each["hooks"]) : [each]).map((one) => one["command"]),
    );

  const hooks: JsonHooks = {
    event,
    // One that somebody added hooks of their own to is not the guard's to take away.
    isOwn: (found) => {
      const lines = linesOf(found);
      return lines.length > 0 && lines.every((line) => isOwnLine(id, line));
    },
    ...(base && { base }),
  };
  return {
    install(text, line) {
      const own = { ...hook(line), command: shellLine(id, said, line) };
      const wanted = nested ? { ...entry, hooks: [own] } : { ...entry, ...own };
      if (text === undefined) return withEntry(text, wanted, hooks);
      const [found, more] = ownEntries(text, hooks);
      if (more === undefined && JSON.stringify(found) === JSON.stringify(wanted)) return text;
      return withEntry(withoutEntries(text, hooks), wanted, hooks);
    },
    uninstall: (text) => withoutEntries(text, hooks),
    installed: (text) =>
      ownEntries(text, hooks)
        .flatMap((found) => linesOf(found))
        .map(String),
    entries: (text) => ownEntries(text, hooks),
  };
}
