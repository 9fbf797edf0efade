import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Terminals } from "./terminals.ts";

/** A typed command with expected output. */
export interface Step {
  /** The purpose in a few words. */
  title: string;
  /** Typed text, with Enter after each line; a function gets the previous output. */
  type: string | ((before: string) => string);
  /** Answers in order: a text to type after an expected text. */
  answers?: readonly (readonly [when: RegExp, text: string])[];
  /** Default 0. */
  exit?: number;
  shows?: readonly RegExp[];
  hides?: readonly RegExp[];
}

export interface Played {
  step: Step;
  exit: number | undefined;
  shown: string;
  /** Output with colours and control sequences. */
  raw: string;
  problems: string[];
}

/** Matches a prompt's hidden mark with the last exit code. */
// oxlint-disable-next-line no-control-regex -- of a terminal
const END = /\u001b\]777;(\d+)\u0007/;
const PROMPT = "$ ";
/** Matches the mark before a ready prompt. */
// oxlint-disable-next-line no-control-regex -- of a terminal
const READY = /\u001b\]777;(\d+)\u0007[^\u0007]*\$ $/;
/** Longer steps hang. */
const LIMIT_MS = 5 * 60_000;
const READ_MS = 1_000;

/**
 * Plays and records steps in one bash.
 *
 * @param options.transcript file for the record, if any
 * @param options.hidden replacements for texts that differ between machines
 * @param options.cols default 110
 */
export async function playSteps(
  steps: readonly Step[],
  options: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    transcript?: string;
    hidden?: ReadonlyMap<string, string>;
    cols?: number;
  },
): Promise<Played[]> {
  const { cwd, env, transcript, hidden = new Map<string, string>(), cols = 110 } = options;
  const all = new Terminals(cwd);
  const set = Object.entries({ ...env, PS1: PROMPT, PS2: "> ", TERM: "xterm-256color" });
  const argv = [
    "/usr/bin/env",
    "-i",
    ...set.map(([name, value]) => `${name}=${value}`),
    `PROMPT_COMMAND=printf '\\033]777;%s\\007' $?`,
    "/bin/bash",
    "--norc",
    "--noprofile",
    "-i",
  ];
  let record = "";
  const played: Played[] = [];
  try {
    const { id } = await all.start("terminal", { argv, pty: { cols, rows: 40 }, stdin: "open" });
    let from = 0;
    let screen = "";
    const until = async (wanted: RegExp): Promise<boolean> => {
      const end = Date.now() + LIMIT_MS;
      while (!wanted.test(screen) && !wanted.test(toReadable(screen))) {
        if (Date.now() > end) return false;
        const { chunks, next, state } = await all.read(id, from, { waitMs: READ_MS });
        from = next;
        for (const { bytes } of chunks) screen += Buffer.from(bytes).toString();
        if (state !== "running" && chunks.length === 0) return wanted.test(screen);
      }
      return true;
    };
    const typed = (text: string) => all.write(id, Buffer.from(text));
    await until(READY);
    let before = "";
    for (const step of steps) {
      const line = typeof step.type === "string" ? step.type : step.type(before);
      screen = "";
      await typed(`${line}\n`);
      const problems: string[] = [];
      let asked = "";
      for (const [when, text] of step.answers ?? []) {
        if (!(await until(when))) problems.push(`it never asked ${String(when)}`);
        asked += screen;
        screen = "";
        await typed(text);
      }
      // Each typed line has a prompt, but only the last ends a command.
      if (!(await until(READY))) problems.push("it did not end");
      const exit = Number(END.exec(screen)?.[1]);
      before = asked + screen.slice(0, END.exec(screen)?.index);
      const shown = toReadable(before);
      if (exit !== (step.exit ?? 0)) problems.push(`exit code ${exit} instead of ${step.exit ?? 0}`);
      for (const wanted of step.shows ?? [])
        if (!wanted.test(shown)) problems.push(`does not show ${String(wanted)}`);
      for (const wrong of step.hides ?? []) if (wrong.test(shown)) problems.push(`shows ${String(wrong)}`);
      record += `# ${step.title}\n${PROMPT}${shown.trimEnd()}\n${problems.map((problem) => `!! ${problem}\n`).join("")}\n`;
      played.push({ step, exit, shown, raw: before, problems });
      // Later steps depend on it.
      if (problems.length > 0) break;
    }
    await all.kill(id);
  } finally {
    await all.close();
    for (const [text, name] of hidden) record = record.replaceAll(text, name);
    if (transcript !== undefined) {
      mkdirSync(dirname(transcript), { recursive: true });
      writeFileSync(transcript, record);
    }
  }
  return played;
}

/** Returns visible text, without colours and deleted lines. */
export function toReadable(output: string): string {
  // oxlint-disable no-control-regex -- of a terminal
  return output
    .replaceAll("\r\n", "\n")
    .replaceAll(/\u001b\][^\u0007]*\u0007/g, "")
    .replaceAll(/[^\n]*\r\u001b\[K/g, "")
    .replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replaceAll(/[^\n]*\r(?=[^\n])/g, "")
    .replaceAll("\r", "");
  // oxlint-enable no-control-regex
}
