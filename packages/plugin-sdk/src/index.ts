export { Type } from "./type.ts";
export type { Static, TSchema } from "./type.ts";
export { definePlugin, defineTool, HaftError, image, text } from "@haft/core";
export type {
  AnyTool,
  ContentBlock,
  FileSystem,
  ModelFacts,
  Plugin,
  PluginDefinition,
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
