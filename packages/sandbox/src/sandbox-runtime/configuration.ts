import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import type { Mount } from "@haft/core";
import { requireUnchangedProgram } from "@haft/system";
import type { SandboxSpec } from "../backend.ts";
import { SETUP_FAILED } from "../bubblewrap/explain-failure.ts";
import { runtimeError } from "../errors.ts";
import { hostMounts } from "../mounts/host-mounts.ts";
import { quoteShellWord } from "../quote-shell-word.ts";
import type { RuntimeFolder } from "./private-folder.ts";
import type { InstalledRuntime } from "./requirements.ts";

export const PROXY_VARIABLES: readonly string[] = `
  HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY GRPC_PROXY RSYNC_PROXY NO_PROXY CLOUDSDK_PROXY_* GIT_SSH_COMMAND
  NODE_USE_ENV_PROXY
`
  .trim()
  .split(/\s+/);

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/lib32",
  "/libx32",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/localtime",
  "/etc/passwd",
  "/etc/group",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/ca-trust/extracted",
  "/etc/pki/tls/certs",
  "/etc/crypto-policies",
];
/** Folders of users; programs on macOS read most others. */
const MAC_PRIVATE = ["/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root"];
/** Writable in every srt, so sandboxes could exchange data. */
const SRT_SHARED = ["/tmp/claude", "/private/tmp/claude"];

const literal = (path: string) => ({ path, literal: true }) as const;

/** Allows reading only these paths. The return type hides srt's type, because srt may be missing. */
export function createRuntimeConfiguration(
  spec: SandboxSpec,
  mounts: readonly Mount[],
  folder: RuntimeFolder,
  { programs }: Pick<InstalledRuntime, "programs">,
  node: string,
): object {
  const { network, protectedPaths = [], maskedSockets = [] } = spec;
  const closed = maskedSockets.map(({ hostPath }) => literal(hostPath));
  const { home, seccomp } = folder;
  const paths = (access: Mount["access"]) =>
    mounts.filter((mount) => mount.access === access).map(({ path }) => literal(path));
  const readable = [
    node,
    folder.start,
    folder.keeper,
    folder.programs,
    ...(seccomp === undefined ? [] : [seccomp]),
    ...Object.values(programs ?? {}).map(({ path }) => path),
  ];
  return {
    network: {
      allowedDomains: typeof network === "object" ? [...network.allow] : [],
      deniedDomains: [],
      strictAllowlist: true,
    },
    filesystem: {
      denyRead: [...(process.platform === "darwin" ? MAC_PRIVATE : ["/", "/sys"]), ...SRT_SHARED, ...closed],
      allowRead: [...SYSTEM, ...readable, home].map(literal).concat(paths("ro"), paths("rw")),
      allowWrite: [literal(home), ...paths("rw")],
      denyWrite: [
        ...SRT_SHARED.map(literal),
        ...paths("ro"),
        ...closed,
        ...protectedPaths.filter(({ access }) => access === "ro").map(({ hostPath }) => literal(hostPath)),
      ],
    },
    allowPty: true,
    ...(seccomp === undefined ? {} : { seccomp: { applyPath: seccomp } }),
    ...(programs === undefined
      ? {}
      : {
          bwrapPath: requireUnchangedProgram(programs.bwrap),
          socatPath: requireUnchangedProgram(programs.socat),
          ripgrep: { command: requireUnchangedProgram(programs.rg) },
        }),
  } satisfies SandboxRuntimeConfig;
}

/** srt moves no folder. */
export function listRuntimeMounts(spec: SandboxSpec): Mount[] {
  const { main, others } = hostMounts(spec, runtimeError);
  return [...(main === undefined ? [] : [main]), ...others].map(({ name, hostPath, access }) => ({
    name,
    path: hostPath,
    access,
  }));
}

/** Passed as a file, so that process lists do not show it. */
export function buildStartScript(
  { env, setup, limits }: SandboxSpec,
  { home, workspace, programs }: RuntimeFolder,
  runner: readonly string[],
): string {
  const variables = {
    PATH: `/usr/local/bin:/usr/bin:/bin:/usr/sbin:${programs}`,
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    USER: "haft",
    LOGNAME: "haft",
    NODE_USE_ENV_PROXY: "1",
    ...env,
  };
  return [
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoteShellWord(value)}`),
    `ulimit -u ${limits.tasks} 2>/dev/null || ulimit -p ${limits.tasks} 2>/dev/null`,
    `cd ${quoteShellWord(workspace)} 2>/dev/null`,
    ...(setup === undefined ? [] : [`sh -c ${quoteShellWord(setup)} </dev/null >&2 || exit ${SETUP_FAILED}`]),
    `exec ${runner.map(quoteShellWord).join(" ")}`,
    "",
  ].join("\n");
}
