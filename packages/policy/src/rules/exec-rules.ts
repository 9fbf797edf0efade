import type { CommandSubject, PlannedCommand, ToolFacts } from "@haft/core";
import {
  baseName,
  type CommandPattern,
  compileCommandPattern,
  narrowestPattern,
  opensCommand,
  showCommand,
} from "../patterns/command-pattern.ts";
import type { CallFacts } from "../patterns/match-call.ts";
import type { Change } from "../read/change.ts";
import { type Document, placeOf } from "../read/document.ts";
import { type ElevatedRules, type ExecRules, settled } from "../read/exec-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { parseSenderKey, type SenderKey } from "../read/sender-key.ts";
import { joinWords } from "../text/join-words.ts";
import { cut } from "../text/sentence.ts";
import type { Finding } from "./rules.ts";

/** What one scope says about commands, ready to be asked about calls. */
export interface ExecLayer {
  readonly document: Document;
  readonly path: KeyPath;
  readonly security: ExecRules["security"];
  readonly ask: NonNullable<ExecRules["ask"]>;
  readonly list: CommandList;
  /** The key that made it a gate, for messages. */
  readonly gate: KeyPath;
  readonly elevated: (ElevatedRules & { readonly keys: readonly SenderKey[] }) | undefined;
}

/** Commands that a gate lets pass. */
interface CommandList {
  readonly byProgram: ReadonlyMap<string, readonly CommandPattern[]>;
  /** Those whose program is a pattern. */
  readonly others: readonly CommandPattern[];
  readonly safeBins: ReadonlySet<string>;
  readonly trustedDirs: ReadonlySet<string>;
}

/** Programs that read standard input and write standard output, and have no options that do more. */
export const defaultSafeBins: readonly string[] = ["cut", "uniq", "head", "tail", "tr", "wc"];
const systemFolders = ["/bin", "/usr/bin"];

/** What a shell does itself, and what changes nothing but where it is or what is written out. */
const plainBuiltins: ReadonlySet<string> = new Set([":", "cd", "false", "pwd", "test", "true", "["]);
/** As plain as those in most of their forms: the analysis says which. */
const plainWhenHarmless: ReadonlySet<string> = new Set(["echo", "printf", "exit"]);

export function compileExec(rules: ExecRules, path: KeyPath, document: Document): ExecLayer {
  const { security, ask } = settled(rules);
  const { elevated } = rules;
  const gate = rules.allow ? "allow" : rules.security ? "security" : "preset";
  return {
    document,
    path,
    security,
    ask,
    list: compileCommandList(rules),
    gate: [...path, gate],
    elevated: elevated && { ...elevated, keys: (elevated.senders ?? []).flatMap(senderKey) },
  };
}

function senderKey(text: string): SenderKey[] {
  const key = parseSenderKey(text);
  return "message" in key ? [] : [key];
}

function compileCommandList({
  allow = [],
  safeBins = defaultSafeBins,
  trustedDirs = [],
}: ExecRules): CommandList {
  const byProgram = new Map<string, CommandPattern[]>();
  const others: CommandPattern[] = [];
  for (const text of allow) {
    const pattern = compileCommandPattern(text);
    if ("message" in pattern) continue;
    if (pattern.program.length > 1) others.push(pattern);
    else {
      const program = pattern.program[0]!;
      const same = byProgram.get(program);
      if (same) same.push(pattern);
      else byProgram.set(program, [pattern]);
    }
  }
  return {
    byProgram,
    others,
    safeBins: new Set(safeBins),
    trustedDirs: new Set([...systemFolders, ...trustedDirs]),
  };
}

/** Does it hold anything back, or let anybody do more? */
export function execMatters({ security, ask, elevated }: ExecLayer): boolean {
  return (security !== undefined && security !== "full") || ask !== "off" || elevated !== undefined;
}

/** What one scope has to say about the commands of a call. */
export function lookAtExec(
  layer: ExecLayer,
  tool: ToolFacts,
  { subjects }: CallFacts,
  lifted: boolean,
): Finding[] {
  if (subjects === undefined ? !tool.effects.includes("execute") : subjects.command === undefined) return [];
  const { document, path, security, ask } = layer;
  const command = subjects?.command;
  const at = (key: string) => placeOf(document, [...path, key]);
  const findings: Finding[] = [];
  const held = security === "deny" || security === "allowlist" || ask === "always";
  if (lifted && held) {
    const source = placeOf(document, path);
    return [{ layer: "exec", rule: "lifted by elevation", source, verdict: "pass", because: "is elevated" }];
  }
  if (security === "deny") {
    findings.push({
      layer: "exec",
      rule: 'security "deny": no command runs',
      source: at("security"),
      verdict: "deny",
      because: `runs commands, and ${at("security")} = "deny"`,
      remedies: [set(layer, "security", "allowlist"), ...openings(layer, command, command?.commands ?? [])],
    });
  }
  if (security === "allowlist") findings.push(lookAtGate(layer, command));
  if (ask === "always") {
    const because = `needs approval for every command (${at("ask")} = "always")`;
    findings.push({
      layer: "exec",
      rule: 'ask "always": every command is asked about',
      source: at("ask"),
      verdict: "ask",
      because,
      everyTime: `${at("ask")} = "always"`,
      remedies: [set(layer, "ask", security === "allowlist" ? "on-miss" : "off")],
    });
  }
  return findings;
}

