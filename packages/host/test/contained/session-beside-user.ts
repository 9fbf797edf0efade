import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { createHost } from "../../src/host/host.ts";

/** Longer than the steps in which the system counts times, and than the look after a command. */
export const SETTLE_MS = 300;

/** A contained session in a new folder, and the user beside it. */
export async function sessionBesideUser(setUp = "", settings = "", exec: object = {}) {
  const folder = realFolder();
  const [root, home, fired] = [join(folder, "work"), join(folder, "home"), join(folder, "fired")];
  for (const path of [root, home]) mkdirSync(path);
  writeFileSync(join(home, ".gitconfig"), `[user]\n\tname = u\n\temail = u@example.com\n${settings}`);
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" };
  const user = (script: string): string =>
    execFileSync("bash", ["--norc", "-c", `${script}\ntrue`], {
      cwd: root,
      env,
      encoding: "utf8",
      stdio: "pipe",
    });
  user(setUp);
  const warned: string[] = [];
  const open = async () => {
    const host = await createHost({
      workspaceDir: root,
      stateDir: join(folder, "state"),
      boundary: { homeDir: home },
      policy: { exec: { preset: "contained", ...exec } },
      administratorPolicy: false,
      logger: { debug() {}, info() {}, error() {}, warn: (text: string) => void warned.push(text) },
      approver: { ask: async () => ({ decision: "deny" }) },
    });
    return { host, session: await host.openSession() };
  };
  let opened = await open();
  onTestFinished(() => opened.host.close());
  let calls = 0;
  const answers: string[] = [];
  const run = async (command: string): Promise<string> => {
    const answer = await opened.session.call({
      id: `c${++calls}`,
      name: "exec",
      arguments: { command, yieldMs: 60_000 },
    });
    const content = "content" in answer ? answer.content : [];
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    answers.push(text);
    return text;
  };
  const call = async (command: string): Promise<string> => {
    const answer = await run(command);
    // It starts when what the first one left was looked at.
    await run("true");
    await sleep(SETTLE_MS);
    return answer;
  };
  const evil = `printf '#!/bin/sh\\ntouch ${fired}\\n'`;
  return {
    root,
    warned,
    home,
    user,
    call,
    /** Each answer so far, also those of the commands that {@link call} adds. */
    answers,
    /** Another session of the same workspace. */
    async nextSession() {
      await opened.host.close();
      await sleep(SETTLE_MS);
      opened = await open();
      await call("true");
    },
    /** A script that puts a program into the settings and the hooks of a folder of git's. */
    poison: (git: string) =>
      `mkdir -p ${git}/hooks; printf '[core]\\n\\tfsmonitor = touch ${fired};:\\n' >>${git}/config
for hook in pre-commit post-commit post-checkout pre-receive; do ${evil} >${git}/hooks/$hook; chmod +x ${git}/hooks/$hook; done`,
    hook: (file: string) => `mkdir -p $(dirname ${file}); ${evil} >${file}; chmod +x ${file}`,
    /** Does the user's git start the program in one of these folders? */
    fires(...folders: string[]): string[] {
      return folders.filter((at) => {
        user(
          `cd ${at} && { git status; git commit -q --allow-empty -m x; git checkout -q -b b$RANDOM; } >&2`,
        );
        const ran = existsSync(fired);
        rmSync(fired, { force: true });
        return ran;
      });
    },
  };
}
