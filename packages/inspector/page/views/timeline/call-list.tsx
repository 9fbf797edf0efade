import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CallRow as Row, Run } from "../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { onEvent } from "../../client/event-stream.ts";
import { generation } from "../../data/about.ts";
import type { CallMatches } from "../../data/call-matches.ts";
import { isUnreachable } from "../../data/resource.ts";
import { RunCalls } from "../../data/run-calls.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { CallRow, CallRowPlaceholder } from "./call-row.tsx";

const ROW = 30;

/** Equally fast for a hundred thousand calls. */
export function AllCalls({ run, chosen }: { run: Run; chosen: string | undefined }) {
  const calls = useMemo(() => new RunCalls(run.runId, run.calls), [run.runId]);
  const follow = useSignal(chosen === undefined);
  useEffect(() => {
    if (run.calls > calls.count.value) calls.count.value = run.calls;
  }, [run.calls]);
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === "call" && event.call.runId === run.runId) calls.put(event.call);
        else if (event.type === "hello" && isUnreachable(calls.error.peek())) calls.refetch();
      }),
    [calls],
  );
  const fetched = useRef(generation.value);
  useEffect(() => {
    if (generation.value !== fetched.current) calls.forget();
    fetched.current = generation.value;
  }, [generation.value]);
  // Subscribes to changes.
  void calls.version.value;
  const count = calls.count.value + calls.fresh.value.length;
  const position = chosen === undefined ? undefined : (calls.getPosition(chosen) ?? positionInAddress());
  const open = (seq: number) => {
    const row = calls.at(seq);
    if (row !== undefined) goTo(linkToCall(row), { replace: chosen !== undefined });
  };
  if (count === 0) return <Empty icon="timeline" title={timeline.noCalls} />;
  return (
    <>
      <ErrorNotice fault={calls.error.value} onRetry={() => calls.refetch()} />
      <VirtualList
        id="call"
        label={words.calls(count)}
        count={count}
        rowHeight={ROW}
        chosen={position === undefined ? -1 : position - 1}
        follow={follow.value}
        onFollow={(value) => (follow.value = value && position === undefined)}
        onChoose={(index) => open(index + 1)}
        onShown={(from, to) => calls.ensureLoaded(from + 1, to)}
        row={(index) => {
          const row = calls.at(index + 1);
          return row === undefined ? (
            <CallRowPlaceholder seq={index + 1} />
          ) : (
            <CallRow row={row} depth={calls.getDepth(row)} />
          );
        }}
      />
      {!follow.value && run.state === "live" && position === undefined && (
        <Button look="small to-end" text={timeline.toEnd} onClick={() => (follow.value = true)} />
      )}
    </>
  );
}

interface FoundCallListProps {
  found: CallMatches;
  chosen: string | undefined;
  onNewer: () => void;
}

export function CallMatchList({ found, chosen, onNewer }: FoundCallListProps) {
  const rows = found.rows.value;
  const isChosen = (row: Row) => row.toolCallId === chosen;
  if (rows.length === 0 && found.error.value === undefined)
    return found.loading.value ? (
      <p class="loading soft">{words.loading}</p>
    ) : (
      <Empty icon="search" title={timeline.noCallsFound}>
        {found.stale.value && <NewerCalls onNewer={onNewer} />}
      </Empty>
    );
  return (
    <>
      <ErrorNotice fault={found.error.value} onRetry={() => void found.more()} />
      {found.stale.value && <NewerCalls onNewer={onNewer} />}
      <VirtualList
        id="call"
        label={words.calls(rows.length)}
        count={rows.length}
        rowHeight={ROW}
        chosen={rows.findIndex(isChosen)}
        onChoose={(index) =>
          goTo(linkToCall(rows[index]!, route.value.query), { replace: chosen !== undefined })
        }
        onShown={(_, to) => {
          if (to >= rows.length - 40) void found.more();
        }}
        row={(index) => <CallRow row={rows[index]!} />}
      />
    </>
  );
}

function NewerCalls({ onNewer }: { onNewer: () => void }) {
  return (
    <p role="status" class="newer">
      <Button look="small" icon="forward" text={timeline.newCalls} onClick={onNewer} />
    </p>
  );
}

/** The call's number lets the list start there. */
export function linkToCall({ runId, toolCallId, seq }: Row, query = new URLSearchParams()): string {
  return linkTo("timeline", [runId, toolCallId], {
    ...Object.fromEntries(query),
    ...(seq === undefined ? {} : { seq: String(seq) }),
  });
}

function positionInAddress(): number | undefined {
  const seq = Number(route.value.query.get("seq"));
  return Number.isInteger(seq) && seq > 0 ? seq : undefined;
}
