import { attempt, type HostProgram, makePrivateFolder } from "@haft/system";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containmentBrokenError } from "../../errors.ts";
import { createSettingsContext, findHarmlessKey, type SettingsContext } from "./harmless-settings.ts";
import { isCommonFolder } from "./repository.ts";
import type { KnownAddresses } from "./routes/known-addresses.ts";
import { isGitRedirect } from "./routes/redirects.ts";
import type { SettingsChange, Settings } from "./settings-file.ts";
import {
  applyChangesToText,
  diffSettings,
  normalizeSettingKey,
  readSettingsText,
  sameValues,
  withChanges,
} from "./settings-file.ts";
import { readRegularBytes, withGitLock, overwriteSettings } from "./write/overwrite-settings.ts";
import { replaceSettingsFile, readFileState } from "./write/replace-file.ts";

export interface SettingsSource extends SettingsContext {
  file: string;
}

export interface RealSettingsContext {
  backupFolder: string;
  isRunning: () => boolean;
  /** Pauses the view's processes, and ends their access to the file. */
  runExclusive: (work: () => Promise<void>) => Promise<void>;
  notify: (notice: string) => void;
  addresses?: KnownAddresses;
}

/** Without text: no file. Without settings: unreadable for git. */
interface Found {
  state: string;
  text?: Buffer | undefined;
  settings?: Settings | undefined;
}

const TRIES = 5;
/** An editor may still write. */
const QUIET_MS = 100;
/** Older locks are ignored: git holds them only while it writes. */
const LOCKED_MS = 500;
const NO_BRANCHES: ReadonlySet<string> = new Set();

/** A link covers the file during commands, until the user replaces it. Writers before the remount are unknown: harmless changes stay. */
export class RealSettings {
  readonly #source: SettingsSource;
  readonly #folder: string;
  readonly #around: RealSettingsContext;
  readonly #git: HostProgram;
  #known: Required<Found> | undefined;
  readonly #struck: { text: Buffer; before: Settings }[] = [];

  constructor(source: SettingsSource, folder: string, around: RealSettingsContext, git: HostProgram) {
    this.#source = source;
    this.#folder = folder;
    this.#around = around;
    this.#git = git;
  }

  get state(): string {
    return this.#known?.state ?? "";
  }

  get text(): Buffer {
    return this.#known?.text ?? Buffer.alloc(0);
  }

  get settings(): Settings {
    return this.#known?.settings ?? new Map<string, string[]>();
  }

  /** Commands could not change the content, or their changes were removed. */
  async begin(): Promise<void> {
    await this.#trust();
  }

