import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import type { SandboxLimits, SandboxSpec } from "@haft/sandbox";
import {
  BUILT_IN_BACKENDS,
  DEFAULT_LIMITS,
  type SandboxCaps,
  type SandboxSettings,
} from "./sandbox-settings.ts";

const NUMBER: OptionSchema = { type: "number", minimum: 0 };
const TIME: OptionSchema = { type: "number", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const ROOTS: OptionSchema = {
  "haft:kind": "object",
  additionalProperties: optionsSchema<{ path: string; access: "ro" | "rw" }>(
    { path: { type: "string" }, access: { enum: ["ro", "rw"] } },
    ["path", "access"],
  ),
  description: "More folders, addressed as name:path, each with its path and access (ro or rw).",
};

export const SANDBOX_SETTINGS_BY_NAME: OptionSchemas<SandboxSettings> = {
  backend: {
    anyOf: [{ enum: ["auto", ...BUILT_IN_BACKENDS, "node"] }, { "haft:kind": "object" }],
    description:
      "What opens them. Default auto: the first that works here, never the host. node: a workspace of another machine.",
  },
  node: { type: "string", minLength: 1, description: "With backend node: which one, by id or name." },
  workspace: {
    type: "string",
    minLength: 1,
    description: "With backend node: the workspace of that node. workspaceAccess sets its access.",
  },
  scope: {
    enum: ["session", "agent", "shared"],
    description: "Who shares one: no other session (default), all sessions of an agent, all of this folder.",
  },
  workspaceAccess: {
    enum: ["none", "ro", "rw"],
    description: "How the workspace folder is mounted inside. Default none: it is not mounted.",
  },
  roots: ROOTS,
  network: {
    anyOf: [
      { enum: ["none", "full"] },
      optionsSchema<{ allow: readonly string[] }>({ allow: { type: "array", items: { type: "string" } } }, [
        "allow",
      ]),
    ],
    description: "The network of commands: none (default), full, or { allow } with names of hosts.",
  },
  limits: {
    ...optionsSchema<SandboxLimits>({
      memoryMb: { ...NUMBER, description: `MiB of memory. Default ${DEFAULT_LIMITS.memoryMb}.` },
      tasks: { ...NUMBER, description: `Processes and threads. Default ${DEFAULT_LIMITS.tasks}.` },
      cpus: { ...NUMBER, description: "Processors; 0 (default) for all." },
      fileMb: { ...NUMBER, description: `MiB of the largest file. Default ${DEFAULT_LIMITS.fileMb}.` },
      tmpMb: { ...NUMBER, description: `MiB in /tmp. Default ${DEFAULT_LIMITS.tmpMb}.` },
    }),
    description: "What everything in it may use together.",
  },
  image: { type: "string", description: "For backends with images." },
  env: {
    "haft:kind": "object",
    additionalProperties: { type: "string" },
    description: "Variables of commands. Nothing of the host's environment comes along.",
  },
  setup: { type: "string", description: "A shell script run once inside, before anything else." },
  user: {
    ...optionsSchema<NonNullable<SandboxSettings["user"]>>({ uid: NUMBER, gid: NUMBER }, ["uid", "gid"]),
    description: "Who commands run as. Default: the owner of the workspace.",
  },
  lifetime: {
    anyOf: [
      { const: "tethered" },
      optionsSchema<Exclude<SandboxSpec["lifetime"], string>>({
        idleMs: { ...TIME, description: "Milliseconds without use until its removal. Default 3600000." },
        maxAgeMs: {
          ...TIME,
          description: "Milliseconds from its start until its removal. Default 604800000.",
        },
      }),
    ],
    description:
      "tethered (default): the sandbox ends with this process. { idleMs, maxAgeMs }: Docker keeps it for later processes.",
  },
};

/** More than any machine has. */
const MAX_SETTING_VALUE = 2 ** 30;
const MEBIBYTES: OptionSchema = { type: "number", minimum: 1, maximum: MAX_SETTING_VALUE };

/** Numbers for "unlimited" are not allowed here. */
export const SANDBOX_CAPS = optionsSchema<SandboxCaps>({
  memoryMb: { ...MEBIBYTES, description: "At most so many MiB of memory." },
  tasks: {
    type: "integer",
    minimum: 1,
    maximum: MAX_SETTING_VALUE,
    description: "At most so many processes and threads.",
  },
  cpus: {
    type: "number",
    minimum: 0.01,
    maximum: MAX_SETTING_VALUE,
    description: "At most so many processors.",
  },
  fileMb: { ...MEBIBYTES, description: "No file of more MiB." },
  tmpMb: { ...MEBIBYTES, description: "At most so many MiB in /tmp." },
});

export const SANDBOX_SETTINGS = optionsSchema<SandboxSettings>(SANDBOX_SETTINGS_BY_NAME);
