import { summarizeCall } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { coverValue } from "@haft/core/internal/records";
import type { ReplayedCall } from "../../../replay/compare.ts";
import type { OpeningFiles } from "../../../replay/opening-files.ts";

const WORDS: Readonly<Record<ReplayedCall["verdict"], string>> = {
  same: "same",
  differs: "DIFFERS",
  record: "from the record",
  unsaid: "cannot be said",
};

/** A call that was played again: its line, why, and what differs below. */
export function describeReplayed({ call, verdict, why, diff }: ReplayedCall): string {
  const line = summarizeCall(call.toolName, coverValue(call.args ?? {}), { format: "plain" });
  const title = `${WORDS[verdict].padEnd(15)}  ${escapeInvisible(call.toolCallId)}  ${line}`;
  const indent = " ".repeat(17);
  return [
    title,
    ...(why === undefined ? [] : [`${indent}${escapeInvisible(why)}`]),
    ...(diff ?? "")
      .split("\n")
      .flatMap((text) =>
        text === "" ? [] : [`${indent}${text.split("\t").map(escapeInvisible).join("\t")}`],
      ),
  ].join("\n");
}

const NAMED = 8;

/** Where the files come from, and which may not be as they were. */
export function unsureLines({ how, unsure }: OpeningFiles): string[] {
  const named = unsure.slice(0, NAMED).map(({ path, why }) => `  ${escapeInvisible(path)}: ${why}`);
  const more = unsure.length > NAMED ? [`  … and ${unsure.length - NAMED} more`] : [];
  return [how, ...(unsure.length === 0 ? [] : ["Not as they were, or not for certain:", ...named, ...more])];
}

/** `5 the same, 1 differs.` */
export function summaryOf(verdicts: readonly ReplayedCall["verdict"][]): string {
  const count = (verdict: ReplayedCall["verdict"]) => verdicts.filter((one) => one === verdict).length;
  const parts = [
    [count("same"), "the same"],
    [count("differs"), count("differs") === 1 ? "differs" : "differ"],
    [count("record"), "from the record"],
    [count("unsaid"), "of which it cannot be said"],
  ] as const;
  const said = parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
  return said.length === 0 ? "There was nothing to play again." : `${said.join(", ")}.`;
}
