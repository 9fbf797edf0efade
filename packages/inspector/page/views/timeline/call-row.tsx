import type { CallRow as Row } from "../../../src/wire/api.ts";
import { progress, progressKey } from "../../data/progress.ts";
import { Mark } from "../../parts/mark.tsx";
import { now } from "../../parts/now.ts";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatClock, formatMoment, formatDuration } from "../../parts/text/format-values.ts";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

/** Logarithmic: from a millisecond to an hour. */
const [BAR, LONGEST_MS] = [46, 3_600_000];

export function CallRow({ row, depth = 0 }: { row: Row; depth?: number }) {
  const { stand, toolName, summary, createdAt, code } = row;
  // The mark shows the denial.
  const isShown = stand === "blocked" && row.decision === "deny";
  return (
    <>
      <time
        class="soft small number call-when"
        dateTime={new Date(createdAt).toISOString()}
        title={formatMoment(createdAt)}
      >
        {formatClock(createdAt)}
      </time>
      <Mark word={stand} text={stand} title={`${stand}: ${words.stand[stand]}`} bare short />
      <span class={`call-what grow cut depth-${Math.min(depth, 6)}`}>
        <b class="mono">{escapeInvisibleLine(toolName)}</b>{" "}
        <span class="mono">{escapeInvisibleLine(summary)}</span>
        {stand === "running" && <Summary row={row} />}
      </span>
      {code !== undefined && !isShown && <code class={`small call-code ${stand}`}>{code}</code>}
      <Remarks row={row} />
      <Took row={row} />
    </>
  );
}

function Summary({ row }: { row: Row }) {
  const line = progress.value.get(progressKey(row))?.trimEnd().split("\n").at(-1);
  return line === undefined ? null : <span class="call-says">{escapeInvisibleLine(line)}</span>;
}

export function CallRowPlaceholder({ seq }: { seq: number }) {
  return <span class="soft small number coming">{seq}</span>;
}

function Remarks({ row }: { row: Row }) {
  const { decision, duplicateOf, loop, decidedBy, granted, isUndo } = row;
  return (
    <span class="remarks">
      {loop && <Mark word="warning" text={timeline.loopShort} title={timeline.loop} />}
      {duplicateOf !== undefined && (
        <Mark word="quiet" text={timeline.duplicateShort} title={timeline.duplicate} />
      )}
      {isUndo && <Mark word="note" text={timeline.undoneShort} title={timeline.undone} />}
      {granted && <Mark word="allow" text={timeline.grantedShort} title={timeline.granted} />}
      {decision !== undefined && decision !== "allow" && (
        <Mark word={decision} title={decidedBy === undefined ? undefined : timeline.decidedBy(decidedBy)} />
      )}
    </span>
  );
}

function Took({ row: { createdAt, startedAt, endedAt, stand } }: { row: Row }) {
  const isOpen = stand === "running" || stand === "waiting";
  const until = endedAt ?? (isOpen ? Math.max(now.value, createdAt) : undefined);
  if (until === undefined) return <span class="took soft">–</span>;
  const ms = until - (startedAt ?? createdAt);
  return (
    <span class={`took number ${stand}`} title={formatDuration(until - createdAt)}>
      <i style={{ width: `${widthOf(ms)}px` }} />
      <span>{formatDuration(ms)}</span>
    </span>
  );
}

function widthOf(ms: number): number {
  return Math.max(1, Math.min(BAR, (Math.log10(1 + ms) / Math.log10(LONGEST_MS)) * BAR));
}
