import { getErrorMessage } from "@haft/core";
import { PrivateFolder } from "@haft/system";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Records } from "../contract/records.ts";
import { nodesError } from "../errors.ts";

const ENDING = ".json";
const ID = /^[A-Za-z0-9_-]{1,64}$/;

interface Known<T> {
  /** Changes with each replacement: files are never modified. */
  readonly version: string;
  readonly record: T;
}

/**
 * Stores records as files (`ID.json`) in a private folder, visible across processes. Unreadable records are
 * errors.
 *
 * @param path created with the first record
 * @param parse validates a file's value; throws if it is invalid
 */
export function folderRecords<T>(path: string, parse: (value: unknown) => T): Records<T> {
  const folder = new PrivateFolder(path, "name another folder for them");
  const known = new Map<string, Known<T>>();
  const fileOf = (id: string) => {
    if (!ID.test(id)) throw nodesError("NODE_UNKNOWN", `${JSON.stringify(id.slice(0, 80))} is not an id.`);
    return `${id}${ENDING}`;
  };
  const versionOf = (file: string) => {
    const found = lstatSync(join(path, file), { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  };
  const read = (id: string): T | undefined => {
    const file = fileOf(id);
    const version = versionOf(file);
    if (version === undefined) return undefined;
    const before = known.get(id);
    if (before?.version === version) return before.record;
    try {
      const text = folder.read(file)?.text;
      if (text === undefined) return undefined;
      const record = parse(JSON.parse(text));
      known.set(id, { version, record });
      return record;
    } catch (thrown) {
      const message = `${join(path, file)} cannot be read: ${getErrorMessage(thrown)}.`;
      throw nodesError("NODE_RECORD_UNREADABLE", message, { cause: thrown });
    }
  };
  return {
    ids: () =>
      folder
        .names()
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length))
        .filter((id) => ID.test(id)),
    read: (id) => (ID.test(id) ? read(id) : undefined),
    write: (id, record) => folder.replace(fileOf(id), `${JSON.stringify(record)}\n`),
    remove: (id) => void folder.remove(fileOf(id)),
  };
}
