import type { Cell, CellEffect } from "../../src/wire/api.ts";
import { common } from "../strings/frame.ts";
import { Mark } from "./mark.tsx";

interface CellAnswer {
  word: Cell["word"];
  toSome?: Exclude<CellEffect, "allow"> | undefined;
  toOthers?: CellEffect | undefined;
}

/** `…` answers some calls, as in the command's matrix. */
function cellLabel({ word, toSome, toOthers }: CellAnswer): string {
  return toSome === undefined || toOthers === undefined ? word : `${toOthers}, ${toSome} …`;
}

export function CellMark({ cell, bare = false }: { cell: CellAnswer; bare?: boolean }) {
  return (
    <Mark
      word={cell.toSome === undefined ? cell.word : (cell.toOthers ?? cell.word)}
      text={cellLabel(cell)}
      title={cell.toSome === undefined ? common.word[cell.word] : common.wordForSome[cell.toSome]}
      bare={bare}
    />
  );
}
