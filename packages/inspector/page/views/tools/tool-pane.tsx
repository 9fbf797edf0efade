import type { SessionKind } from "@haft/core";
import type { ToolView } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { Icon } from "../../parts/icon.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Section } from "../../parts/section.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatCount } from "../../parts/text/format-values.ts";
import { common, words } from "../../strings/frame.ts";
import { tools as texts } from "../../strings/rules.ts";

const TryTool = lazyComponent(async () => (await import("./try/try-tool.tsx")).TryTool);

export function ToolPane({ tool, kind }: { tool: ToolView; kind: SessionKind }) {
  const { name, id, description, parameters, outputSchema, effects, effectsUnknown, cell, tokens, mcp } =
    tool;
  return (
    <>
      <header class="head call-head">
        <a class="button plain small up" href={linkTo("tools", [], { kind })} aria-label={words.back}>
          <Icon name="back" />
        </a>
        <h2 class="grow cut">
          <span class="mono">{escapeInvisibleLine(name)}</span>{" "}
          <span class="soft mono">{escapeInvisibleLine(id)}</span>
        </h2>
        <span class="soft small number">{texts.tokens(formatCount(tokens))}</span>
      </header>
      <div class="body call-body" tabIndex={0} role="region" aria-label={texts.aboutTool}>
        <p class="text description">{escapeInvisible(description)}</p>
        <dl class="facts">
          <dt>{texts.effects}</dt>
          <dd>
            {effectsUnknown
              ? texts.effectsUnknown
              : effects.length === 0
                ? texts.noEffects
                : effects.join(", ")}
          </dd>
          {mcp !== undefined && (
            <>
              <dt>{texts.mcp}</dt>
              <dd class="text">{escapeInvisibleLine(`${mcp.server}, ${mcp.tool}`)}</dd>
            </>
          )}
          <dt>{texts.policy}</dt>
          <dd>
            <a href={linkTo("policy", ["cell", kind, id])}>
              <CellMark cell={cell} bare />
            </a>{" "}
            <span class="text">{escapeInvisible(cell.reason)}</span>
            {cell.fix !== undefined && (
              <p class="soft small text">
                {common.fix} {escapeInvisible(cell.fix)}
              </p>
            )}
          </dd>
        </dl>
        <Section title={texts.tryIt}>
          <TryTool tool={tool} kind={kind} />
        </Section>
        <Section title={texts.schema} closed>
          <pre class="block schema">{escapeInvisible(JSON.stringify(parameters, undefined, 2))}</pre>
        </Section>
        {outputSchema !== undefined && (
          <Section title={texts.outputSchema} closed>
            <pre class="block schema">{escapeInvisible(JSON.stringify(outputSchema, undefined, 2))}</pre>
          </Section>
        )}
      </div>
    </>
  );
}
