import { explainConflict } from "../../src/apply-patch/locate/explain-conflict.ts";
import { hunkSplices } from "../../src/apply-patch/locate/hunk-splices.ts";
import { locateHunks } from "../../src/apply-patch/locate/locate-hunks.ts";
import { parsePatch } from "../../src/apply-patch/parse/parse-patch.ts";
import type { UpdateSection } from "../../src/apply-patch/parse/patch.ts";
import { buildLineTable } from "../../src/changes/text/line-table.ts";
import { applySplices } from "../../src/changes/text/splice.ts";

export function locatePatchHunks(content: string, hunks: string) {
  const patch = parsePatch(`*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch`);
  const table = buildLineTable(Buffer.from(content));
  return { table, placements: locateHunks(table, (patch.sections[0] as UpdateSection).hunks) };
}

export function applyPatchHunks(content: string, hunks: string): string {
  const { table, placements } = locatePatchHunks(content, hunks);
  const conflict = placements.find(({ kind }) => kind === "conflict");
  if (conflict !== undefined) throw new Error(`conflict: ${JSON.stringify(conflict)}`);
  const located = placements.filter(({ kind }) => kind === "located");
  return applySplices(table.bytes, hunkSplices(table, located as never, "\n")).toString();
}

export function findPatchConflict(content: string, hunks: string) {
  const { table, placements } = locatePatchHunks(content, hunks);
  const index = placements.findIndex(({ kind }) => kind === "conflict");
  if (index < 0) throw new Error("no conflict");
  return explainConflict("f", table, placements[index] as never, index);
}
