import type { diffTexts as DiffTexts } from "./diff-texts.ts";

/** As in diff-texts.ts, which is loaded with the first diff. */
export const diffTexts: typeof DiffTexts = async (...given) =>
  (await import("./diff-texts.ts")).diffTexts(...given);
