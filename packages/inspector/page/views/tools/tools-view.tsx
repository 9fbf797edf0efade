import type { ToolsView as Shown, ToolsView } from "../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatCount } from "../../parts/text/format-values.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { common, words } from "../../strings/frame.ts";
import { tools as texts } from "../../strings/rules.ts";
import { PluginList } from "./plugin-list.tsx";
import { ToolPane } from "./tool-pane.tsx";
import "./tools.css";

export function ToolsView() {
  const { path, query } = route.value;
  const kind = query.get("kind") ?? "main";
  const found = useResource(
    (ending) => callApi("GET /api/tools", { query: { kind }, signal: ending }),
    [kind],
  );
  const view = found.value.value;
  const part = path[0] ?? "offered";
  return (
    <>
      <header class="head">
        <h2>{words.views.tools}</h2>
        <Tabs
          view="tools"
          label={texts.parts}
          chosen={part}
          tabs={[
            ["offered", texts.offered],
            ["missing", texts.missing, view?.missing.length ?? 0],
            [
              "plugins",
              texts.plugins,
              view?.plugins.filter(({ problems }) => problems.length > 0).length ?? 0,
            ],
          ]}
        />
        <span class="grow" />
        <span class="soft small number tokens">{view !== undefined && texts.allTokens(view.tokens)}</span>
        <select
          class="field"
          aria-label={texts.kind}
          value={kind}
          onChange={({ currentTarget: { value } }) => goTo(linkTo("tools", path, { kind: value }))}
        >
          {(["main", "group", "sandboxed"] as const).map((each) => (
            <option key={each} value={each}>
              {words.kind[each]}
            </option>
          ))}
        </select>
      </header>
      {found.error.value !== undefined && (
        <div class="body">
          <ErrorNotice fault={found.error.value} onRetry={found.reload} />
        </div>
      )}
      {view === undefined ? (
        found.loading.value && <p class="loading soft">{words.loading}</p>
      ) : part === "missing" ? (
        <MissingList view={view} />
      ) : part === "plugins" ? (
        <PluginList view={view} />
      ) : (
        <Offered view={view} chosen={path[1]} kind={kind} />
      )}
    </>
  );
}

function Offered({ view, chosen, kind }: { view: Shown; chosen: string | undefined; kind: string }) {
  const tool = view.tools.find(({ name }) => name === chosen);
  const open = (index: number) =>
    goTo(linkTo("tools", ["offered", view.tools[index]!.name], { kind }), { replace: tool !== undefined });
  return (
    <div class={`pair${tool === undefined ? "" : " with-one"}`}>
      <section class="pair-list" aria-label={texts.offered}>
        <VirtualList
          id="tool"
          label={texts.offered}
          count={view.tools.length}
          rowHeight={38}
          chosen={view.tools.findIndex(({ name }) => name === chosen)}
          onChoose={open}
          row={(index) => {
            const { name, pluginId, tokens, cell, effects, effectsUnknown } = view.tools[index]!;
            return (
              <>
                <b class="mono cut tool-name">{escapeInvisibleLine(name)}</b>
                <span class="soft small cut grow">
                  {escapeInvisibleLine(pluginId)} ·{" "}
                  {effectsUnknown ? texts.effectsUnknown : effects.join(", ")}
                </span>
                <CellMark cell={cell} bare />
                <span class="soft small number tool-tokens" title={texts.tokensTitle}>
                  {formatCount(tokens)}
                </span>
              </>
            );
          }}
        />
      </section>
      <section class="pair-one" aria-label={tool?.name ?? texts.choose}>
        {tool === undefined ? (
          <Empty icon="tools" title={texts.choose} />
        ) : (
          <ToolPane key={`${kind} ${tool.id}`} tool={tool} kind={view.kind} />
        )}
      </section>
    </div>
  );
}

function MissingList({ view: { missing } }: { view: ToolsView }) {
  if (missing.length === 0) return <Empty icon="tools" title={texts.noneMissing} />;
  return (
    <div class="body" tabIndex={0} role="region" aria-label={texts.missing}>
      <ul class="notes">
        {missing.map(({ id, name, code, reason, fix }) => (
          <li key={id}>
            <p>
              <b class="mono">{escapeInvisibleLine(name)}</b>{" "}
              <span class="soft small mono">{escapeInvisibleLine(id)}</span>{" "}
              <code class="small soft">{code}</code>
            </p>
            <p class="text">{escapeInvisible(reason)}</p>
            {fix !== undefined && (
              <p class="fix text">
                <b>{common.fix}</b> {escapeInvisible(fix)}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
