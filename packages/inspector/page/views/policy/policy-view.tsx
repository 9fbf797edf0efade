import { useEffect, useRef } from "preact/hooks";
import { bindKeysWhile } from "../../app/key-map.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { onEvent } from "../../client/event-stream.ts";
import { callApi } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useFocusRestore } from "../../parts/use-focus-restore.ts";
import { words } from "../../strings/frame.ts";
import { policy as texts } from "../../strings/rules.ts";
import { CellPane } from "./cell-pane.tsx";
import { LintList } from "./lint-list.tsx";
import { Matrix } from "./matrix.tsx";
import "./policy.css";

const Editor = lazyComponent(async () => (await import("./what-if/policy-editor.tsx")).PolicyEditor);

export function PolicyView() {
  const { path, query } = route.value;
  const agent = query.get("agent") ?? "";
  const view = useResource(
    (ending) => callApi("GET /api/policy", { query: agent === "" ? {} : { agent }, signal: ending }),
    [agent],
  );
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === "policy") view.reload();
      }),
    [],
  );
  useEffect(
    () =>
      bindKeysWhile(
        () => route.value.path[0] === "cell",
        [{ keys: "Escape", label: words.keysBack, run: () => goTo(linkTo("policy", [], agentQuery())) }],
      ),
    [],
  );
  const found = view.value.value;
  const [part = "matrix", kind, tool] = path;
  const cell = useRef("");
  if (part === "cell") cell.current = linkTo("policy", path, agentQuery());
  useFocusRestore(path.join(" "), () =>
    document.querySelector<HTMLElement>(`.matrix a[href="${CSS.escape(cell.current)}"]`),
  );
  const version = found?.version;
  // Slow program checks.
  const whole = useResource(
    async (ending) =>
      version === undefined ? undefined : callApi("GET /api/policy/lint", { signal: ending }),
    [version],
  );
  const lint = whole.value.value?.lint;
  const problems = (lint ?? found?.lint ?? []).length;
  return (
    <>
      <header class="head">
        <h2>{words.views.policy}</h2>
        <Tabs
          view="policy"
          label={texts.parts}
          chosen={part === "cell" ? "matrix" : part}
          tabs={[
            ["matrix", texts.matrix],
            ["edit", texts.edit],
            ["lint", texts.lint, problems],
          ]}
        />
        <span class="grow" />
        {found?.mode !== undefined && found.mode !== "enforce" && (
          <span class="mark ask">{texts.mode(found.mode)}</span>
        )}
        {(found?.agents.length ?? 0) > 0 && part !== "edit" && (
          <select
            class="field"
            aria-label={texts.agent}
            value={agent}
            onChange={({ currentTarget: { value } }) => goTo(linkTo("policy", path, { agent: value }))}
          >
            <option value="">{texts.anyAgent}</option>
            {found!.agents.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </header>
      {view.error.value !== undefined && (
        <div class="body">
          <ErrorNotice fault={view.error.value} onRetry={view.reload} />
        </div>
      )}
      {found === undefined ? (
        view.loading.value && <p class="loading soft">{words.loading}</p>
      ) : part === "edit" ? (
        <Editor key={agent} view={found} agent={agent} />
      ) : part === "lint" ? (
        <LintList lint={lint} files={found.files} fault={whole.error.value} onRetry={whole.reload} />
      ) : (
        <div class={`policy${part === "cell" ? " with-cell" : ""}`}>
          <Matrix
            lines={found.lines}
            chosen={part === "cell" ? { kind: kind ?? "", tool: tool ?? "" } : undefined}
          />
          {part === "cell" && kind !== undefined && tool !== undefined && (
            <CellPane key={`${kind} ${tool} ${found.version}`} kind={kind} tool={tool} agent={agent} />
          )}
        </div>
      )}
    </>
  );
}

function agentQuery(): Record<string, string> {
  return { agent: route.value.query.get("agent") ?? "" };
}
