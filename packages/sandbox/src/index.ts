export type * from "./backend.ts";
export { createBubblewrapBackend } from "./bubblewrap/bubblewrap-backend.ts";
export type { BubblewrapOptions } from "./bubblewrap/bubblewrap-backend.ts";
