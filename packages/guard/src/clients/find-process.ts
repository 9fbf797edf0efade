import { HAS_PROC } from "@haft/system";
import { type FindProcess, findProcessInProc } from "./client-process.ts";
import { findProcessWithPs } from "./find-process-with-ps.ts";

/**
 * Finds a process by its pid, in `/proc` or with `ps`.
 *
 * @example
 * ```ts
 * import { findProcess } from "@haft/guard/internal/clients";
 * console.log(findProcess(process.ppid)?.words);
 * ```
 */
export const findProcess: FindProcess = HAS_PROC ? findProcessInProc : findProcessWithPs;
