import { lazily } from "../scheduling/lazily.ts";
import type { applyPatchWith as ApplyPatchWith } from "./apply-patch.ts";

const work = lazily(() => import("./apply-patch.ts"));

export const applyPatchWith: typeof ApplyPatchWith = async (...given) =>
  (await work()).applyPatchWith(...given);
