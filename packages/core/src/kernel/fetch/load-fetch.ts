/** The module of `context.fetch`, which is loaded when somebody needs it; where tools are watched, before that begins. */
export const loadFetch = (): Promise<typeof import("./fetch-for.ts")> => import("./fetch-for.ts");
