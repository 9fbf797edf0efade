export { BOOTSTRAP, sendProgram } from "../wire/runner-program.ts";
export { connectRunner } from "../wire/connect-runner.ts";
export type { RunnerConnection, RunnerFacts, RunnerSettings } from "../wire/connect-runner.ts";
export type { RunnerNetwork } from "../wire/network-client.ts";
export type { IdentifyResult, RunnerCapabilities, RunnerProcesses } from "../wire/protocol.ts";
export { connectWithTimeout, type ConnectContext } from "../wire/connect-with-timeout.ts";
export { RESERVED_PIDS } from "../run/runner-options.ts";
export { RUNNER_FLAGS, RUNNER_TITLE } from "../run/runner-options.ts";
export { runnerProgram, type RunnerProgram } from "../wire/runner-program.ts";
export { SessionProcesses } from "../processes/session-processes.ts";
export type { EnvironmentOptions } from "../run/environment/environment.ts";
export type { PreparedView, RunnerNeeds, RunnerView } from "../processes/runner-view.ts";
export { type ProcessRecords, createMemoryRecords } from "../processes/process-records.ts";
export type { ProcessSource, SessionProcessesOptions } from "../processes/session-processes.ts";
// Used by backends and other kinds of runners.
export { workspaceError } from "../errors.ts";
export { failure, REASONS } from "../boundary/failures.ts";
export type { FailureCode, FailureDetails, Request as FileRequest } from "../boundary/failures.ts";
// Used by sandboxes, which protect their files by the same rules.
export type { PatternContext } from "../boundary/deny.ts";
export { createGuards, type GuardOptions, type Guards } from "../boundary/guards.ts";
export { noRunnerError, sandboxLostError } from "../wire/failures.ts";
export { Heartbeat } from "../wire/heartbeat.ts";
export * from "../defaults.ts";
export { RemoteClock } from "../fence/remote-clock.ts";
export type { Isolation } from "../processes/open-runner.ts";
