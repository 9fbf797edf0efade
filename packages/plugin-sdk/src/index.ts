export { Type } from "./type.ts";
export type { Static, TSchema } from "./type.ts";
export { defineTool, HaftError, image, text } from "@haft/core";
export type {
  AnyTool,
  ContentBlock,
  FileSystem,
  ModelFacts,
  Plugin,
  PluginToolContext,
  PluginToolFactory,
  PluginToolRegistration,
  Tool,
  ToolContext,
  ToolEffect,
  ToolProgress,
  ToolResult,
  ToolUpdate,
  Workspace,
} from "@haft/core";
export { definePlugin } from "./define-plugin.ts";
export type { PluginDefinition } from "./define-plugin.ts";
