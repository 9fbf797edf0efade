import type { Run } from "../../../src/wire/api.ts";
import { goTo, linkTo } from "../../app/routes.ts";
import { loadOlderRuns, moreRuns, runs, runsLoaded } from "../../data/runs.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { now } from "../../parts/now.ts";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import {
  formatClockOrDay,
  formatCount,
  formatMoment,
  formatShortDuration,
} from "../../parts/text/format-values.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

export function RunList({ chosen }: { chosen: string | undefined }) {
  const all = runs.value;
  if (runsLoaded.value && all.length === 0)
    return (
      <Empty icon="timeline" title={timeline.noSessions}>
        <p>{timeline.noSessionsFix}</p>
      </Empty>
    );
  return (
    <>
      <VirtualList
        id="run"
        label={timeline.sessions}
        count={all.length}
        rowHeight={52}
        chosen={all.findIndex(({ runId }) => runId === chosen)}
        onChoose={(index) => goTo(linkTo("timeline", [all[index]!.runId]))}
        row={(index) => <RunRow run={all[index]!} />}
      />
      {moreRuns.value !== undefined && (
        <Button look="plain older" text={timeline.older} onClick={() => void loadOlderRuns()} />
      )}
    </>
  );
}

function RunRow({ run }: { run: Run }) {
  const { sessionKey, kind, agentId, state, calls, busy, lastAt, openedAt } = run;
  const at = lastAt ?? openedAt;
  return (
    <div class="run grow">
      <div class="run-line">
        <i class={`run-state ${state}`} title={timeline.state[state]} />
        <b class="cut grow" title={escapeInvisible(sessionKey)}>
          {escapeInvisibleLine(sessionKey)}
        </b>
        <time class="soft small number" dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
          {agoOrDay(at)}
        </time>
      </div>
      <div class="run-line soft small">
        <span class="cut grow">
          {words.kind[kind]} · <bdi>{escapeInvisibleLine(agentId)}</bdi> · {timeline.state[state]}
        </span>
        {(busy?.waiting ?? 0) > 0 && <span class="mark waiting">{timeline.waiting(busy!.waiting)}</span>}
        <span class="number">{formatCount(calls)}</span>
      </div>
    </div>
  );
}

const DAY_MS = 86_400_000;

function agoOrDay(at: number): string {
  const ms = Math.max(0, now.value - at);
  if (ms < 1_000) return timeline.justNow;
  return ms < DAY_MS ? timeline.ago(formatShortDuration(ms)) : formatClockOrDay(at, now.value);
}
