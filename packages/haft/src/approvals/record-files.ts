import type { HaftError } from "@haft/core";
import type { PrivateFolder, PrivateText } from "@haft/workspace/internal/system";
import { join } from "node:path";
import { hostError } from "../errors.ts";
import type { BrokenFiles } from "./broken-files.ts";
import { isId } from "./records.ts";

/** The file of a record in its folder. */
export function fileOf(id: string): string {
  return `${id}.json`;
}

export function idsIn(folder: PrivateFolder): string[] {
  return folder
    .names()
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isId);
}

/** What is understood of a record; `undefined` where there is none, or one that is noted as broken. */
export function readRecord<T>(
  folder: PrivateFolder,
  id: string,
  broken: BrokenFiles,
  understand: (found: PrivateText) => T,
): T | undefined {
  if (!isId(id)) return undefined;
  const path = join(folder.path, fileOf(id));
  try {
    const found = folder.read(fileOf(id));
    const understood = found && understand(found);
    broken.delete(path);
    return understood;
  } catch (thrown) {
    broken.add(path, thrown);
    return undefined;
  }
}

export function idTaken(id: string): HaftError {
  return hostError("APPROVAL_ID_TAKEN", `${JSON.stringify(id)} cannot be the name of something new.`);
}
