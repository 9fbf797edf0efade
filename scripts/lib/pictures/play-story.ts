import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playSteps } from "../terminal-recorder.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { readScreen } from "./read-screen.ts";
import { makeProject, type Story } from "./stories.ts";

/** The home folder in pictures. */
const HOME = "/home/ada";
const PROMPT = "\u001b[32m$\u001b[0m ";

/**
 * Plays and draws a story on a real terminal.
 *
 * @param haft words of the command
 * @throws {Error} if a step lacks the expected text
 */
export async function playStory(story: Story, haft: readonly string[]): Promise<string> {
  const home = makeHome();
  try {
    const project = makeProject(home);
    story.prepare?.(project);
    const program = join(home, "haft");
    writeFileSync(program, `#!/bin/sh\nexec ${haft.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
      mode: 0o755,
    });
    const before = story.before ?? [];
    const played = await playSteps([...before, ...story.steps], {
      cwd: project,
      env: { HOME: home, PATH: `${home}:/usr/bin:/bin`, LANG: "C.UTF-8", TZ: "UTC" },
      cols: story.cols,
    });
    const problems = played.flatMap((step) => step.problems.map((problem) => `${problem}\n${step.shown}`));
    if (problems.length > 0) throw new Error(`${story.name}: ${problems.join("\n")}`);
    const told = played
      .slice(before.length)
      .map(({ raw }) => PROMPT + raw)
      .join("\r\n");
    const lines = await readScreen(sameEverywhere(told, home, story), story.cols);
    return drawTerminal(lines, story);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Line breaks depend on the length, which must match the pictures. */
function makeHome(): string {
  for (;;) {
    const home = `/tmp/${randomBytes(2).toString("hex")}`;
    try {
      mkdirSync(home, { mode: 0o700 });
      return home;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
}

function sameEverywhere(told: string, home: string, { same = [] }: Story): string {
  return same.reduce((text, [found, name]) => text.replaceAll(found, name), told.replaceAll(home, HOME));
}
