import {
  checkOptions,
  invalidOptions,
  optionsSchema,
  SESSION_ENVIRONMENT,
  SESSION_OPTIONS,
} from "@haft/core/internal";
import type { SandboxLimits, SandboxWorkspace } from "@haft/sandbox";
import { BUILT_IN_BACKENDS, isSandboxWorkspace, type SandboxSettings } from "../sandbox/settings.ts";
import type { HostOptions, HostSessionOptions } from "./host.ts";

const SANDBOX = optionsSchema<SandboxSettings>({
  backend: { anyOf: [{ enum: ["auto", ...BUILT_IN_BACKENDS] }, { "haft:kind": "object" }] },
  scope: { enum: ["session", "agent", "shared"] },
  workspaceAccess: { enum: ["none", "ro", "rw"] },
  roots: {},
  network: {},
  limits: optionsSchema<SandboxLimits>({ memoryMb: {}, tasks: {}, cpus: {}, fileMb: {}, tmpMb: {} }),
  image: { type: "string" },
  env: {},
  setup: { type: "string" },
  user: optionsSchema<NonNullable<SandboxSettings["user"]>>({ uid: {}, gid: {} }),
  lifetime: {},
});

const BOUNDARY = optionsSchema<NonNullable<HostOptions["boundary"]>>({
  workspaceOnly: {},
  rootAccess: { enum: ["ro", "rw"] },
  deny: {},
  credentials: {},
  readOnly: {},
  startFiles: {},
  projectSettings: {},
  code: {},
  hardLinks: { enum: ["packages", "refuse", "allow"] },
  homeDir: { type: "string" },
});

const { registry: _registry, policy: _policy, ...ENVIRONMENT } = SESSION_ENVIRONMENT;

/** Keys alone, where what is in them is checked by whoever they are for. */
const HOST = optionsSchema<HostOptions>({
  ...ENVIRONMENT,
  plugins: {},
  policy: {},
  policySource: { type: "string" },
  policyPositions: {},
  administratorPolicy: {},
  workspaceDir: { type: "string" },
  roots: {},
  boundary: BOUNDARY,
  processes: {},
  sandbox: {},
  onCommandExit: {},
  stateDir: {},
  factoryTimeoutMs: {},
});

const { dispose: _dispose, ...OF_CORE } = SESSION_OPTIONS;
const SESSION = optionsSchema<HostSessionOptions>(OF_CORE);

/** @throws HaftError `INVALID_OPTIONS` for one that does not exist, or is not what it has to be */
export function checkHostOptions(options: HostOptions): void {
  checkOptions("createHost", options, HOST);
  checkStateDir(options.stateDir);
  if (options.sandbox !== undefined && options.sandbox !== false) {
    checkOptions("createHost: sandbox", options.sandbox, SANDBOX);
  }
}

/** @throws HaftError `INVALID_OPTIONS`, as {@link checkHostOptions} */
export function checkSessionOptions(options: HostSessionOptions): void {
  checkOptions("openSession", options, SESSION);
  const { sandbox } = options;
  if (sandbox !== undefined && !isOpen(sandbox)) checkOptions("openSession: sandbox", sandbox, SANDBOX);
}

/** An empty text would be the working folder. */
function checkStateDir(stateDir: unknown): void {
  if (stateDir === undefined || stateDir === false || (typeof stateDir === "string" && stateDir !== ""))
    return;
  throw invalidOptions(
    "createHost: stateDir names a folder, or is false.",
    "Name one, or leave it out for the one of this user.",
  );
}

/** Whatever it is: `in` asks objects only. */
function isOpen(sandbox: SandboxSettings | SandboxWorkspace): sandbox is SandboxWorkspace {
  return typeof sandbox === "object" && sandbox !== null && isSandboxWorkspace(sandbox);
}
