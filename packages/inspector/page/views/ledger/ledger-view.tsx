import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { generation } from "../../data/about.ts";
import { CallMatches } from "../../data/call-matches.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { formatCount } from "../../parts/text/format-values.ts";
import { ledger as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { type CallFilter, CallFilterBar, parseCallFilter, toCallQuery } from "../timeline/call-filter.tsx";
import { CallMatchList } from "../timeline/call-list.tsx";
import { CompareView } from "./compare-view.tsx";
import { ExportDialogButton } from "./export-dialog.tsx";
import "../timeline/timeline.css";
import "./ledger.css";

const DAY_MS = 86_400_000;
const SPANS = [
  ["", 0],
  ["hour", DAY_MS / 24],
  ["day", DAY_MS],
  ["week", 7 * DAY_MS],
  ["month", 30 * DAY_MS],
] as const;

export function LedgerView() {
  const { path, query } = route.value;
  const part = path[0] ?? "calls";
  return (
    <>
      <header class="head">
        <h2>{words.views.ledger}</h2>
        <Tabs
          view="ledger"
          label={texts.parts}
          chosen={part}
          tabs={[
            ["calls", texts.calls],
            ["compare", texts.compare],
          ]}
        />
        <span class="grow" />
        <ExportDialogButton />
      </header>
      {part === "compare" ? (
        <CompareView a={query.get("a") ?? ""} b={query.get("b") ?? ""} />
      ) : (
        <AllCalls query={query} />
      )}
    </>
  );
}

function AllCalls({ query }: { query: URLSearchParams }) {
  const round = useSignal(0);
  const [span, file] = [query.get("span") ?? "", query.get("path") ?? ""];
  const filter = parseCallFilter(query);
  const change = (next: Readonly<Record<string, string>>) =>
    goTo(linkTo("ledger", [], { ...filter, span, path: file, ...next }), { replace: true });
  return (
    <div class="ledger">
      <div class="ledger-filter">
        <CallFilterBar filter={filter} onChange={(next) => change({ ...next })} />
        <input
          class="field path-field"
          aria-label={texts.path}
          placeholder={texts.path}
          value={file}
          onChange={({ currentTarget }) => change({ path: currentTarget.value.trim() })}
        />
        <select
          class="field"
          aria-label={texts.span}
          value={span}
          onChange={({ currentTarget }) => change({ span: currentTarget.value })}
        >
          {SPANS.map(([name]) => (
            <option key={name} value={name}>
              {texts.spans[name]}
            </option>
          ))}
        </select>
      </div>
      <Found
        key={JSON.stringify([filter, span, file, generation.value, round.value])}
        filter={filter}
        span={span}
        file={file}
        onNewer={() => round.value++}
      />
    </div>
  );
}

interface FoundProps {
  filter: CallFilter;
  span: string;
  file: string;
  onNewer: () => void;
}

function Found({ filter, span, file, onNewer }: FoundProps) {
  const ms = SPANS.find(([name]) => name === span)?.[1] ?? 0;
  const calls = { ...toCallQuery(filter), path: file, ...(ms > 0 && { since: Date.now() - ms }) };
  const found = useMemo(() => new CallMatches(calls), []);
  useEffect(() => () => found.close(), []);
  return (
    <>
      <p class="soft small ledger-state" role="status">
        {found.isAll.value
          ? words.calls(found.rows.value.length)
          : texts.shown(formatCount(found.rows.value.length))}
      </p>
      <CallMatchList found={found} chosen={undefined} onNewer={onNewer} />
    </>
  );
}
