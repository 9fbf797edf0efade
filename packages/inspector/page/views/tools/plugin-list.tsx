import type { ToolsView } from "../../../src/wire/api.ts";
import { Mark } from "../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
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
                  <b class="mono">{escapeInvisibleLine(pluginId)}</b> <code class="small soft">{code}</code>
                </p>
                <p class="text">{escapeInvisible(message)}</p>
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
                <b class="mono">{escapeInvisibleLine(id)}</b>
                {version !== undefined && <span class="soft small">{escapeInvisibleLine(version)}</span>}
                <Mark
                  word={problems.length > 0 ? "warning" : "quiet"}
                  text={escapeInvisibleLine(state)}
                  bare
                />
                <span class="soft small">{builtIn ? texts.builtIn : escapeInvisibleLine(from ?? "")}</span>
              </p>
              <p class="soft small mono">{escapeInvisibleLine(tools.join(", "))}</p>
              {problems.map(({ code, message, fix }, index) => (
                <p key={index} class="text">
                  {escapeInvisible(message)} {fix !== undefined && escapeInvisible(fix)}{" "}
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
