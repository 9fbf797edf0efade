export { createPlugin, type CreatedPlugin, type CreateOptions } from "./create-plugin.ts";
export {
  type Effect,
  EFFECTS,
  type Manager,
  MANAGERS,
  type Plan,
  planOf,
  WishError,
  type Wishes,
} from "./plan.ts";
