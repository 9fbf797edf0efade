import {
  checkOption,
  checkOptions,
  SESSION_ENVIRONMENT,
  SESSION_OPTIONS,
  type OptionChecks,
} from "@haft/core/internal";
import type { SandboxLimits, SandboxWorkspace } from "@haft/sandbox";
import { hostError } from "../errors.ts";
import { BUILT_IN_BACKENDS, isSandboxWorkspace, type SandboxSettings } from "../sandbox/settings.ts";
import type { HostOptions, HostSessionOptions } from "./host.ts";

const LIMITS: OptionChecks<SandboxLimits> = {
  memoryMb: "any",
  tasks: "any",
  cpus: "any",
  fileMb: "any",
  tmpMb: "any",
};

const SANDBOX: OptionChecks<SandboxSettings> = {
  backend: "any",
  scope: ["session", "agent", "shared"],
  workspaceAccess: ["none", "ro", "rw"],
  roots: "any",
  network: "any",
  limits: LIMITS,
  image: "text",
  env: "any",
  setup: "text",
  user: { uid: "any", gid: "any" },
  lifetime: "any",
};

const BOUNDARY: OptionChecks<NonNullable<HostOptions["boundary"]>> = {
  workspaceOnly: "any",
  rootAccess: ["ro", "rw"],
  deny: "any",
  credentials: "any",
  readOnly: "any",
  startFiles: "any",
  projectSettings: "any",
  code: "any",
  hardLinks: ["packages", "refuse", "allow"],
  homeDir: "text",
};

const { registry: _registry, policy: _policy, ...ENVIRONMENT } = SESSION_ENVIRONMENT;

/** Keys alone, where what is in them is checked by whoever they are for. */
const HOST: OptionChecks<HostOptions> = {
  ...ENVIRONMENT,
  plugins: "any",
  policy: "any",
  policySource: "text",
  policyPositions: "any",
  administratorPolicy: "any",
  workspaceDir: "text",
  roots: "any",
  boundary: BOUNDARY,
  processes: "any",
  sandbox: "any",
  onCommandExit: "any",
  stateDir: "any",
  factoryTimeoutMs: "any",
};

const { dispose: _dispose, ...OF_CORE } = SESSION_OPTIONS;
const SESSION: OptionChecks<HostSessionOptions> = OF_CORE;

/** @throws HaftError `INVALID_OPTIONS` for one that does not exist, or is not what it has to be */
export function checkHostOptions(options: HostOptions): void {
  checkOptions("createHost", options, HOST);
  checkStateDir(options.stateDir);
  if (options.sandbox !== undefined && options.sandbox !== false) {
    checkSandbox("createHost: sandbox", options.sandbox);
  }
}

/** @throws HaftError `INVALID_OPTIONS`, as {@link checkHostOptions} */
export function checkSessionOptions(options: HostSessionOptions): void {
  checkOptions("openSession", options, SESSION);
  const { sandbox } = options;
  if (sandbox !== undefined && !isOpen(sandbox)) checkSandbox("openSession: sandbox", sandbox);
}

/** An empty text would be the working folder. */
function checkStateDir(stateDir: unknown): void {
  if (stateDir === undefined || stateDir === false || (typeof stateDir === "string" && stateDir !== ""))
    return;
  throw hostError("INVALID_OPTIONS", "createHost: stateDir names a folder, or is false.", {
    fix: "Name one, or leave it out for the one of this user.",
    receipt: "none",
  });
}

/** Whatever it is: `in` asks objects only. */
function isOpen(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return typeof sandbox === "object" && sandbox !== null && isSandboxWorkspace(sandbox);
}

function checkSandbox(where: string, sandbox: SandboxSettings): void {
  checkOptions(where, sandbox, SANDBOX);
  const { backend } = sandbox;
  if (typeof backend === "string") checkOption(`${where}: backend`, backend, ["auto", ...BUILT_IN_BACKENDS]);
}
