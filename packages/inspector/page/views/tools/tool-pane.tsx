import type { SessionKind } from "@haft/core";
import type { ToolShown } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { Icon } from "../../parts/icon.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { Section } from "../../parts/section.tsx";
import { count } from "../../parts/text/times.ts";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { common, words } from "../../strings/frame.ts";
import { tools as texts } from "../../strings/rules.ts";

const TryTool = lazyComponent(async () => (await import("./try/try-tool.tsx")).TryTool);

export function ToolPane({ tool, kind }: { tool: ToolShown; kind: SessionKind }) {
  const { name, id, description, parameters, outputSchema, effects, effectsUnknown, cell, tokens, mcp } =
    tool;
  return (
    <>
      <header class="head call-head">
        <a class="button plain small up" href={linkTo("tools", [], { kind })} aria-label={words.back}>
          <Icon name="back" />
        </a>
        <h2 class="grow cut">
          <span class="mono">{visibleLine(name)}</span> <span class="soft mono">{visibleLine(id)}</span>
        </h2>
        <span class="soft small number">{texts.tokens(count(tokens))}</span>
      </header>
      <div class="body call-body" tabIndex={0} role="region" aria-label={texts.aboutTool}>
        <p class="text description">{visible(description)}</p>
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
              <dd class="text">{visibleLine(`${mcp.server}, ${mcp.tool}`)}</dd>
            </>
          )}
          <dt>{texts.policy}</dt>
          <dd>
            <a href={linkTo("policy", ["cell", kind, id])}>
              <CellMark cell={cell} bare />
            </a>{" "}
            <span class="text">{visible(cell.reason)}</span>
            {cell.fix !== undefined && (
              <p class="soft small text">
                {common.fix} {visible(cell.fix)}
              </p>
            )}
          </dd>
        </dl>
        <Section title={texts.tryIt}>
          <TryTool tool={tool} kind={kind} />
        </Section>
        <Section title={texts.schema} closed>
          <pre class="block schema">{visible(JSON.stringify(parameters, undefined, 2))}</pre>
        </Section>
        {outputSchema !== undefined && (
          <Section title={texts.outputSchema} closed>
            <pre class="block schema">{visible(JSON.stringify(outputSchema, undefined, 2))}</pre>
          </Section>
        )}
      </div>
    </>
  );
}
