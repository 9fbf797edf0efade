export { Type } from "./type.ts";
export type { Static, TSchema } from "./type.ts";
export type * from "@haft/core";
export {
  defineErrors,
  definePlugin,
  defineTool,
  HaftError,
  image,
  isShownWhole,
  messageOf,
  onlyChangesLooks,
  promptText,
  text,
  withoutUndefined,
} from "@haft/core";
