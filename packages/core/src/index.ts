export { HaftError, messageOf } from "./errors.ts";
export type { EffectReceipt, ErrorCategory, HaftErrorOptions } from "./errors.ts";
export type { SessionEvent, SessionListener } from "./events.ts";
export type * from "./ports.ts";
export type { Plugin, PluginToolContext, PluginToolFactory, PluginToolRegistration } from "./registration.ts";
export { image, text, textOf } from "./result.ts";
export type { ContentBlock, ImageBlock, OutcomeKind, TextBlock, ToolOutcome, ToolResult } from "./result.ts";
export { defineTool } from "./tool.ts";
export type {
  AnyTool,
  ModelFacts,
  Tool,
  ToolContext,
  ToolEffect,
  ToolProgress,
  ToolUpdate,
} from "./tool.ts";
