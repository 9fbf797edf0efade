import type { HostProgram } from "@haft/workspace/internal/system";
import { attempt, makePrivateFolder } from "@haft/workspace/internal/system";
import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { containmentBroken } from "../../errors.ts";
import { harmlessKey, isFoundOut } from "./harmless.ts";
import type { SettingsGround } from "./harmless.ts";
import type { Change, Settings } from "./settings-file.ts";
import { changeSettings, changesOf, readSettings, sameValues } from "./settings-file.ts";
import { readWhole, whileLocked, writeInPlace } from "./write-in-place.ts";

/** Whose settings a copy is of. Plain data: it is kept beside the copy. */
export interface CopySource extends SettingsGround {
  /** The real file. */
  file: string;
}

const GONE = "The settings of git that commands changed";
/** Times that the user's own change may come in between, before nobody else may write meanwhile. */
const TRIES = 3;

/** The settings of one repository as commands see and change them, and what of that comes back. */
export class SettingsCopy {
  readonly source: CopySource;
  /** The folder that commands write to. */
  readonly shared: string;
  readonly #folder: string;
  readonly #git: HostProgram;
  /** What holds in the view only. */
  readonly #pending = new Map<string, readonly string[]>();
  /** The real file and the copy when they last agreed. */
  #real = "";
  #copy = "";

  /** @param folder private, of this copy alone */
  constructor(source: CopySource, folder: string, git: HostProgram) {
    this.source = source;
    this.#folder = folder;
    this.#git = git;
    this.shared = join(folder, "copy");
  }

