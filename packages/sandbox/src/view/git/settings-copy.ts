import { type HostProgram, attempt, makePrivateFolder, readRegularFile } from "@haft/system";
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { findHarmlessKey, isDetectedSetting, createSettingsContext } from "./harmless-settings.ts";
import { type RealSettingsContext, RealSettings, type SettingsSource } from "./real-settings.ts";
import { PushRoutes } from "./routes/push-routes.ts";
import type { SettingsChange, Settings } from "./settings-file.ts";
import { changeSettings, diffSettings, readSettingsFile, sameValues, withChanges } from "./settings-file.ts";
import { readRegularBytes, withGitLock } from "./write/overwrite-settings.ts";
import { readFileState } from "./write/replace-file.ts";

const PREFIX = "The settings of git that commands changed";
/** Git writes keys one by one. */
const MOST_KEYS = 256;
/** Git reads all settings with each command. */
const MOST_BYTES = 256 * 1024;

export class SettingsCopy {
  readonly source: SettingsSource;
  readonly real: RealSettings;
  readonly shared: string;
  readonly #folder: string;
  readonly #git: HostProgram;
  readonly #around: RealSettingsContext;
  #routes: PushRoutes | undefined;
  #seen: Settings = new Map();
  readonly #pending = new Map<string, readonly string[]>();
  #real = "";
  #copy = "";

  constructor(source: SettingsSource, folder: string, around: RealSettingsContext, git: HostProgram) {
    this.source = source;
    this.#folder = folder;
    this.#git = git;
    this.#around = around;
    this.shared = getCopyPath(folder);
    makePrivateFolder(this.shared);
    this.real = new RealSettings(source, folder, around, git);
  }

