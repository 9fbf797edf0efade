import { dirname } from "node:path";
import {
  type SettingsChange,
  normalizeSettingKey,
  sameValues,
  type Settings,
  withChanges,
} from "../settings-file.ts";
import type { KnownAddresses } from "./known-addresses.ts";
import { isAddress, isGitRedirect, listBranches } from "./redirects.ts";

export class PushRoutes {
  readonly #file: string;
  readonly #addresses: KnownAddresses | undefined;
  readonly #branches: ReadonlySet<string> | undefined;
  #had: Settings;
  readonly #added: Map<string, readonly string[]>;

  constructor(file: string, settings: Settings, addresses: KnownAddresses | undefined) {
    this.#file = file;
    this.#addresses = addresses;
    this.#branches = listBranches(dirname(file));
    const { removed, added } = addresses?.listFor(file) ?? { removed: new Map(), added: new Map() };
    const isAdded = (key: string, values: readonly string[]): boolean =>
      sameValues(added.get(key) ?? [], values);
    this.#added = new Map([...added].filter(([key, values]) => sameValues(settings.get(key) ?? [], values)));
    this.#had = new Map([...removed, ...[...settings].filter(([key, values]) => !isAdded(key, values))]);
  }

  isRedirect(key: string, values: readonly string[], now: Settings): boolean {
    return isGitRedirect(key, values, { had: this.#had, branches: this.#branches }, now);
  }

  /** `now`: all settings afterwards. */
  learn(users: readonly SettingsChange[], written: readonly SettingsChange[], now: Settings): void {
    this.#had = withChanges(this.#had, users);
    for (const { key } of users) this.#added.delete(normalizeSettingKey(key));
    const known = new Set([...this.#had].flatMap(([key, values]) => (isAddress(key) ? values : [])));
    for (const change of written) {
      const key = normalizeSettingKey(change.key);
      if (!isAddress(key) || this.#had.has(key)) continue;
      if (change.values.length === 0) this.#added.delete(key);
      // A new name for a known repository keeps its destination.
      else if (change.values.every((one) => known.has(one))) this.#had = withChanges(this.#had, [change]);
      else this.#added.set(key, change.values);
    }
    const removed = new Map([...this.#had].filter(([key]) => isAddress(key) && !now.has(key)));
    this.#addresses?.replaceFor(this.#file, { removed, added: this.#added });
  }
}
