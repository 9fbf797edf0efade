import type { HostProgram } from "@haft/workspace/internal/system";
import { attempt, findHostProgram, makePrivateFolder } from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingsOf } from "./git-places.ts";
import { harmlessKey, type SettingsGround } from "./harmless.ts";
import { stateOf } from "./settings-copy.ts";
import { changeSettings, changesOf, readSettings, type Settings } from "./settings-file.ts";
import { watchEach } from "./watch-each.ts";
import { readWhole, whileLocked, writeInPlace } from "./write-in-place.ts";

/** The real settings of repositories, while commands run that could get at them for a moment. */
export interface SettingsGuard {
  /** Nothing runs: what is there is the user's. Looks at one file each when nothing changed. */
  trust(): Promise<void>;
  /**
   * Something runs, or ran until now. When the user replaced settings meanwhile, what hid them came off, and was put back a moment
   * later: who wrote then cannot be told. So what can start programs, and was not there before, is taken out and kept.
   *
   * @returns what a person has to know, as sentences
   */
  check(): Promise<string[]>;
  close(): void;
}

interface Guarded extends SettingsGround {
  file: string;
  state: string;
  known: Settings;
}

/** Times that a change of others is seen to have come in between. */
const TRIES = 5;

/**
 * @param repositories shared folders of repositories
 * @param options.folder private: what is taken out is kept there
 * @param options.found told at once, with what {@link SettingsGuard.check} would answer, while something runs
 */
export async function guardSettings(
  repositories: readonly string[],
  options: {
    roots: readonly string[];
    folder: string;
    isRunning: () => boolean;
    found: (notices: string[]) => void;
  },
): Promise<SettingsGuard> {
  const { roots, folder, isRunning, found } = options;
  const git = findHostProgram("git").program;
  const places = repositories.map((common) => ({ common, top: undefined, gitFiles: [] }));
  const all: Guarded[] =
    git === undefined
      ? []
      : places.map((place) => ({
          file: settingsOf(place),
          top: dirname(place.common),
          roots,
          state: "",
          known: new Map(),
        }));
  makePrivateFolder(folder);
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };
  const trust = () => next(async () => void (await Promise.all(all.map((one) => learn(one, git!, folder)))));
  const check = () =>
    next(async () => (await Promise.all(all.map((one) => takeOut(one, git!, folder)))).flat());
  const watchers = watchEach(repositories, (name) => {
    if (name === "config" && isRunning()) check().then(found, () => {});
  });
  await trust();
  return { trust, check, close: () => watchers.forEach((one) => one.close()) };
}

async function learn(one: Guarded, git: HostProgram, folder: string): Promise<void> {
  const state = stateOf(one.file);
  if (state === one.state) return;
  const text = readWhole(one.file);
  const known = text && (await read(git, folder, text));
  // What cannot be read starts nothing: git refuses it.
  if (known !== undefined) Object.assign(one, { known, state });
}

async function takeOut(one: Guarded, git: HostProgram, folder: string): Promise<string[]> {
  for (let tried = 0; tried < TRIES; tried++) {
    const state = stateOf(one.file);
    if (state === one.state) return [];
    const from = readWhole(one.file);
    const now = from && (await read(git, folder, from));
    if (from === undefined || now === undefined) return [];
    const starting = changesOf(one.known, now).filter(
      ({ key, values }) => values.length > 0 && harmlessKey(key, values, one) === undefined,
    );
    if (starting.length === 0) {
      Object.assign(one, { known: now, state });
      return [];
    }
    const path = join(folder, `config-${randomBytes(4).toString("hex")}`);
    writeFileSync(path, from, { mode: 0o600 });
    const back = starting.map(({ key }) => ({ key, values: one.known.get(key) ?? [] }));
    await changeSettings(git, path, back, now);
    const to = readFileSync(path);
    const done = await whileLocked(one.file, () => writeInPlace(one.file, from, to));
    if (done?.value !== true) {
      rmSync(path, { force: true });
      continue;
    }
    writeFileSync(path, from, { mode: 0o600 });
    await learn(one, git, folder);
    const keys = starting.map(({ key }) => key).join(", ");
    return [
      `Held back: ${keys} came into ${one.file} while commands ran and the file was replaced on the host. Who wrote that cannot be ` +
        `told, and it is not known to be harmless, so it was taken out. The file as it was is kept as ${path}; a person can set it again with git config.`,
    ];
  }
  return [
    `${one.file} keeps changing while commands run, so it was not looked at for what can start programs.`,
  ];
}

async function read(git: HostProgram, folder: string, text: Buffer): Promise<Settings | undefined> {
  const path = join(folder, `read-${randomBytes(4).toString("hex")}`);
  writeFileSync(path, text, { mode: 0o600 });
  try {
    return await readSettings(git, path);
  } finally {
    attempt(() => rmSync(path));
  }
}
