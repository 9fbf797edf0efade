import { messageOf } from "@haft/core";
import type * as Sqlite from "node:sqlite";
import { storeError } from "../../errors.ts";

let loaded: typeof Sqlite | undefined;

/** Node's own SQLite, loaded when it is first asked for. @throws HaftError `STORE_UNSUPPORTED` */
export function loadSqlite(): typeof Sqlite {
  loaded ??= withoutItsWarning(() => {
    try {
      return process.getBuiltinModule("node:sqlite");
    } catch (thrown) {
      throw unsupported(thrown);
    }
  });
  if (loaded === undefined) throw unsupported(undefined);
  return loaded;
}

function unsupported(cause: unknown) {
  const why = cause === undefined ? "" : ` (${messageOf(cause)})`;
  return storeError("STORE_UNSUPPORTED", `This engine (${process.version}) has no node:sqlite${why}.`, {
    cause,
  });
}

/**
 * Node 22 and 24 say on stderr that their SQLite is experimental. That is for whoever chose it, which users of a
 * command did not. Loading is synchronous: no other warning can be the one that is left out.
 */
function withoutItsWarning<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning")!;
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const filtered = (...args: unknown[]) => {
    const isExperimental = args[1] === "ExperimentalWarning";
    if (!(isExperimental && String(args[0]).startsWith("SQLite "))) emitWarning(...args);
  };
  Object.defineProperty(process, "emitWarning", { ...own, value: filtered });
  try {
    return load();
  } finally {
    Object.defineProperty(process, "emitWarning", own);
  }
}
