import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Run } from "../../../src/wire/api.ts";
import { bindKeysWhile } from "../../app/key-map.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { generation } from "../../data/about.ts";
import { CallMatches } from "../../data/call-matches.ts";
import { type Resource, useResource } from "../../data/resource.ts";
import { findRunById, loadRuns, runs, runsLoaded } from "../../data/runs.ts";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { useFocusRestore } from "../../parts/use-focus-restore.ts";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { type CallFilter, CallFilterBar, parseCallFilter, toCallQuery } from "./call-filter.tsx";
import { AllCalls, CallMatchList } from "./call-list.tsx";
import { CallPane, isWide } from "./call-pane.tsx";
import { RunList } from "./run-list.tsx";
import "./timeline.css";

/** Opens an only session once, without an address. */
let hasLooked = false;
let openedByItself: string | undefined;
const NOWHERE = /^#?\/?(?:timeline\/?)?$/;
/** Sessions and calls fit side by side. */
const isRoomy = () => matchMedia("(min-width: 701px)").matches;

export function TimelineView() {
  const { path, query } = route.value;
  const [runId, callId] = path;
  const loaded = useResource(loadRuns, []);
  const found = useResource(
    async () => (runId === undefined ? undefined : findRunById(runId)),
    [runId ?? ""],
  );
  // Events are newer.
  const run = runs.value.find((each) => each.runId === runId) ?? found.value.value;
  const filter = parseCallFilter(query);
  useEffect(() => {
    if (runId !== undefined) hasLooked = true;
    if (
      hasLooked ||
      !runsLoaded.value ||
      runs.value.length === 0 ||
      !isRoomy() ||
      !NOWHERE.test(location.hash)
    )
      return;
    hasLooked = true;
    const [only, ...others] = runs.value.filter(({ state }) => state === "live");
    if (only === undefined || others.length > 0) return;
    openedByItself = only.runId;
    goTo(linkTo("timeline", [only.runId]), { replace: true });
  }, [runId, runsLoaded.value, runs.value.length]);
  const round = useSignal(0);
  const hasNone = runsLoaded.value && runs.value.length === 0;
  const depth = path.length;
  // The page's own opening keeps the focus.
  useFocusRestore(depth === 1 && runId === openedByItself ? "" : path.join("/"), () =>
    document.querySelector<HTMLElement>([".runs .list", ".calls .list"][depth] ?? ".call-body"),
  );
  useEffect(
    () =>
      bindKeysWhile(
        () => route.value.path.length > 0,
        [
          { keys: "w", label: timeline.wide, run: () => (isWide.value = !isWide.value) },
          {
            keys: "Escape",
            label: words.keysBack,
            run: () => goTo(linkTo("timeline", route.value.path.slice(0, -1), currentFilter())),
          },
        ],
      ),
    [],
  );
  return (
    <div class={`timeline at-${depth}${isWide.value && depth === 2 ? " wide" : ""}`}>
      <section class="runs" aria-label={timeline.sessions}>
        <header class="head">
          <h2>{timeline.sessions}</h2>
        </header>
        <ErrorNotice fault={loaded.error.value} onRetry={loaded.reload} />
        <RunList chosen={runId} />
      </section>
      <section class="calls" aria-label={words.views.timeline}>
        {run === undefined ? (
          <NoRun isRequested={runId !== undefined} found={found} />
        ) : (
          <>
            <header class="head calls-head">
              <a class="button plain small up" href={linkTo("timeline")} aria-label={words.back}>
                <Icon name="back" />
              </a>
              <h2 class="cut" title={escapeInvisible(`${run.sessionKey}\n${run.cwd} (${run.place})`)}>
                {escapeInvisibleLine(run.sessionKey)}
              </h2>
              <CallFilterBar filter={filter} onChange={(next) => filterBy(run.runId, next)} />
            </header>
            {isEmpty(filter) ? (
              <AllCalls key={run.runId} run={run} chosen={callId} />
            ) : (
              <Filtered
                key={JSON.stringify([run.runId, filter, generation.value, round.value])}
                onNewer={() => round.value++}
                runId={run.runId}
                filter={filter}
                chosen={callId}
              />
            )}
          </>
        )}
      </section>
      <section class="one-call" aria-label={words.keysOpen}>
        {runId === undefined || callId === undefined ? (
          !hasNone && <Empty icon="search" title={timeline.chooseCall} />
        ) : (
          <CallPane key={`${runId}/${callId}`} runId={runId} callId={callId} run={run} />
        )}
      </section>
    </div>
  );
}

function NoRun({ isRequested, found }: { isRequested: boolean; found: Resource<Run | undefined> }) {
  if (!isRequested)
    return runsLoaded.value && runs.value.length === 0 ? null : (
      <Empty icon="timeline" title={timeline.chooseSession} />
    );
  if (found.error.value !== undefined)
    return <ErrorNotice fault={found.error.value} onRetry={found.reload} />;
  return found.loading.value ? (
    <p class="loading soft">{words.loading}</p>
  ) : (
    <Empty icon="timeline" title={timeline.noSuchSession}>
      <p>{timeline.noSuchSessionFix}</p>
    </Empty>
  );
}

function Filtered({
  runId,
  filter,
  chosen,
  onNewer,
}: {
  runId: string;
  filter: CallFilter;
  chosen: string | undefined;
  onNewer: () => void;
}) {
  const found = useMemo(() => new CallMatches({ run: runId, ...toCallQuery(filter) }), []);
  useEffect(() => () => found.close(), []);
  return <CallMatchList found={found} chosen={chosen} onNewer={onNewer} />;
}

/** Ignored after the user left. */
function filterBy(runId: string, filter: CallFilter): void {
  if (isAt(runId)) goTo(linkTo("timeline", route.value.path, { ...filter }), { replace: true });
}

function isAt(runId: string): boolean {
  const { view, path } = route.value;
  return view === "timeline" && path[0] === runId;
}

function isEmpty({ text, outcome, tool }: CallFilter): boolean {
  return text === "" && outcome === "" && tool === "";
}

/** Closing a call keeps the filter. */
function currentFilter(): Record<string, string> {
  const { seq: _, ...rest } = Object.fromEntries(route.value.query);
  return rest;
}
