import type { Processes } from "@haft/core";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutEditor } from "../../src/run/environment/without-editor.ts";
import { type Site, run, session, sharedSessions, until, readAll } from "./support.ts";

const SENTENCE = "no editor here: use -m, -F or --no-edit";
/** It would be waited for in vain. */
const WAITS = "sleep 681";

const OPTIONS = { startedBy: "host", spareShell: false } as const;
const share = sharedSessions();

function repository(site: Pick<Site, "root"> & { processes: Processes } = share(OPTIONS)) {
  const home = realpathSync(mkdtempSync(join(site.root, "home-")));
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", site.root, ...args], { env: { PATH: process.env["PATH"], HOME: home } });
  git("init", "-q");
  git("config", "user.name", "x");
  git("config", "user.email", "x@x.invalid");
  git("commit", "-q", "--allow-empty", "-m", "one");
  git("commit", "-q", "--allow-empty", "-m", "two");
  return { ...site, git };
}

test.each([
  ["commit", "git commit --allow-empty"],
  ["amend", "git commit --amend --allow-empty"],
  ["tag", "git tag -a v1"],
  ["rebase", "git rebase -i --root"],
  ["a program that takes EDITOR from a shell", 'eval "$EDITOR file"'],
  ["a program that splits EDITOR", "$EDITOR file"],
])("fails at once: %s", async (_name, script) => {
  const { processes, git } = repository();
  git("config", "core.editor", WAITS);
  git("config", "sequence.editor", WAITS);
  const { exitCode, text } = await run(processes, { script, shell: "bash" });
  expect(exitCode).not.toBe(0);
  if (!script.startsWith("$EDITOR")) expect(text).toContain(SENTENCE);
});

test.each([
  "EDITOR=true git commit --amend --allow-empty -q",
  "VISUAL=true git commit --amend --allow-empty -q",
  "GIT_EDITOR=true git commit --amend --allow-empty -q",
  "export GIT_EDITOR=: && git commit --amend --allow-empty -q",
  "git -c core.editor=true commit --amend --allow-empty -q",
  "git -c core.editor=true rebase -q -i --root",
  "git -c sequence.editor=true rebase -q -i --root",
  "GIT_EDITOR=true git rebase -q -i --root",
  "GIT_SEQUENCE_EDITOR=: git rebase -q -i --root",
  "EDITOR=true git rebase -q -i --root",
  `EDITOR='printf "%s\\n" words >' git commit --allow-empty -q && git log -1 --format=%s | grep -x words`,
  "git commit --allow-empty -q -m message",
  "git commit --amend --allow-empty -q --no-edit",
])("uses an editor that the command names: %s", async (script) => {
  const { processes, git } = repository();
  git("config", "core.editor", WAITS);
  git("config", "sequence.editor", WAITS);
  expect(await run(processes, { script, shell: "bash" })).toMatchObject({ exitCode: 0 });
});

test("uses an editor that the operator sets, not an inherited editor", async () => {
  const set = repository(session({ ...OPTIONS, environment: { set: { EDITOR: "true" } } }));
  const script = "git commit --amend --allow-empty -q";
  expect(await run(set.processes, { script })).toMatchObject({ exitCode: 0 });
  const from = { PATH: process.env["PATH"], EDITOR: WAITS, VISUAL: WAITS, TERM: "xterm" };
  const inherited = repository(session({ ...OPTIONS, environment: { from, inherit: ["EDITOR", "VISUAL"] } }));
  expect((await run(inherited.processes, { script })).text).toContain(SENTENCE);
});

test("uses the user's editor on a terminal", async () => {
  const { processes, git } = repository();
  git("config", "core.editor", "echo mine; false");
  const script = 'echo "$TERM ${EDITOR-none}"; git commit --amend --allow-empty';
  const { id } = await processes.start("terminal", { script, shell: "bash", pty: { cols: 80, rows: 24 } });
  await until("it has ended", async () => (await processes.info(id))?.state === "exited");
  const { stdout } = await readAll(processes, id);
  expect(stdout.toString()).toMatch(/^xterm-256color none\r\n/);
  expect(stdout.toString()).toContain("mine");
});

test("keeps the operator's settings for git", () => {
  const env = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" };
  expect(withoutEditor(env)).toMatchObject({ ...env, GIT_CONFIG_COUNT: "3", TERM: "dumb" });
});
