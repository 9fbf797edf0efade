import { type HostProgram, runProgram, safePath } from "@haft/system";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { containmentBrokenError } from "../../errors.ts";

/** In lower case, as git lists them; values in order. */
export type Settings = ReadonlyMap<string, readonly string[]>;

/** No values: removed. */
export interface SettingsChange {
  key: string;
  values: readonly string[];
}

const LARGEST = 16 * 1024 * 1024;
const LIST = ["--no-includes", "-z", "--list"];

const KEY = /^[a-z0-9-]+(?:\..*)?\.[a-z][a-z0-9-]*$/is;

/** Without includes. `undefined` if invalid. Only git knows its grammar. */
export async function readSettingsFile(git: HostProgram, path: string): Promise<Settings | undefined> {
  return settingsIn(await config(git, path, LIST));
}

/** Each text is read twice per view, and again by the next session. */
const recent = new Map<string, Promise<Settings | undefined>>();
const MOST_RECENT = 16;
const LARGEST_RECENT = 64 * 1024;

export function readSettingsText(git: HostProgram, text: Buffer): Promise<Settings | undefined> {
  const read = () => config(git, "-", LIST, text).then(settingsIn);
  if (text.length > LARGEST_RECENT) return read();
  const key = `${git.path}\0${text.toString("latin1")}`;
  const known = recent.get(key);
  if (known !== undefined) return known;
  const reading = read();
  recent.set(key, reading);
  const [oldest] = recent.keys();
  if (recent.size > MOST_RECENT) recent.delete(oldest!);
  const forget = (): unknown => recent.get(key) === reading && recent.delete(key);
  reading.then((settings) => settings ?? forget(), forget);
  return reading;
}

function settingsIn({ output, failure }: Awaited<ReturnType<typeof config>>): Settings | undefined {
  if (failure !== undefined) return undefined;
  const found = new Map<string, string[]>();
  for (const entry of output.split("\0").slice(0, -1)) {
    const [, key = "", value] = /^([^\n]*)(?:\n([^]*))?$/.exec(entry) ?? [];
    // Lines before the first section have no effect.
    if (!KEY.test(key)) continue;
    // Without a value, it is true.
    found.set(key, [...(found.get(key) ?? []), value ?? "true"]);
  }
  return found;
}

/** @param folder private; may be used concurrently @param before settings of the text @throws Error if git does not write them */
export async function applyChangesToText(
  git: HostProgram,
  folder: string,
  text: Buffer,
  changes: readonly SettingsChange[],
  before: Settings,
): Promise<Buffer> {
  const path = join(folder, `settings-${randomUUID()}`);
  writeFileSync(path, text, { mode: 0o600 });
  try {
    await changeSettings(git, path, changes, before);
    return readFileSync(path);
  } finally {
    rmSync(path, { force: true });
  }
}

export function diffSettings(before: Settings, after: Settings): SettingsChange[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  const same = (key: string) => sameValues(before.get(key) ?? [], after.get(key) ?? []);
  return [...keys].filter((key) => !same(key)).map((key) => ({ key, values: after.get(key) ?? [] }));
}

export function withChanges(settings: Settings, changes: readonly SettingsChange[]): Settings {
  const after = new Map(settings);
  for (const { key, values } of changes) {
    if (values.length > 0) after.set(normalizeSettingKey(key), values);
    else after.delete(normalizeSettingKey(key));
  }
  return after;
}

export function normalizeSettingKey(key: string): string {
  const parts = /^(.*\.)([^.]+)$/s.exec(key);
  return parts === null ? key : parts[1] + parts[2]!.toLowerCase();
}

export function sameValues(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value, at) => value === others[at]);
}

/** The file must have no other writer. Throws if git fails. */
export async function changeSettings(
  git: HostProgram,
  path: string,
  changes: readonly SettingsChange[],
  before: Settings,
): Promise<void> {
  const run = async (args: readonly string[]) => {
    const { failure } = await config(git, path, args);
    if (failure !== undefined)
      throw containmentBrokenError(`git cannot write the setting ${args[1] ?? ""}: ${failure.message}`, {
        cause: failure,
      });
  };
  for (const { key, values } of changes) {
    const old = before.get(normalizeSettingKey(key)) ?? [];
    if (old.length === 1 && values.length === 1) {
      await run(["--replace-all", key, values[0]!]);
      continue;
    }
    if (old.length > 0) await run(["--unset-all", key]);
    for (const value of values) await run(["--add", key, value]);
  }
}

function config(git: HostProgram, path: string, args: readonly string[], input?: Buffer) {
  const folder = input === undefined ? dirname(path) : "/";
  return runProgram(git, ["config", "--file", path, ...args], {
    cwd: folder,
    input,
    maxBuffer: LARGEST,
    env: {
      PATH: safePath(),
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      // Hides repositories.
      GIT_CEILING_DIRECTORIES: dirname(folder),
    },
  });
}
