export { Type } from "./type.ts";
export type { Static, TSchema } from "./type.ts";
export {
  defineErrors,
  definePlugin,
  defineTool,
  HaftError,
  image,
  messageOf,
  text,
  withoutUndefined,
} from "@haft/core";
export type {
  AnyTool,
  ContentBlock,
  ErrorFacts,
  Errors,
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