  async make(): Promise<void> {
    writeFileSync(join(this.#folder, "source.json"), JSON.stringify(this.source), { mode: 0o600 });
    await this.real.begin();
    this.#seen = this.real.settings;
    this.#routes = new PushRoutes(this.source.file, this.#seen, this.#around.addresses);
    await this.#remake();
  }

  /** Other changes are the user's. */
  #learn(written: readonly SettingsChange[] = []): void {
    const changes = diffSettings(withChanges(this.#seen, written), this.real.settings);
    this.#seen = this.real.settings;
    this.#routes?.learn(changes, written, this.#seen);
  }

  async refresh(): Promise<string[]> {
    if (this.real.state === this.#real) return [];
    this.#learn();
    const notices = await this.takeBack();
    if (this.real.state !== this.#real) await this.#remake();
    return notices;
  }

  async takeBack(): Promise<string[]> {
    const state = readFileState(this.#path);
    if (state === this.#copy) return [];
    const text = readRegularBytes(this.#path);
    if (text === undefined) {
      await this.#replaceWhatIsThere();
      return [
        `${PREFIX} are not a file any more, so contained commands have the settings of ${this.source.file} again.`,
      ];
    }
    const path = join(this.#folder, "now");
    writeFileSync(path, text, { mode: 0o600 });
    const now = await readSettingsFile(this.#git, path);
    if (now === undefined) {
      this.#copy = state;
      return [`${PREFIX} cannot be read, so ${this.source.file} is unchanged.`];
    }
    const base = (await readSettingsFile(this.#git, this.#base)) ?? new Map<string, string[]>();
    const { harmless, others } = this.#sorted(diffSettings(base, now), now);
    const why = harmless.length === 0 ? undefined : await this.real.write(harmless);
    if (why === undefined) this.#learn(harmless);
    if (why !== undefined) return [notYet(harmless, this.source.file, why)];
    for (const { key, values } of others) this.#pending.set(key, values);
    const isTooMuch = this.#pending.size > MOST_KEYS;
    if (isTooMuch) this.#pending.clear();
    await this.#remake(state);
    if (isTooMuch)
      return [
        `${PREFIX} were too many, so contained commands have the settings of ${this.source.file} again.`,
      ];
    const pendingKeys = others.filter(({ key }) => this.#pending.has(key)).map(({ key }) => key);
    const elsewhere = pendingKeys.filter(
      (key) => this.#routes?.isRedirect(key, now.get(key) ?? [], now) === true,
    );
    const rest = pendingKeys.filter((key) => !elsewhere.includes(key));
    return [
      ...(rest.length === 0 ? [] : [notBack(rest, this.source.file)]),
      ...(elsewhere.length === 0 ? [] : [notRedirected(elsewhere, this.source.file)]),
    ];
  }

  async #replaceWhatIsThere(): Promise<void> {
    // Not removed, because its content may change.
    attempt(() => renameSync(this.#path, join(this.#folder, `was-${randomUUID()}`)));
    await this.#remake("");
  }

  #sorted(
    changes: readonly SettingsChange[],
    now: Settings,
  ): { harmless: SettingsChange[]; others: SettingsChange[] } {
    const context = createSettingsContext(this.source, this.real.settings, now);
    const harmless: SettingsChange[] = [];
    const others: SettingsChange[] = [];
    let room = MOST_BYTES - this.real.text.length;
    for (const { key, values } of changes) {
      const isElsewhere = this.#routes?.isRedirect(key, values, now) === true;
      const name = isElsewhere ? undefined : findHarmlessKey(key, values, context);
      if (name !== undefined)
        room -= key.length + values.reduce((sum, one) => sum + key.length + one.length, 0);
      const fits = values.length === 0 || (room >= 0 && harmless.length < MOST_KEYS);
      if (name !== undefined && fits) harmless.push({ key: name, values });
      else if (!isDetectedSetting(key)) others.push({ key, values });
    }
    return { harmless, others };
  }

  async #remake(seen = this.#copy): Promise<void> {
    const { state, text, settings } = this.real;
    for (const [key, values] of this.#pending)
      if (sameValues(settings.get(key) ?? [], values)) this.#pending.delete(key);
    const pending = Array.from(this.#pending, ([key, values]) => ({ key, values }));
    const path = join(this.#folder, "next");
    writeFileSync(path, text, { mode: 0o600 });
    await changeSettings(
      this.#git,
      path,
      [...includesFrom(settings, dirname(this.source.file)), ...pending],
      settings,
    );
    const done = await withGitLock(this.#path, () => {
      if (readFileState(this.#path) !== seen && seen !== "") return;
      writeFileSync(`${this.#base}.new`, readFileSync(path), { mode: 0o600 });
      try {
        renameSync(path, this.#path);
      } catch {
        // The next check finds a folder.
        return;
      }
      renameSync(`${this.#base}.new`, this.#base);
      this.#copy = readFileState(this.#path);
    });
    if (done !== undefined) this.#real = state;
  }

  get #path(): string {
    return join(this.shared, "config");
  }

  get #base(): string {
    return join(this.#folder, "base");
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function getCopyPath(folder: string): string {
  return join(folder, "copy");
}

export async function recoverSettings(folder: string, git: HostProgram): Promise<void> {
  const text = attempt(() => readRegularFile(join(folder, "source.json")).toString("utf8"));
  if (text === undefined) return;
  const around = {
    backupFolder: folder,
    isRunning: () => false,
    runExclusive: (work: () => Promise<void>) => work(),
    notify: () => {},
  };
  const copy = new SettingsCopy(JSON.parse(text) as SettingsSource, folder, around, git);
  await copy.real.check();
  await copy.takeBack();
}

function includesFrom(settings: Settings, folder: string): SettingsChange[] {
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
    `Of the settings of git that commands changed, these are not known to be harmless, so they apply only to contained commands of ` +
    `this session, and ${file} is unchanged: ${keys.join(", ")}. A person can set them with git config on the host.`
  );
}

function notRedirected(keys: readonly string[], file: string): string {
  return (
    `Commands changed the address of an existing remote or submodule, or the remote of an existing branch: ${keys.join(", ")}. ` +
    `That applies only to contained commands of this session, and ${file} is unchanged. A person can change it with git config on the host.`
  );
}

function notYet(changes: readonly SettingsChange[], file: string, why: string): string {
  const keys = changes.map(({ key }) => key).join(", ");
  return `These settings of git were not written to ${file} yet: ${keys} (${why}). Haft tries again after the next command.`;
}
