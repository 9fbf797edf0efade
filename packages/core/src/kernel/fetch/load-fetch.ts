import type * as Fetch from "./fetch-for.ts";

/** The module of `context.fetch`, loaded when somebody needs it. */
export const loadFetch = (): Promise<typeof Fetch> => import("./fetch-for.ts");
