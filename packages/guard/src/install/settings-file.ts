import { getDiskFullFix } from "@haft/plugin-loader/internal/plugins";
import { readRegularFile, replaceFile, systemReason } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { guardError } from "../errors.ts";

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;

export interface SettingsFile {
  path: string;
  text: string | undefined;
}

/**
 * Reads settings, over links.
 *
 * @throws HaftError `GUARD_SETTINGS` where it is no plain file with text in it
 */
export function readAgentSettings(path: string): SettingsFile {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { path, text: undefined };
    if (!statSync(path).isFile()) throw new Error("it is no file");
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
 * Puts other settings in the place of those that were read, all at once; links stay, and so do access and owner.
 *
 * @param text `undefined` removes the file
 * @throws HaftError `GUARD_SETTINGS`; then the file is as it was
 */
export function changeAgentSettings(was: SettingsFile, text: string | undefined): void {
  const { path } = was;
  if (text === was.text) return;
  try {
    if (readAgentSettings(path).text !== was.text) throw new Error("something else changed it just now");
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

export function settingsError(path: string, thrown: unknown): Error {
  const why = systemReason(thrown).replace(/\.$/, "");
  return guardError("GUARD_SETTINGS", `${path} was left as it is: ${why}.`, getDiskFullFix(thrown));
}
