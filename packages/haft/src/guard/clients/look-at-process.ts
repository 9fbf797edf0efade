import { HAS_PROC } from "@haft/workspace/internal/system";
import { type LookAbove, lookByProc } from "./client-process.ts";
import { lookWithPs } from "./look-with-ps.ts";

/** How processes of this machine are looked at, where what that takes may be loaded. */
export const lookAtProcess: LookAbove = HAS_PROC ? lookByProc : lookWithPs;
