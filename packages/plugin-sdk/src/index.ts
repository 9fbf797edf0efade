export { Type } from "@sinclair/typebox";
export type { Static, TSchema } from "@sinclair/typebox";
export { defineTool, HaftError, image, text } from "@haft/core";
export type {
  AnyTool,
  ContentBlock,
  FileSystem,
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
