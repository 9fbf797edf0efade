import { checkOptions, type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { MaskedSocket, ProtectedPath, SandboxLimits, SandboxMount, SandboxSpec } from "../backend.ts";
import type { DetachedLifetime } from "../launch/resolve-lifetime.ts";
import type { OpenSandboxOptions } from "./open-options.ts";

const MOST = 2 ** 30;
/** The last 32-bit value means none. */
const ID: OptionSchema = { type: "integer", minimum: 0, maximum: 2 ** 32 - 2 };
/** Larger numbers are imprecise. */
const TIME: OptionSchema = { type: "number", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** Less would be rounded to no limit. */
const MEBIBYTES: OptionSchema = { type: "number", minimum: 1, maximum: MOST };
const TEXT: OptionSchema = { type: "string", minLength: 1 };
const TEXTS: OptionSchema = { type: "array", items: { type: "string" } };
const ABSOLUTE: OptionSchema = { type: "string", pattern: "^/" };
const ACCESS: OptionSchema = { enum: ["ro", "rw"] };

const LIMITS = optionsSchema<SandboxLimits>(
  {
    memoryMb: MEBIBYTES,
    tasks: { type: "integer", minimum: 1, maximum: MOST },
    cpus: { anyOf: [{ const: 0 }, { type: "number", minimum: 0.01, maximum: MOST }] },
    fileMb: MEBIBYTES,
    tmpMb: MEBIBYTES,
  },
  ["memoryMb", "tasks", "cpus", "fileMb", "tmpMb"],
);

const MOUNT = optionsSchema<SandboxMount>(
  {
    name: { type: "string" },
    hostPath: ABSOLUTE,
    path: ABSOLUTE,
    access: ACCESS,
    identity: { type: "string" },
  },
  ["name", "hostPath", "path", "access"],
);

const HELD = optionsSchema<ProtectedPath>(
  { hostPath: ABSOLUTE, path: ABSOLUTE, access: ACCESS, identity: { type: "string" } },
  ["hostPath", "path", "access", "identity"],
);

const COVERED = optionsSchema<MaskedSocket>(
  { hostPath: ABSOLUTE, path: ABSOLUTE, identity: { type: "string" } },
  ["hostPath", "path", "identity"],
);

const SPEC = optionsSchema<SandboxSpec>(
  {
    key: { type: "string", description: "Identity within the scope: a session key, an agent id." },
    scope: { enum: ["session", "agent", "shared"], description: "Who shares the sandbox." },
    workspace: { enum: ["none", "ro", "rw"], description: "How the workspace is mounted." },
    mounts: { type: "array", items: MOUNT },
    protectedPaths: { type: "array", items: HELD },
    maskedSockets: { type: "array", items: COVERED },
    env: { type: "object", additionalProperties: { type: "string" } },
    network: {
      anyOf: [
        { enum: ["none", "full"] },
        optionsSchema<{ allow: unknown }>({ allow: { type: "array", items: TEXT } }, ["allow"]),
      ],
      description: 'It is "none", "full" or { allow: [host, …] }.',
    },
    limits: LIMITS,
    user: {
      ...optionsSchema<NonNullable<SandboxSpec["user"]>>({ uid: ID, gid: ID }, ["uid", "gid"]),
      description: "Numbers of a user and a group, { uid, gid }.",
    },
    image: TEXT,
    setup: { ...TEXT, description: "A shell script." },
    lifetime: {
      anyOf: [{ const: "tethered" }, optionsSchema<DetachedLifetime>({ idleMs: TIME, maxAgeMs: TIME })],
      description: 'It is "tethered", or { idleMs, maxAgeMs } in milliseconds (both optional).',
    },
  },
  ["key", "scope", "workspace", "mounts", "env", "network", "limits", "lifetime"],
);

const OPTIONS = optionsSchema<OpenSandboxOptions>({
  deny: TEXTS,
  readOnly: TEXTS,
  projectSettings: TEXTS,
  protectedPaths: { "haft:kind": "function" },
  allowVariables: TEXTS,
  shell: TEXT,
  maxRunning: { type: "integer", minimum: 1 },
  answerMs: { "haft:kind": "milliseconds" },
  allowPrivate: TEXTS,
  records: { "haft:kind": "object" },
  logger: { "haft:kind": "object" },
  signal: { "haft:kind": "object" },
});

/** Rejects values that a backend could read as "no limit". @throws HaftError `INVALID_OPTIONS` */
export function checkSpec(spec: SandboxSpec, options: OpenSandboxOptions = {}): void {
  checkOptions("A sandbox", spec, SPEC);
  checkOptions("openSandbox", options, OPTIONS);
}
