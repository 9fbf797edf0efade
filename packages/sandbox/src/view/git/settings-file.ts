import type { HostProgram } from "@haft/workspace/internal/system";
import { runProgram, safePath } from "@haft/workspace/internal/system";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { containmentBroken } from "../../errors.ts";

/** The settings of one file, in the order of the values: names in lower case, as git lists them. */
export type Settings = ReadonlyMap<string, readonly string[]>;

/** What became of a key: its values now, none when it is gone. */
export interface Change {
  key: string;
  values: readonly string[];
}

const LARGEST = 16 * 1024 * 1024;

/** As git writes them: a section, anything between dots, a name. */
const KEY = /^[a-z0-9-]+(?:\..*)?\.[a-z][a-z0-9-]*$/is;

/**
 * What a file sets, by itself: nothing it includes. Git reads it, as nobody else knows all of its grammar.
 *
 * @returns `undefined` when it is no file of settings
 */
export async function readSettings(git: HostProgram, path: string): Promise<Settings | undefined> {
  const { output, failure } = await config(git, path, ["--no-includes", "-z", "--list"]);
  if (failure !== undefined) return undefined;
  const found = new Map<string, string[]>();
  for (const entry of output.split("\0").slice(0, -1)) {
    const [, key = "", value] = /^([^\n]*)(?:\n([^]*))?$/.exec(entry) ?? [];
    // Git lists what stands before the first section, too: it means nothing, and git would not write it.
    if (!KEY.test(key)) continue;
    // One without a value is as good as this.
    found.set(key, [...(found.get(key) ?? []), value ?? "true"]);
  }
  return found;
}

/** The same of a text. @param folder private; several looks may go on in it */
export function readText(git: HostProgram, folder: string, text: Buffer): Promise<Settings | undefined> {
  return withText(folder, text, (path) => readSettings(git, path));
}

/** A text with changes. @param before what it says. @throws Error when git does not write them */
export function changedText(
  git: HostProgram,
  folder: string,
  text: Buffer,
  changes: readonly Change[],
  before: Settings,
): Promise<Buffer> {
  return withText(folder, text, async (path) => {
    await changeSettings(git, path, changes, before);
    return readFileSync(path);
  });
}

async function withText<T>(folder: string, text: Buffer, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, `settings-${randomUUID()}`);
  writeFileSync(path, text, { mode: 0o600 });
  try {
    return await work(path);
  } finally {
    rmSync(path, { force: true });
  }
}

/** What is otherwise in the second. */
export function changesOf(before: Settings, after: Settings): Change[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  const same = (key: string) => sameValues(before.get(key) ?? [], after.get(key) ?? []);
  return [...keys].filter((key) => !same(key)).map((key) => ({ key, values: after.get(key) ?? [] }));
}

/** With changes made. */
export function withChanges(settings: Settings, changes: readonly Change[]): Settings {
  const after = new Map(settings);
  for (const { key, values } of changes) {
    if (values.length > 0) after.set(keyOf(key), values);
    else after.delete(keyOf(key));
  }
  return after;
}

/** As git lists a key that people write with capitals. */
export function keyOf(key: string): string {
  const parts = /^(.*\.)([^.]+)$/s.exec(key);
  return parts === null ? key : parts[1] + parts[2]!.toLowerCase();
}

export function sameValues(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value, at) => value === others[at]);
}

/**
 * Makes changes in a file that nobody else writes to.
 *
 * @throws Error when git does not
 */
export async function changeSettings(
  git: HostProgram,
  path: string,
  changes: readonly Change[],
  before: Settings,
): Promise<void> {
  const run = async (args: readonly string[]) => {
    const { failure } = await config(git, path, args);
    if (failure !== undefined)
      throw containmentBroken(`git does not write its setting ${args[1] ?? ""}: ${failure.message}`, {
        cause: failure,
      });
  };
  for (const { key, values } of changes) {
    const old = before.get(keyOf(key)) ?? [];
    if (old.length === 1 && values.length === 1) {
      await run(["--replace-all", key, values[0]!]);
      continue;
    }
    if (old.length > 0) await run(["--unset-all", key]);
    for (const value of values) await run(["--add", key, value]);
  }
}

function config(git: HostProgram, path: string, args: readonly string[]) {
  const folder = dirname(path);
  return runProgram(git, ["config", "--file", path, ...args], {
    cwd: folder,
    maxBuffer: LARGEST,
    env: {
      PATH: safePath(),
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      // It looks for a repository, and finds none.
      GIT_CEILING_DIRECTORIES: dirname(folder),
    },
  });
}
