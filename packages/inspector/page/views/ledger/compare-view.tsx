import { useSignal } from "@preact/signals";
import type { ComparedCall, RunComparison } from "../../../src/wire/api.ts";
import { goTo, linkTo } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { loadRuns, runs } from "../../data/runs.ts";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Mark, type MarkKind } from "../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { ledger as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { RunSelect } from "./run-select.tsx";

const DiffText = lazyComponent(async () => (await import("../../parts/diff/diff-text.tsx")).DiffText);

export function CompareView({ a, b }: { a: string; b: string }) {
  useResource(loadRuns, []);
  const compared = useResource(
    async (ending) =>
      a === "" || b === ""
        ? undefined
        : callApi("GET /api/ledger/compare", { query: { a, b }, signal: ending }),
    [a, b],
  );
  const choose = (next: { a?: string; b?: string }) =>
    goTo(linkTo("ledger", ["compare"], { a, b, ...next }), { replace: true });
  const key = runs.value.find(({ runId }) => runId === a)?.sessionKey;
  const found = compared.value.value;
  return (
    <div class="ledger">
      <div class="ledger-filter">
        <RunSelect label={texts.left} value={a} onChange={(runId) => choose({ a: runId })} />
        <RunSelect
          label={texts.right}
          value={b}
          sessionKey={key}
          onChange={(runId) => choose({ b: runId })}
        />
      </div>
      <ErrorNotice fault={compared.error.value} onRetry={compared.reload} />
      {found !== undefined ? (
        <Compared found={found} />
      ) : a === "" || b === "" ? (
        <Empty icon="ledger" title={texts.chooseTwo} />
      ) : (
        compared.loading.value && <p class="loading soft">{words.loading}</p>
      )}
    </div>
  );
}

const MARKS: Readonly<Record<ComparedCall["verdict"], MarkKind>> = {
  same: "ok",
  differs: "error",
  unsaid: "quiet",
  "only-a": "warning",
  "only-b": "note",
};

function Compared({ found: { rows, counts, isCut } }: { found: RunComparison }) {
  const chosen = useSignal(-1);
  const onlyOthers = useSignal(true);
  const shown = onlyOthers.value ? rows.filter(({ verdict }) => verdict !== "same") : rows;
  const row = shown[chosen.value];
  return (
    <>
      <p class="ledger-state small" role="status">
        {(Object.keys(MARKS) as ComparedCall["verdict"][]).map((verdict) => (
          <Mark
            key={verdict}
            word={MARKS[verdict]}
            text={`${counts[verdict]} ${texts.verdicts[verdict]}`}
            bare
          />
        ))}
        <label class="tick">
          <input
            type="checkbox"
            checked={onlyOthers.value}
            onChange={({ currentTarget }) => {
              onlyOthers.value = currentTarget.checked;
              chosen.value = -1;
            }}
          />
          {texts.onlyOthers}
        </label>
        {isCut && <span class="soft">{texts.isCut}</span>}
      </p>
      <VirtualList
        id="compared"
        label={texts.compare}
        count={shown.length}
        rowHeight={32}
        chosen={chosen.value}
        onChoose={(index) => (chosen.value = index)}
        row={(index) => {
          const { a, b, verdict, why } = shown[index]!;
          const call = a ?? b!;
          return (
            <>
              <span class="compared-word">
                <Mark word={MARKS[verdict]} text={texts.verdicts[verdict]} bare />
              </span>
              <span class="mono cut grow">
                <b>{escapeInvisibleLine(call.toolName)}</b>{" "}
                <span class="soft">{escapeInvisibleLine(call.summary)}</span>
              </span>
              <span class="soft small cut compared-why">{escapeInvisibleLine(why ?? "")}</span>
            </>
          );
        }}
      />
      {row !== undefined && (
        <div class="compared-one" tabIndex={0} role="region" aria-label={texts.compare}>
          <p class="card-line">
            {row.a !== undefined && (
              <a href={linkTo("timeline", [row.a.runId, row.a.toolCallId])}>
                {texts.left}: {escapeInvisibleLine(row.a.toolCallId)}
              </a>
            )}
            {row.b !== undefined && (
              <a href={linkTo("timeline", [row.b.runId, row.b.toolCallId])}>
                {texts.right}: {escapeInvisibleLine(row.b.toolCallId)}
              </a>
            )}
            <span class="soft text">{escapeInvisible(row.why ?? "")}</span>
          </p>
          {row.diff !== undefined && <DiffText diff={row.diff} />}
        </div>
      )}
    </>
  );
}
