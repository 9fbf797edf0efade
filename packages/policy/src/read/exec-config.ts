import { compileCommandPattern } from "../patterns/command-pattern.ts";
import type { KeyPath, Problems } from "./problems.ts";
import { readObject, readTexts, readWord, show } from "./read-values.ts";
import { parseSenderKey } from "./sender-key.ts";

/** How freely commands run, as one scope of a policy says it. */
export interface ExecRules {
  /** `careful`: `security: allowlist` and `ask: on-miss` where this scope does not say otherwise. */
  preset?: "careful";
  /**
   * `full` (the default): every command. `allowlist`: those of `allow` and the safe bins. `deny`: none.
   * Several scopes: each has to let a command pass.
   */
  security?: "deny" | "allowlist" | "full";
  /**
   * What becomes of a command that is not on this scope's list: denied (`off`, the default) or asked about
   * (`on-miss`). `always`: every single command is asked about.
   */
  ask?: "off" | "on-miss" | "always";
  /** Patterns of commands, e.g. `git status*`. A list is a gate whatever `security` other scopes have. */
  allow?: readonly string[];
  /**
   * Programs that only transform their input, with arguments that do just that. By default
   * `cut`, `uniq`, `head`, `tail`, `tr` and `wc`.
   */
  safeBins?: readonly string[];
  /** Absolute folders where safe bins may be, beside `/bin` and `/usr/bin`. */
  trustedDirs?: readonly string[];
  /** When a call asks for more than these rules allow. */
  elevated?: ElevatedRules;
}

/** Whose calls may do more than the list allows. */
export interface ElevatedRules {
  /** `ask`: possible, and somebody is asked every time. `full`: without asking. `off`: not at all. */
  mode?: "off" | "ask" | "full";
  /**
   * For whom: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `system` for turns the host started, `*`
   * for everybody known by one of the first three. Display names and unknown senders are never elevated.
   */
  senders?: readonly string[];
}

export const execKeys = [
  "preset",
  "security",
  "ask",
  "allow",
  "safeBins",
  "trustedDirs",
  "elevated",
] as const;
/** A program as `safeBins` names it. */
export const binName = /^[\w.+-]+$/;
export const elevatedKeys = ["mode", "senders"] as const;
export const securities = ["deny", "allowlist", "full"] as const;
export const asks = ["off", "on-miss", "always"] as const;
export const elevatedModes = ["off", "ask", "full"] as const;

/** What holds of a scope's rules once the preset has filled in what they leave open. */
export function settled({ preset, security, ask, allow }: ExecRules): {
  security: ExecRules["security"];
  ask: NonNullable<ExecRules["ask"]>;
} {
  const careful = preset === "careful";
  const listed = careful || allow !== undefined;
  return {
    security: security ?? (listed ? "allowlist" : undefined),
    ask: ask ?? (careful ? "on-miss" : "off"),
  };
}

export function readExec(value: unknown, path: KeyPath, problems: Problems): ExecRules {
  const fields = readObject(value, path, execKeys, problems);
  const rules: ExecRules = {};
  const preset = readWord(fields["preset"], [...path, "preset"], ["careful"] as const, problems);
  if (preset !== undefined) rules.preset = preset;
  const security = readWord(fields["security"], [...path, "security"], securities, problems);
  if (security !== undefined) rules.security = security;
  const ask = readWord(fields["ask"], [...path, "ask"], asks, problems);
  if (ask !== undefined) rules.ask = ask;
  if (fields["allow"] !== undefined)
    rules.allow = readPatterns(fields["allow"], [...path, "allow"], problems);
  if (fields["safeBins"] !== undefined) {
    rules.safeBins = readTexts(fields["safeBins"], [...path, "safeBins"], checkBin, problems);
  }
  if (fields["trustedDirs"] !== undefined) {
    rules.trustedDirs = readTexts(fields["trustedDirs"], [...path, "trustedDirs"], checkFolder, problems);
  }
  if (fields["elevated"] !== undefined) {
    rules.elevated = readElevated(fields["elevated"], [...path, "elevated"], problems);
  }
  checkMeaning(rules, path, problems);
  return rules;
}

function readPatterns(value: unknown, path: KeyPath, problems: Problems): string[] {
  const patterns = readTexts(value, path, checkPattern, problems);
  if (Array.isArray(value) && value.length === 0) {
    const message =
      "An empty list names no command; leave it out, `security: allowlist` alone admits safe bins only.";
    problems.add(path, { message });
  }
  return patterns;
}