  /** Trusts the content if no command runs; otherwise reverts harmful changes and stores a backup. */
  async check(): Promise<void> {
    if (this.#struck.length > 0) await this.#around.runExclusive(() => this.#sortOut());
    if (readFileState(this.#source.file) === this.state) return;
    await (this.#around.isRunning() ? this.#check() : this.#trust());
  }

  /** Reverts at once unless the text alone is harmless. Returns true if it reverted. */
  revert(): boolean {
    const { file } = this.#source;
    if (this.#known === undefined || !this.#around.isRunning() || readFileState(file) === this.state)
      return false;
    const text = readRegularBytes(file);
    if (text === undefined || !isDoubtful(text.toString(), this.text.toString())) return false;
    // In place, so that a concurrent change stays.
    const written = attempt(() => overwriteSettings(file, text, this.text));
    if (written === undefined) return false;
    this.#struck.push({ text, before: this.settings });
    this.#known = { ...this.#known, state: written.state };
    return true;
  }

  /** Restores the harmless part, unless the user changed the same keys. */
  async #sortOut(): Promise<void> {
    for (const { text, before } of this.#struck.splice(0)) {
      const now = await readSettingsText(this.#git, text);
      const wrong = now === undefined ? [] : this.#wrongOf(before, now);
      const harmless = now === undefined ? [] : this.#harmlessOf(before, now);
      const changes = harmless.filter(({ key }) =>
        sameValues(
          this.settings.get(normalizeSettingKey(key)) ?? [],
          before.get(normalizeSettingKey(key)) ?? [],
        ),
      );
      let isThere = false;
      for (let tried = 0; tried < TRIES && !isThere; tried++) {
        if (readFileState(this.#source.file) !== this.state) await this.#check();
        isThere = await this.#replace((await this.#with(changes)) ?? this.#now, this.state);
      }
      if (!isThere || now === undefined || wrong.length > 0) this.#report(wrong, text);
    }
  }

  async #trust(): Promise<void> {
    for (let tried = 0; tried < TRIES; tried++) {
      const { state, text, settings } = await this.#read();
      if (text !== undefined && settings !== undefined) {
        this.#known = { state, text, settings };
        return;
      }
      await sleep(QUIET_MS / TRIES);
    }
    throw containmentBrokenError(
      `the settings ${this.#source.file} cannot be read, so commands would have no settings`,
    );
  }

  async #check(): Promise<void> {
    let quiet = "";
    // The user may change it again.
    for (let tried = 0; tried < 2 * TRIES; tried++) {
      if (readFileState(this.#source.file) === this.state) return;
      const found = await this.#read();
      const wrong = this.#wrongIn(found);
      if (wrong === undefined) return;
      if (!wrong.isNew && quiet !== found.state) {
        quiet = found.state;
        await sleep(QUIET_MS);
      } else await this.#around.runExclusive(() => this.#putBack());
    }
    this.#around.notify(`${this.#source.file} keeps changing, and may contain changes of commands.`);
  }

  /** In place, so that the link stays mounted. Returns the reason of a failure. */
  async write(changes: readonly SettingsChange[]): Promise<string | undefined> {
    const { file } = this.#source;
    try {
      for (let tried = 0; tried < TRIES; tried++) {
        await this.check();
        const next = await this.#with(changes);
        if (next === undefined) return undefined;
        // Briefly, because git does not wait for locks.
        const done = await withGitLock(file, () => this.#writeNow(next));
        if (done === undefined) return `another program holds ${file}.lock`;
        if (done.value) return undefined;
      }
      const done = await withGitLock(file, async () => {
        if (readFileState(file) !== this.state && this.#wrongIn(await this.#read()) !== undefined)
          return false;
        const next = await this.#with(changes);
        return next === undefined || this.#writeNow(next);
      });
      return done?.value === true ? undefined : "other programs keep changing it";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  #writeNow(next: Written): boolean {
    const { file } = this.#source;
    const written =
      readFileState(file) === this.state ? overwriteSettings(file, this.text, next.text) : undefined;
    if (written === undefined) return false;
    this.#known = { ...next, state: written.state };
    return true;
  }

  async #read(): Promise<Found> {
    const state = readFileState(this.#source.file);
    const text = readRegularBytes(this.#source.file);
    if (text === undefined) return { state };
    return { state, text, settings: await readSettingsText(this.#git, text) };
  }

  #wrongIn({ state, text, settings }: Found): { changes: SettingsChange[]; isNew: boolean } | undefined {
    if (text === undefined || settings === undefined)
      return isCommonFolder(dirname(this.#source.file)) ? { changes: [], isNew: false } : undefined;
    const wrong = this.#wrongOf(this.settings, settings);
    if (wrong.length === 0) this.#known = { state, text, settings };
    const isNew = wrong.some(({ values }) => values.length > 0);
    return wrong.length === 0 ? undefined : { changes: wrong, isNew };
  }

  #wrongOf(before: Settings, now: Settings): SettingsChange[] {
    const harmless = new Set(this.#harmlessOf(before, now).map(({ key }) => normalizeSettingKey(key)));
    return diffSettings(before, now).filter(({ key }) => !harmless.has(key));
  }

  #harmlessOf(before: Settings, now: Settings): SettingsChange[] {
    const context = createSettingsContext(this.#source, before, now);
    return diffSettings(before, now).flatMap(({ key, values }) => {
      const isElsewhere = isGitRedirect(key, values, { had: before, branches: NO_BRANCHES }, now);
      const name = isElsewhere ? undefined : findHarmlessKey(key, values, context);
      return name === undefined ? [] : [{ key: name, values }];
    });
  }

  /** Replaces the file, because a command may have it open. */
  async #putBack(): Promise<void> {
    const found = await this.#read();
    const wrong = this.#wrongIn(found);
    if (wrong === undefined) return;
    const harmless = this.#harmlessOf(this.settings, found.settings ?? this.settings);
    if (await this.#replace((await this.#with(harmless)) ?? this.#now, found.state))
      this.#report(wrong.changes, found.text);
  }

  /** Detaches open files. @param state expected; otherwise nothing changes */
  async #replace(next: Written, state: string): Promise<boolean> {
    const { file } = this.#source;
    const work = (): boolean => {
      if (readFileState(file) !== state) return false;
      this.#known = { ...next, state: replaceSettingsFile(file, next.text) };
      return true;
    };
    return (await withGitLock(file, work, LOCKED_MS))?.value === true;
  }

  get #now(): Written {
    return { text: this.text, settings: this.settings };
  }

  #report(changes: readonly SettingsChange[], text: Buffer | undefined): void {
    const { backupFolder: folder, notify } = this.#around;
    const backup = join(folder, `config-${randomUUID()}`);
    makePrivateFolder(folder);
    if (text !== undefined) writeFileSync(backup, text, { mode: 0o600 });
    const what =
      changes.length > 0 ? changes.map(({ key }) => key).join(", ") : "content that git cannot read";
    const where = text === undefined ? "" : ` A backup of the file is in ${backup}.`;
    notify(
      `Held back: ${what} was added to ${this.#source.file} or removed from it while commands ran. The writer is unknown, and it is not ` +
        `known to be harmless, so the change was reverted.${where} A person can change it again with git config when no command runs.`,
    );
  }

  async #with(changes: readonly SettingsChange[]): Promise<Written | undefined> {
    const needed = changes.filter(
      ({ key, values }) => !sameValues(this.settings.get(normalizeSettingKey(key)) ?? [], values),
    );
    if (needed.length === 0) return undefined;
    const text = await applyChangesToText(this.#git, this.#folder, this.text, needed, this.settings);
    return { text, settings: withChanges(this.settings, needed) };
  }
}

/** Lines of usual settings; their values are checked later. */
const USUAL =
  /^\s*(?:\[(?:user|branch|remote|advice|push|pull|fetch|submodule)\b[^\]]*\]|(?:name|email|remote|merge|url|fetch|description|active|rebase|default)\s*=.*|[#;].*)?\s*$/i;

function isDoubtful(text: string, before: string): boolean {
  const lines = new Set(before.split("\n"));
  return text.split("\n").some((line) => !lines.has(line) && !USUAL.test(line));
}

interface Written {
  text: Buffer;
  settings: Settings;
}
