import { invalidOptions, type OptionSchemas } from "@haft/core/internal";
import type { ChangeToolOptions } from "../changes/tool-options.ts";

export type ChangeOptions = Pick<ChangeToolOptions, "journal" | "durable" | "maxFileBytes">;

export const CHANGES: OptionSchemas<ChangeOptions> = {
  journal: {
    "haft:kind": "object",
    description: "Keeps changes for undo: createDirectoryJournal makes one.",
  },
  durable: { type: "boolean", description: "Flush changed files to disk before success is reported." },
  maxFileBytes: { type: "integer", minimum: 1, description: "Larger files are not changed." },
};

/** Most journals are of a class, so this is read and not walked. @throws HaftError `INVALID_OPTIONS` */
export function checkJournal(where: string, journal: ChangeOptions["journal"]): void {
  const given: { begin?: unknown } | undefined = journal;
  if (given === undefined || typeof given.begin === "function") return;
  throw invalidOptions(
    `${where}: journal cannot keep changes: it has no begin().`,
    "Give it what createDirectoryJournal answers.",
  );
}
