import type { ToolDefinition } from "@haft/core/kernel";
import type { CheckResult } from "./report.ts";

export function checkSchema(_tool: ToolDefinition): CheckResult[] {
  return [];
}
