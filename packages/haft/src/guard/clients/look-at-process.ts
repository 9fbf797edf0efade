import { HAS_PROC } from "@haft/workspace/internal/system";
import { type LookAbove, lookByProc } from "./client-process.ts";
import { lookWithPs } from "./look-with-ps.ts";

export const lookAtProcess: LookAbove = HAS_PROC ? lookByProc : lookWithPs;
