import { compileCommandPattern } from "../patterns/command-pattern.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { checkContainment } from "./check-containment.ts";
import { binName, type ExecRules, resolveExecConfig } from "./exec-config.ts";
import { checkTexts, type KeyPath, type Problems } from "./problems.ts";
import { parseSenderKey } from "./sender-key.ts";

export function checkExec(rules: ExecRules, path: KeyPath, problems: Problems): void {
  checkTexts(rules.allow, [...path, "allow"], checkPattern, problems);
  if (rules.allow?.length === 0 && !problems.has([...path, "allow"])) {
    const message =
      "An empty list names no command; leave it out, `security: allowlist` alone admits safe bins only.";
    problems.add([...path, "allow"], { message });
  }
  checkTexts(rules.safeBins, [...path, "safeBins"], checkBin, problems);
  checkTexts(rules.trustedDirs, [...path, "trustedDirs"], checkFolder, problems);
  checkTexts(rules.elevated?.senders, [...path, "elevated", "senders"], checkSender, problems);
  checkContainment(rules, path, problems);
  checkMeaning(rules, path, problems);
}

function checkPattern(text: string): PatternProblem | undefined {
  // A path pattern could match a program that a call wrote.
  const [program = "", ...args] = text.split(" ");
  if (/^[*\s/]+$/.test(text)) {
    return {
      message: `${JSON.stringify(text)} would put every command on the list; leave out \`allow\` and \`security\` to run everything.`,
    };
  }
  if (/^\/?\*/.test(program) && program.includes("/")) {
    const name = program.slice(program.lastIndexOf("/") + 1);
    const message = `${JSON.stringify(text)} would put programs of any folder on the list, including the workspace; write only the name, which is looked up like any command, or the whole path.`;
    return { message, nearest: /^\**$/.test(name) ? undefined : [[name, ...args].join(" ")] };
  }
  const condition = /^(?:command:|[\w-]+\()/.exec(text)?.[0];
  if (condition !== undefined) {
    const message = `${JSON.stringify(text)} is a selector; write only the command pattern.`;
    return { message, nearest: [text.slice(condition.length).replace(/\)$/, "")] };
  }
  const compiled = compileCommandPattern(text);
  return "message" in compiled ? compiled : undefined;
}

function checkBin(text: string): PatternProblem | undefined {
  if (binName.test(text)) return undefined;
  const message = `${JSON.stringify(text)} is not a program name; write only the name, without folder, arguments or *.`;
  const base = text.trim().split("/").at(-1)!;
  return { message, nearest: binName.test(base) ? [base] : undefined };
}

function checkFolder(text: string): PatternProblem | undefined {
  if (isTemporary(text))
    return { message: `${JSON.stringify(text)}: anyone can put a program there, so it cannot be trusted.` };
  if (/^\/[^*?\0]*$/.test(text) && !/\/\.{0,2}(?:\/|$)/.test(text)) return undefined;
  return {
    message: `${JSON.stringify(text)} is not an absolute folder; write the full path, without *, "." and "..", or a / at the end.`,
  };
}

function isTemporary(path: string): boolean {
  return /^\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/.test(path);
}

function checkSender(text: string): PatternProblem | undefined {
  const key = parseSenderKey(text);
  if ("message" in key) return key;
  if (key.kind === "unknown") {
    return {
      message:
        '"unknown" can be anyone, so calls of unknown senders are never elevated; name the permitted senders, or "system" for turns that the host starts.',
    };
  }
  if (key.kind !== "name") return undefined;
  return {
    message: `${JSON.stringify(text)}: anyone can choose a display name; write id:…, phone:… or username:….`,
  };
}

function checkMeaning(rules: ExecRules, path: KeyPath, problems: Problems): void {
  // Rules that apply without containment are meaningful.
  const { security } = resolveExecConfig(rules, true);
  const say = (key: string, message: string) => problems.add([...path, key], { message });
  if (rules.security === "full" && rules.preset === "careful") {
    say(
      "security",
      '"full" contradicts the preset "careful", which admits listed commands only; remove one.',
    );
  } else if (rules.security === "full" && rules.allow !== undefined) {
    say("allow", 'The list has no effect with `security: "full"`, which runs everything; remove one.');
  }
  if (rules.security === "deny") {
    for (const key of ["preset", "allow", "ask"] as const) {
      if (rules[key] === undefined || rules[key] === "off") continue;
      say(key, 'It has no effect with `security: "deny"`, which denies all commands; remove one.');
    }
  }
  if (rules.ask === "on-miss" && security === undefined) {
    say(
      "ask",
      '"on-miss" has no effect without a list in this scope; add `security: "allowlist"`, `allow` or a preset, or write "always".',
    );
  }
  if (security !== "allowlist") {
    for (const key of ["safeBins", "trustedDirs"] as const) {
      if (rules[key] !== undefined)
        say(key, 'It has no effect without a list in this scope; add `security: "allowlist"` or `allow`.');
    }
  }
  if (rules.elevated?.senders?.length === 0 && (rules.elevated.mode ?? "off") !== "off") {
    say(
      "elevated",
      `The list is empty, so "${rules.elevated.mode}" has no effect; add a sender or write "off".`,
    );
  }
}
