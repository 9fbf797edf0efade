import type * as Fetch from "./fetch-for.ts";

/** The module of `context.fetch`, which is loaded when somebody needs it; where tools are watched, before that begins. */
export const loadFetch = (): Promise<typeof Fetch> => import("./fetch-for.ts");
