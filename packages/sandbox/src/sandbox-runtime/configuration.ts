import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import type { Mount } from "@haft/core";
import { unchanged } from "@haft/workspace/internal/system";
import type { SandboxSpec } from "../backend.ts";
import { SETUP_FAILED } from "../bubblewrap/explain-failure.ts";
import { runtimeError } from "../errors.ts";
import { hostMounts } from "../mounts/host-mounts.ts";
import { quoted } from "../quoted.ts";
import type { RuntimeFolder } from "./private-folder.ts";
import type { Installed } from "./requirements.ts";

/** Variables that lead commands to srt's proxies; `NODE_USE_ENV_PROXY` leads Node's own requests there. */
export const PROXY_VARIABLES: readonly string[] = `
  HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY GRPC_PROXY RSYNC_PROXY NO_PROXY CLOUDSDK_PROXY_* GIT_SSH_COMMAND
  NODE_USE_ENV_PROXY
`
  .trim()
  .split(/\s+/);

/** Programs and what they need of `/etc`, without keys. */
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
/** Where people's files are on macOS, whose programs need to read all over the rest. */
const MAC_PRIVATE = ["/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root"];
/** Open for writing in every srt of the machine, so that sandboxes could meet there. */
const SRT_SHARED = ["/tmp/claude", "/private/tmp/claude"];

const literal = (path: string) => ({ path, literal: true }) as const;

/** srt denies reading everything but this. Checked against srt's own type, which is not named: srt may be missing. */
export function runtimeConfigurationOf(
  spec: SandboxSpec,
  mounts: readonly Mount[],
  folder: RuntimeFolder,
  { programs }: Pick<Installed, "programs">,
  node: string,
): object {
  const { network, held = [], covered = [] } = spec;
  const closed = covered.map(({ hostPath }) => literal(hostPath));
  const { home, seccomp } = folder;
  const paths = (access: Mount["access"]) =>
    mounts.filter((mount) => mount.access === access).map(({ path }) => literal(path));
  const own = [
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
      allowRead: [...SYSTEM, ...own, home].map(literal).concat(paths("ro"), paths("rw")),
      allowWrite: [literal(home), ...paths("rw")],
      denyWrite: [
        ...SRT_SHARED.map(literal),
        ...paths("ro"),
        ...closed,
        ...held.filter(({ access }) => access === "ro").map(({ hostPath }) => literal(hostPath)),
      ],
    },
    allowPty: true,
    ...(seccomp === undefined ? {} : { seccomp: { applyPath: seccomp } }),
    ...(programs === undefined
      ? {}
      : {
          bwrapPath: unchanged(programs.bwrap),
          socatPath: unchanged(programs.socat),
          ripgrep: { command: unchanged(programs.rg) },
        }),
  } satisfies SandboxRuntimeConfig;
}

/** The workspace first, each under its real path on the host: srt moves none. */
export function mountsOf(spec: SandboxSpec): Mount[] {
  const { main, others } = hostMounts(spec, runtimeError);
  return [...(main === undefined ? [] : [main]), ...others].map(({ name, hostPath, access }) => ({
    name,
    path: hostPath,
    access,
  }));
}

/** What `sh` runs inside: in a file, because what is in it is on no command line there. */
export function startScript(
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
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`),
    // Shells call it differently.
    `ulimit -u ${limits.tasks} 2>/dev/null || ulimit -p ${limits.tasks} 2>/dev/null`,
    `cd ${quoted(workspace)} 2>/dev/null`,
    ...(setup === undefined ? [] : [`sh -c ${quoted(setup)} </dev/null >&2 || exit ${SETUP_FAILED}`]),
    `exec ${runner.map(quoted).join(" ")}`,
    "",
  ].join("\n");
}
