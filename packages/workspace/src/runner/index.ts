export { BOOTSTRAP, withProgram } from "./bootstrap.ts";
export { connectRunner } from "./connect-runner.ts";
export type { RunnerCapabilities, RunnerConnection, RunnerFacts, RunnerSettings } from "./connect-runner.ts";
export { connecting } from "./connecting.ts";
export { RUNNER_FLAGS } from "../processes/runner-flags.ts";
export { runnerProgram } from "./runner-program.ts";
export type { RunnerProgram } from "./runner-program.ts";
export { SessionProcesses } from "../processes/session-processes.ts";
export type { ProcessSource, SessionProcessesOptions } from "../processes/session-processes.ts";
// For a runner of another kind, whose failures shall read the same.
export { failure } from "../failures.ts";
export type { FailureCode, Request as FileRequest } from "../failures.ts";
// For what is guarded beside the runner: a sandbox of any kind is asked about its files in the same way.
export { createGuards } from "../guards.ts";
export type { Guards } from "../guards.ts";
export { RunnerError } from "../processes/runner-error.ts";
export type { RunnerErrorCode } from "../processes/runner-error.ts";
export { noRunner, sandboxLost } from "./runner-failures.ts";
