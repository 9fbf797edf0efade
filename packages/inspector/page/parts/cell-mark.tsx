import type { Cell } from "../../src/wire/api.ts";
import { common } from "../strings.ts";
import { Mark } from "./mark.tsx";

type Said = Pick<Cell, "word" | "toSome" | "toOthers">;

/** What a cell says, as the matrix of the command has it: with `…` the answer to some calls. */
function cellLabel({ word, toSome, toOthers }: Said): string {
  if (toSome === undefined) return word;
  return toOthers === "ask" ? `ask, ${toSome} …` : `${toSome} …`;
}

/** The same with its shape and its colour. */
export function CellMark({ cell, bare = false }: { cell: Said; bare?: boolean }) {
  return (
    <Mark
      word={cell.toSome ?? cell.word}
      text={cellLabel(cell)}
      title={cell.toSome === undefined ? common.word[cell.word] : common.wordForSome[cell.toSome]}
      bare={bare}
    />
  );
}
