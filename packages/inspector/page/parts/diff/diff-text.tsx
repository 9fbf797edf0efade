import { useSignal } from "@preact/signals";
import { diffWordsWithSpace } from "diff";
import { common } from "../../strings/frame.ts";
import { Button } from "../button.tsx";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { type DiffLine, type Hunk, readDiff, sideBySide } from "./read-diff.ts";
import "./diff.css";

/** More lines on request. */
const FIRST_LINES = 400;
/** Longer lines are not compared by words. */
const LONGEST_COMPARED = 400;

/** Side by side, except on phones. */
export function DiffText({ diff }: { diff: string }) {
  const most = useSignal(FIRST_LINES);
  const hunks = readDiff(diff);
  const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  let left = most.value;
  return (
    <div class="diff" role="region" aria-label={common.diff} tabIndex={0}>
      {hunks.map((hunk, index) => {
        const lines = hunk.lines.slice(0, Math.max(0, left));
        left -= hunk.lines.length;
        return lines.length === 0 && hunk.lines.length > 0 ? null : (
          <HunkShown key={index} hunk={{ ...hunk, lines }} />
        );
      })}
      {all > most.value && (
        <Button look="small" text={common.moreLines(all - most.value)} onClick={() => (most.value *= 4)} />
      )}
    </div>
  );
}

function HunkShown({ hunk }: { hunk: Hunk }) {
  return (
    <>
      {hunk.title !== "" && <div class="diff-title">{escapeInvisible(hunk.title)}</div>}
      <div class={`diff-sides${isOneSided(hunk) ? " one" : ""}`}>
        {sideBySide(hunk.lines).map(([left, right], index) => {
          if (left?.kind === "same") return <SameLine key={index} line={left} />;
          const words =
            left !== undefined && right !== undefined ? wordsOf(left.text, right.text) : undefined;
          return (
            <div key={index} class="diff-row">
              <Side line={left} number={left?.left} words={words?.left} />
              <Side line={right} number={right?.right} words={words?.right} />
            </div>
          );
        })}
      </div>
    </>
  );
}

/** Avoids an empty half. */
function isOneSided({ lines }: Hunk): boolean {
  return lines.every(({ kind }) => kind === "add") || lines.every(({ kind }) => kind === "del");
}

function SameLine({ line }: { line: DiffLine }) {
  return (
    <div class="diff-row same">
      <div class="diff-side">
        <i>{shownNumber(line.left)}</i>
        <code>{escapeInvisible(line.text)}</code>
      </div>
      <div class="diff-side right" aria-hidden="true">
        <i>{shownNumber(line.right)}</i>
        <code>{escapeInvisible(line.text)}</code>
      </div>
    </div>
  );
}

type Words = readonly { text: string; isOther: boolean }[];

function Side({
  line,
  number,
  words,
}: {
  line: DiffLine | undefined;
  number: number | undefined;
  words: Words | undefined;
}) {
  if (line === undefined) return <div class="diff-side none" />;
  return (
    <div class={`diff-side ${line.kind}`}>
      <i>{shownNumber(number)}</i>
      <b>{line.kind === "add" ? "+" : "−"}</b>
      <code>
        {words === undefined
          ? escapeInvisible(line.text)
          : words.map(({ text, isOther }, index) =>
              isOther ? <mark key={index}>{escapeInvisible(text)}</mark> : escapeInvisible(text),
            )}
      </code>
    </div>
  );
}

function wordsOf(left: string, right: string): { left: Words; right: Words } | undefined {
  if (left.length > LONGEST_COMPARED || right.length > LONGEST_COMPARED) return undefined;
  const parts = diffWordsWithSpace(left, right);
  const same = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (same * 3 < Math.max(left.trim().length, right.trim().length)) return undefined;
  return {
    left: parts
      .filter(({ added }) => !added)
      .map(({ value, removed }) => ({ text: value, isOther: removed })),
    right: parts
      .filter(({ removed }) => !removed)
      .map(({ value, added }) => ({ text: value, isOther: added })),
  };
}

function shownNumber(number: number | undefined): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}
