import type { ToolsView } from "../../../src/wire/api.ts";
import { Mark } from "../../parts/mark.tsx";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { tools as texts } from "../../strings/rules.ts";

export function PluginList({ view: { plugins, diagnostics } }: { view: ToolsView }) {
  return (
    <div class="body" tabIndex={0} role="region" aria-label={texts.plugins}>
      {diagnostics.length > 0 && (
        <section>
          <h2>{texts.diagnostics}</h2>
          <ul class="notes">
            {diagnostics.map(({ code, pluginId, message }, index) => (
              <li key={index}>
                <p>
                  <b class="mono">{visibleLine(pluginId)}</b> <code class="small soft">{code}</code>
                </p>
                <p class="text">{visible(message)}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{texts.plugins}</h2>
        <ul class="notes">
          {plugins.map(({ id, version, from, builtIn, state, tools, problems }) => (
            <li key={id}>
              <p class="plugin-line">
                <b class="mono">{visibleLine(id)}</b>
                {version !== undefined && <span class="soft small">{visibleLine(version)}</span>}
                <Mark word={problems.length > 0 ? "warning" : "quiet"} text={visibleLine(state)} bare />
                <span class="soft small">{builtIn ? texts.builtIn : visibleLine(from ?? "")}</span>
              </p>
              <p class="soft small mono">{visibleLine(tools.join(", "))}</p>
              {problems.map(({ code, message, fix }, index) => (
                <p key={index} class="text">
                  {visible(message)} {fix !== undefined && visible(fix)}{" "}
                  <code class="small soft">{code}</code>
                </p>
              ))}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
