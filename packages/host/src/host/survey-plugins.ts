import type { MissingTool, ToolDiagnostic } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import type { PluginReport } from "@haft/plugin-loader";
import type { HostSessionOptions } from "./host-options.ts";
import type { Host } from "./host.ts";

export interface PluginSurvey {
  plugins: readonly PluginReport[];
  tools: readonly ToolDefinition[];
  missing: readonly MissingTool[];
  diagnostics: readonly ToolDiagnostic[];
}

/** Inspects a session of this kind: its factories run, but its tools do not. */
export async function surveyPlugins(host: Host, session: HostSessionOptions = {}): Promise<PluginSurvey> {
  const preview = await host.preview(session);
  const [tools, missing, diagnostics] = [preview.tools(), preview.missing(), preview.diagnostics()];
  return { plugins: host.plugins(), tools, missing, diagnostics };
}
