import { type ToolFacts, withoutUndefined } from "@haft/core";
import type { ToolDefinition } from "@haft/core/kernel";
import type { PluginShown, ToolShown, ToolsView } from "@haft/inspector";
import { readMatrix } from "@haft/policy";
import type { PluginReport } from "../../plugins/plugin-report.ts";
import { tokensOf } from "../../plugins/tokens-of.ts";
import type { Looking } from "../looking.ts";
import { kindOf } from "../policy/policy-view.ts";

/** What sessions of a kind are offered, and why other tools are missing. */
export async function toolsView(
  looking: Looking,
  { kind, agent }: { kind?: string; agent?: string },
): Promise<ToolsView> {
  const { host } = looking;
  const session = kindOf(kind);
  const preview = await host.preview(withoutUndefined({ kind: session, agentId: agent }));
  const rows = new Map(readMatrix(host.policy, host.catalogue, agent).map((row) => [row.toolId, row]));
  const tools = preview.tools().flatMap((definition): ToolShown[] => {
    const facts = factsOf(host.catalogue, definition);
    const cell = facts && rows.get(facts.id)?.cells[session];
    return facts === undefined || cell === undefined ? [] : [{ ...toolShown(definition, facts), cell }];
  });
  return {
    kind: session,
    tools,
    missing: preview.missing(),
    diagnostics: [...host.diagnostics, ...preview.diagnostics()],
    plugins: host.plugins().map(pluginShown),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function factsOf(catalogue: readonly ToolFacts[], { name }: ToolDefinition): ToolFacts | undefined {
  const named = catalogue.filter((facts) => facts.name === name || facts.id === name);
  return named.find(({ builtIn }) => builtIn) ?? named[0];
}

function toolShown(definition: ToolDefinition, facts: ToolFacts): Omit<ToolShown, "cell"> {
  const { name, description, parameters, outputSchema } = definition;
  const { id, pluginId, effects, effectsUnknown, builtIn, optional, mcp } = facts;
  const tokens = tokensOf(definition);
  return withoutUndefined<Omit<ToolShown, "cell">>({
    name,
    id,
    pluginId,
    description,
    parameters,
    outputSchema,
    effects,
    effectsUnknown,
    builtIn,
    optional,
    mcp,
    tokens,
  });
}

function pluginShown(report: PluginReport): PluginShown {
  const { use, id, version, file, source, state, tools, problem, late } = report;
  const problems: PluginShown["problems"][number][] = [];
  if (problem !== undefined)
    problems.push({ code: problem.code, message: problem.message, fix: problem.fix });
  if (late !== undefined) problems.push({ code: late.code, message: late.message });
  return withoutUndefined<PluginShown>({
    id: id ?? use,
    version,
    from: report.package?.name ?? file,
    builtIn: source === "built-in",
    state,
    tools: tools.map(({ name }) => name),
    problems,
  });
}
