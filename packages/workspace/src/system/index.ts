export { examineProgram } from "./examine-program.ts";
export type { Examined } from "./examine-program.ts";
export { findHostProgram, hostProgram, missing, runningNode, unchanged } from "./host-program.ts";
export type { FoundProgram, HostProgram, ProgramPlace } from "./host-program.ts";
export { hostProgramError } from "./host-program-error.ts";
export { safePath } from "./safe-path.ts";
export { addSessionRoot, sessionRootOf } from "./session-roots.ts";
export { runProgram, startProgram } from "./start-program.ts";