function checkPattern(text: string): { message: string; nearest?: readonly string[] } | undefined {
  // A name is looked up like any command's; a path could be anywhere, also where a call can write programs.
  const [program = "", ...args] = text.split(" ");
  if (/^[*\s/]+$/.test(text)) {
    return {
      message: `${JSON.stringify(text)} would put every command on the list; leave out \`allow\` and \`security\` to run everything.`,
    };
  }
  if (/^\/?\*/.test(program) && program.includes("/")) {
    const name = program.slice(program.lastIndexOf("/") + 1);
    const message = `${JSON.stringify(text)} would put programs of any folder on the list, also of the workspace; write the name alone, for the one that is found like any command, or the whole path.`;
    return { message, ...(/^\**$/.test(name) ? {} : { nearest: [[name, ...args].join(" ")] }) };
  }
  const condition = /^(?:command:|[\w-]+\()/.exec(text)?.[0];
  if (condition !== undefined) {
    const nearest = [text.slice(condition.length).replace(/\)$/, "")];
    return {
      message: `${JSON.stringify(text)} is a selector; here stands the command pattern alone.`,
      nearest,
    };
  }
  const compiled = compileCommandPattern(text);
  return "message" in compiled ? compiled : undefined;
}

function checkBin(text: string): { message: string; nearest?: string[] } | undefined {
  if (binName.test(text)) return undefined;
  const message = `${JSON.stringify(text)} is no program name; write the name alone, without folder, arguments or *.`;
  const base = text.trim().split("/").at(-1)!;
  return { message, ...(/^[\w.+-]+$/.test(base) ? { nearest: [base] } : {}) };
}

function checkFolder(text: string): { message: string } | undefined {
  if (isTemporary(text))
    return { message: `${JSON.stringify(text)}: anybody may put a program there, so it cannot be trusted.` };
  if (/^\/[^*?\0]*$/.test(text) && !/\/\.{0,2}(?:\/|$)/.test(text)) return undefined;
  return {
    message: `${JSON.stringify(text)} is no absolute folder; write it out, without *, "." and "..", or a / at the end.`,
  };
}

/** Where every user of a machine may write. */
function isTemporary(path: string): boolean {
  return /^\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/.test(path);
}

function readElevated(value: unknown, path: KeyPath, problems: Problems): ElevatedRules {
  const fields = readObject(value, path, elevatedKeys, problems);
  const rules: ElevatedRules = {};
  const mode = readWord(fields["mode"], [...path, "mode"], elevatedModes, problems);
  if (mode !== undefined) rules.mode = mode;
  if (fields["senders"] !== undefined) {
    rules.senders = readTexts(fields["senders"], [...path, "senders"], checkSender, problems);
  }
  return rules;
}

function checkSender(text: string): { message: string; nearest?: string[] } | undefined {
  const key = parseSenderKey(text);
  if ("message" in key) return key;
  if (key.kind === "unknown") {
    return {
      message:
        '"unknown" can be anybody, so calls of unknown senders are never elevated; name who may, or "system" for turns the host starts.',
    };
  }
  if (key.kind !== "name") return undefined;
  return {
    message: `${JSON.stringify(text)}: anybody can choose a display name; write id:…, phone:… or username:….`,
  };
}

/** What contradicts itself, or would never be looked at. */
function checkMeaning(rules: ExecRules, path: KeyPath, problems: Problems): void {
  const { security } = settled(rules);
  const say = (key: string, message: string) => problems.add([...path, key], { message });
  if (rules.security === "full" && rules.preset !== undefined) {
    say(
      "security",
      '"full" contradicts the preset "careful", which admits listed commands only; remove one.',
    );
  } else if (rules.security === "full" && rules.allow !== undefined) {
    say("allow", 'The list would mean nothing beside `security: "full"`, which runs everything; remove one.');
  }
  if (rules.security === "deny") {
    for (const key of ["preset", "allow", "ask"] as const) {
      if (rules[key] === undefined || rules[key] === "off") continue;
      say(key, 'It would mean nothing beside `security: "deny"`, which runs no command at all; remove one.');
    }
  }
  if (rules.ask === "on-miss" && security === undefined) {
    say(
      "ask",
      '"on-miss" means nothing without a list in this scope; add `security: "allowlist"`, `allow` or a preset, or write "always".',
    );
  }
  if (security !== "allowlist") {
    for (const key of ["safeBins", "trustedDirs"] as const) {
      if (rules[key] !== undefined)
        say(key, 'It means nothing without a list in this scope; add `security: "allowlist"` or `allow`.');
    }
  }
  if (rules.elevated?.senders?.length === 0 && (rules.elevated.mode ?? "off") !== "off") {
    say(
      "elevated",
      `Nobody is on the list, so ${show(rules.elevated.mode)} would mean nothing; name somebody or write "off".`,
    );
  }
}
