import { getDiskFullFix } from "@haft/plugin-loader/internal/plugins";
import { readRegularFile, replaceFile, systemReason } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { guardError } from "../errors.ts";

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;

/** `text` is `undefined` if there is no file. */
export interface SettingsFile {
  path: string;
  text: string | undefined;
}

/**
 * Reads a settings file, also through links.
 *
 * @throws HaftError `GUARD_SETTINGS` if it is not a regular file with UTF-8 text
 *
 * @example
 * ```ts run
 * import { readAgentSettings } from "@haft/guard/internal/agents";
 * readAgentSettings("no-such-settings.json").text; // => undefined
 * ```
 */
export function readAgentSettings(path: string): SettingsFile {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { path, text: undefined };
    if (!statSync(path).isFile()) throw new Error("it is not a file");
    return {
      path,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        readRegularFile(path, { maxBytes: LARGEST, followLink: true }),
      ),
    };
  } catch (thrown) {
    throw settingsError(path, thrown);
  }
}

/**
 * Replaces the settings atomically. Links, access and owner stay.
 *
 * @param was The result of {@link readAgentSettings}.
 * @param text `undefined` removes the file.
 * @throws HaftError `GUARD_SETTINGS`, also if the file has changed since; it then stays unchanged
 *
 * @example
 * ```ts run
 * import { changeAgentSettings, readAgentSettings } from "@haft/guard/internal/agents";
 * changeAgentSettings(readAgentSettings("settings.json"), "{}\n");
 * readAgentSettings("settings.json").text; // => "{}\n"
 * ```
 */
export function changeAgentSettings(was: SettingsFile, text: string | undefined): void {
  const { path } = was;
  if (text === was.text) return;
  try {
    if (readAgentSettings(path).text !== was.text) throw new Error("another program has just changed it");
    if (was.text === undefined) makeFolder(dirname(path), 0o700);
    const target = was.text === undefined ? path : realpathSync(path);
    const found = statSync(target, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & 0o200) === 0) throw new Error("it is read-only");
    if (text === undefined) return rmSync(target);
    replaceFile(target, text, { mode: 0o600 });
  } catch (thrown) {
    throw settingsError(path, thrown);
  }
}

/**
 * Returns `GUARD_SETTINGS` for unusable settings.
 *
 * @example
 * ```ts run
 * import { settingsError } from "@haft/guard/internal/agents";
 * settingsError("settings.json", new Error("it is read-only")).message; // => "settings.json was not changed: it is read-only."
 * ```
 */
export function settingsError(path: string, thrown: unknown): Error {
  const why = systemReason(thrown).replace(/\.$/, "");
  return guardError("GUARD_SETTINGS", `${path} was not changed: ${why}.`, getDiskFullFix(thrown));
}