/** What the call itself asks for: never more than it would get, so it can only tighten. */
export function lookAtWishes(command: CommandSubject, layers: readonly ExecLayer[]): Finding[] {
  const findings: Finding[] = [];
  const add = (rule: string, verdict: Finding["verdict"], because: string): void => {
    findings.push({ layer: "exec", source: "the call", rule, verdict, because });
  };
  if (command.security === "deny")
    add('security "deny": no command runs', "deny", 'asks for security "deny" itself');
  if (command.security === "allowlist") {
    const gates = layers.filter(({ security }) => security === "allowlist").map(({ list }) => list);
    const lists = gates.length > 0 ? gates : [compileCommandList({})];
    const misses = command.commands.filter((each) => !lists.some((list) => admits(list, each)));
    const why = whyMissed(command, misses, lists);
    const rule = 'security "allowlist": only what is listed';
    if (why === undefined) add(rule, "allow", "is on the list");
    else if (command.ask === "on-miss" || command.ask === "always")
      add(rule, "ask", `needs approval: ${why}, as the call itself asks for`);
    else add(rule, "deny", `asks for listed commands only: ${why}`);
  }
  if (command.ask === "always") {
    findings.push({
      layer: "exec",
      source: "the call",
      rule: 'ask "always": every command is asked about',
      verdict: "ask",
      because: "needs approval, as the call itself asks for",
      everyTime: "the call itself asks for it",
    });
  }
  return findings;
}

function lookAtGate(layer: ExecLayer, command: CommandSubject | undefined): Finding {
  const { document, list, ask, gate } = layer;
  const place = placeOf(document, gate);
  const base = { layer: "exec", source: place };
  const misses = command?.commands.filter((each) => !admits(list, each)) ?? [];
  const why = whyMissed(command, misses, [list]);
  if (why === undefined) {
    const rule = "only listed commands and safe bins: all of these are";
    return { ...base, rule, verdict: "allow", because: `only runs what ${place} lists` };
  }
  const rule = `only listed commands and safe bins: ${why}`;
  const verdict = ask === "off" ? "deny" : "ask";
  const because = `${verdict === "deny" ? "is denied" : "needs approval"} by ${place}: ${why}`;
  const remedies = openings(layer, command, misses);
  return { ...base, rule, verdict, because, ...(remedies.length > 0 ? { remedies } : {}) };
}

/** Why a call misses a list, as a sentence's rest; nothing when all of it is listed. */
function whyMissed(
  command: CommandSubject | undefined,
  misses: readonly PlannedCommand[],
  lists: readonly CommandList[],
): string | undefined {
  if (command === undefined) return "it is not known what the call would run";
  if (command.unclear !== undefined) return `it is not certain what would run, since ${command.unclear}`;
  if (command.commands.length === 0) return "it is not certain what would run";
  if (misses.length === 0) return undefined;
  const missing = misses.filter(({ path, builtin }) => path === undefined && builtin !== true);
  if (missing.length > 0)
    return `there is no program ${joinWords(missing.slice(0, 3).map(({ name }) => JSON.stringify(cut(name, 40))))}`;
  const most = misses.length > 1 ? 36 : 80;
  const shown = [...new Set(misses.map((miss) => showCommand(miss, most)))];
  const listed = shown.length > 3 ? [...shown.slice(0, 2), `${shown.length - 2} more`] : shown;
  const hint = misses.find(({ name }) =>
    lists.some(({ safeBins }) => safeBins.has(baseName(name))),
  )?.notHarmless;
  return `${joinWords(listed)} ${shown.length > 1 ? "are" : "is"} not listed${hint === undefined ? "" : ` (${hint})`}`;
}

/** The smallest changes of a scope that let these commands pass; or, when they cannot be listed, be asked about. */
function openings(
  layer: ExecLayer,
  command: CommandSubject | undefined,
  misses: readonly PlannedCommand[],
): Change[] {
  const patterns = misses.map(narrowestPattern);
  const clear = command !== undefined && command.unclear === undefined && patterns.length > 0;
  if (clear && patterns.every((pattern) => pattern !== undefined)) {
    return [...new Set(patterns)].map((entry) => {
      return { op: "add", owner: layer.document.owner, list: [...layer.path, "allow"], entry };
    });
  }
  return layer.ask === "off" ? [set(layer, "ask", "on-miss")] : [];
}

function set({ document, path }: ExecLayer, key: string, value: string): Change {
  return { op: "set", owner: document.owner, key: [...path, key], value };
}

function admits({ byProgram, others, safeBins, trustedDirs }: CommandList, command: PlannedCommand): boolean {
  const { name, path, builtin, harmless } = command;
  const isPlain = plainBuiltins.has(name) || (harmless === true && plainWhenHarmless.has(name));
  if (builtin === true && path === undefined && isPlain) return true;
  const fits = (pattern: CommandPattern) => opensCommand(pattern, command);
  if (byProgram.get(name)?.some(fits) === true || others.some(fits)) return true;
  if (path === undefined) return false;
  if (byProgram.get(path)?.some(fits) === true) return true;
  return harmless === true && safeBins.has(baseName(path)) && trustedDirs.has(folderOf(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
