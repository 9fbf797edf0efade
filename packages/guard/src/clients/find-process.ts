import { HAS_PROC } from "@haft/system";
import { type FindProcess, findProcessInProc } from "./client-process.ts";
import { findProcessWithPs } from "./find-process-with-ps.ts";

export const findProcess: FindProcess = HAS_PROC ? findProcessInProc : findProcessWithPs;