  /** @throws Error when the settings cannot be read */
  async make(): Promise<void> {
    makePrivateFolder(this.shared);
    writeFileSync(join(this.#folder, "source.json"), JSON.stringify(this.source), { mode: 0o600 });
    await this.#remake();
  }

  /** The user's own changes of the real file get into the copy. Looks at two files when there are none. */
  async refresh(): Promise<string[]> {
    if (stateOf(this.source.file) === this.#real) return [];
    const notices = await this.takeBack();
    if (stateOf(this.source.file) !== this.#real) await this.#remake();
    return notices;
  }

  /**
   * What commands changed gets into the real file, as far as it cannot start anything. Looks at one file when there is nothing.
   *
   * @returns what a person has to know, as sentences
   */
  async takeBack(): Promise<string[]> {
    const state = stateOf(this.#path);
    if (state === this.#copy) return [];
    const text = readWhole(this.#path);
    const base = (await readSettings(this.#git, this.#base)) ?? new Map<string, string[]>();
    const now = text === undefined ? undefined : await this.#read("now", text);
    if (text === undefined) {
      await this.#replaceWhatIsThere();
      return [`${GONE} are no file any more, so contained commands have those of ${this.source.file} again.`];
    }
    if (now === undefined) {
      // A command may still be about to correct it.
      this.#copy = state;
      return [`${GONE} cannot be read: nothing of them got into ${this.source.file}.`];
    }
    const { harmless, others } = this.#sorted(changesOf(base, now));
    const failure = harmless.length === 0 ? undefined : await this.#writeBack(harmless);
    // Tried again after the next command.
    if (failure !== undefined) return [failure];
    for (const { key, values } of others) this.#pending.set(key, values);
    await this.#remake(state);
    const kept = others.filter(({ key }) => this.#pending.has(key)).map(({ key }) => key);
    return kept.length === 0 ? [] : [notBack(kept, this.source.file)];
  }

  async #replaceWhatIsThere(): Promise<void> {
    // Not removed: what is in there may be changing under whoever looks.
    attempt(() => renameSync(this.#path, join(this.#folder, `was-${randomUUID()}`)));
    await this.#remake("");
  }

  #sorted(changes: readonly Change[]): { harmless: Change[]; others: Change[] } {
    const harmless: Change[] = [];
    const others: Change[] = [];
    for (const { key, values } of changes) {
      const name = harmlessKey(key, values, this.source);
      if (name !== undefined) harmless.push({ key: name, values });
      else if (!isFoundOut(key)) others.push({ key, values });
    }
    return { harmless, others };
  }

  /** Returns why not, as a sentence. */
  async #writeBack(changes: readonly Change[]): Promise<string | undefined> {
    const { file } = this.source;
    try {
      for (let tried = 0; tried < TRIES; tried++) {
        const made = await this.#withChanges(changes);
        if (made === undefined) return undefined;
        // Locked for no longer than it takes to write: git does not wait for a lock.
        const done = await whileLocked(file, () => writeInPlace(file, made.from, made.to));
        if (done === undefined) return notYet(changes, file, `somebody keeps ${file}.lock`);
        if (done.value) return undefined;
      }
      const done = await whileLocked(file, async () => {
        const made = await this.#withChanges(changes);
        return made === undefined || writeInPlace(file, made.from, made.to);
      });
      return done?.value === true ? undefined : notYet(changes, file, "others keep changing it");
    } catch (thrown) {
      return notYet(changes, file, (thrown as Error).message);
    }
  }

  /** What the real file holds and what it is to hold; `undefined` when that is the same. */
  async #withChanges(changes: readonly Change[]): Promise<{ from: Buffer; to: Buffer } | undefined> {
    const from = readWhole(this.source.file);
    const before = from === undefined ? undefined : await this.#read("real", from);
    if (from === undefined || before === undefined) throw new Error("it cannot be read");
    const needed = changes.filter(({ key, values }) => !sameValues(valuesOf(before, key), values));
    if (needed.length === 0) return undefined;
    const path = join(this.#folder, "real");
    const byKey = new Map(needed.map(({ key }) => [key, valuesOf(before, key)]));
    await changeSettings(this.#git, path, needed, byKey);
    return { from, to: readFileSync(path) };
  }

  /**
   * The copy says what the real file says, and what holds in the view only.
   *
   * @param seen what the copy was when it was last looked at; when it is otherwise by now, it stays
   */
  async #remake(seen = this.#copy): Promise<void> {
    const { file } = this.source;
    const state = stateOf(file);
    const text = readWhole(file);
    const real = text === undefined ? undefined : await this.#read("next", text);
    if (real === undefined)
      throw containmentBroken(`the settings ${file} cannot be read, so commands would have none`);
    for (const [key, values] of this.#pending)
      if (sameValues(real.get(key) ?? [], values)) this.#pending.delete(key);
    const pending = Array.from(this.#pending, ([key, values]) => ({ key, values }));
    const path = join(this.#folder, "next");
    const changes = [...includesFrom(real, dirname(file)), ...pending];
    await changeSettings(this.#git, path, changes, real);
    const done = await whileLocked(this.#path, () => {
      if (stateOf(this.#path) !== seen && seen !== "") return;
      writeFileSync(`${this.#base}.new`, readFileSync(path), { mode: 0o600 });
      try {
        renameSync(path, this.#path);
      } catch {
        // What commands have put there since may be a folder: the next look finds that.
        return;
      }
      renameSync(`${this.#base}.new`, this.#base);
      this.#copy = stateOf(this.#path);
    });
    if (done !== undefined) this.#real = state;
  }

  async #read(name: string, text: Buffer): Promise<Settings | undefined> {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return readSettings(this.#git, path);
  }

  get #path(): string {
    return join(this.shared, "config");
  }

  /** What the copy held when it was made. */
  get #base(): string {
    return join(this.#folder, "base");
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Of a copy that another program left behind. */
export async function takeBackLeft(folder: string, git: HostProgram): Promise<void> {
  const text = attempt(() => readFileSync(join(folder, "source.json"), "utf8"));
  if (text === undefined) return;
  await new SettingsCopy(JSON.parse(text) as CopySource, folder, git).takeBack();
}

/** Tells one content of a file from others; of what is not there, too. */
export function stateOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined
    ? "none"
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

function valuesOf(settings: Settings, key: string): readonly string[] {
  const parts = /^(.*\.)([^.]+)$/s.exec(key);
  return settings.get(parts === null ? key : parts[1] + parts[2]!.toLowerCase()) ?? [];
}

/** Files beside the real one are elsewhere as seen from the copy. */
function includesFrom(settings: Settings, folder: string): Change[] {
  const isInclude = (key: string) => key === "include.path" || /^includeif\..*\.path$/s.test(key);
  return Array.from(settings)
    .filter(([key]) => isInclude(key))
    .map(([key, values]) => ({ key, values: values.map((path) => fromAnywhere(path, folder)) }))
    .filter(({ key, values }) => !sameValues(values, settings.get(key)!));
}

function fromAnywhere(path: string, folder: string): string {
  return isAbsolute(path) || /^(?:~|%\()/.test(path) ? path : resolve(folder, path);
}

function notBack(keys: readonly string[], file: string): string {
  return (
    `Of the settings of git that commands changed, these are not known to be harmless, so they hold for contained commands only ` +
    `and did not get into ${file}: ${keys.join(", ")}. A person can set them with git config on the host.`
  );
}

function notYet(changes: readonly Change[], file: string, why: string): string {
  const keys = changes.map(({ key }) => key).join(", ");
  return `These settings of git did not get into ${file} yet: ${keys} (${why}). It is tried again after the next command.`;
}
