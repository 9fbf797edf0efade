export type * from "./wire/api.ts";
