import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openContained, type ContainedHost } from "./contained-host.ts";
import type { HostEscapeResult } from "./git-escapes.ts";

/** A user's home folder with a project in it, and what Haft keeps beside it. Not below a folder that is private in a view. */
interface Home {
  home: string;
  project: string;
  place: ContainedHost;
  connections(): number;
  listen(where: object): Promise<Server>;
}

interface HomeDoor {
  title: string;
  /** On the host, before the session is opened. */
  before?: (home: Home) => unknown;
  /** Answers what of it is wrong. */
  attempt: (home: Home) => Promise<string | false>;
}

const SECRET = "a-secret-of-the-user";
const SECRETS = [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".bash_history", "project/.env"];
const SETTINGS = [
  ".vscode/tasks.json",
  ".claude/settings.json",
  ".envrc",
  ".mcp.json",
  ".idea/workspace.xml",
  "sub/.vscode/tasks.json",
];
const HELD = ".vscode/settings.json";

const connect = (where: string) => `python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect(sys.argv[1])' ${where} 2>&1`;

/** What the proxy is asked for. */
const throughProxy = (to: string) => `python3 -c '
import os, socket, sys
from urllib.parse import urlsplit
p = urlsplit(os.environ["HTTP_PROXY"]); s = socket.create_connection((p.hostname, p.port), 5)
s.sendall(("CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (sys.argv[1], sys.argv[1])).encode()); s.settimeout(5); print(s.recv(200))' ${to} 2>&1`;

export const homeEscapes: readonly HomeDoor[] = [
  {
    title: "read the user's secrets: keys, credentials, history, .env",
    attempt: async ({ home, place }) => {
      const paths = SECRETS.map((name) => join(home, name));
      const { output } = await place.run(
        `cat ${paths.join(" ")} 2>&1; grep -rs ${SECRET} ${home} | head -3`,
        {},
      );
      return output.includes(SECRET) && "read one of them";
    },
  },
  {
    title: "read and change what Haft keeps: state, approvals, what is held back",
    attempt: async ({ place }) => {
      const { stateDir } = place;
      const { output } = await place.run(
        `find ${stateDir} -type f 2>/dev/null | head -3; for d in "" approvals contained journal; do : >${stateDir}/$d/planted; done 2>/dev/null; true`,
        {},
      );
      const planted = ["", "approvals", "contained", "journal"].find((name) =>
        existsSync(join(stateDir, name, "planted")),
      );
      if (planted !== undefined) return `made a file in ${planted}`;
      return output.includes(stateDir) && `saw ${output.slice(0, 100)}`;
    },
  },
  {
    title: "change what the user's shells and programs start with: start files, caches of package managers",
    attempt: async ({ home, place }) => {
      await place.run(
        `for f in .bashrc .profile .npmrc .gitconfig .npm/planted .cache/planted .config/planted; do mkdir -p ${home}/$(dirname $f); echo x >>${home}/$f; done 2>/dev/null
         npm config set --location=user x y 2>/dev/null; echo x >"$npm_config_cache/planted"`,
        {},
      );
      const found = [
        ".bashrc",
        ".profile",
        ".npmrc",
        ".gitconfig",
        ".npm/planted",
        ".cache/planted",
        ".config/planted",
      ].find(
        (name) => existsSync(join(home, name)) && readFileSync(join(home, name), "utf8") !== "# as it was\n",
      );
      return found !== undefined && `changed ${found}`;
    },
  },
  {
    title: "leave settings that start programs, which were not there: .vscode, .claude, .envrc, .mcp.json",
    attempt: async ({ project, place }) => {
      await place.run(SETTINGS.map((name) => `mkdir -p $(dirname ${name}); echo x >${name}`).join("\n"), {});
      await place.run(": next", {});
      const left = SETTINGS.find((name) => existsSync(join(project, name)));
      return left !== undefined && `${left} is there`;
    },
  },
  {
    title: "change a held file after the host has put another in its place",
    before: ({ project }) => {
      mkdirSync(join(project, ".vscode"));
      writeFileSync(join(project, HELD), "{}\n");
    },
    attempt: async ({ project, place }) => {
      const waits = place.run(`until [ -e go ]; do sleep 0.05; done; echo evil >>${HELD}`, {}, true);
      await place.run(`echo evil >>${HELD}`, {});
      writeFileSync(join(project, "saved"), "saved by the user\n");
      renameSync(join(project, "saved"), join(project, HELD));
      await place.run(`echo evil >>${HELD}`, {});
      writeFileSync(join(project, "go"), "");
      await waits;
      await place.run(`sleep 0.3; echo evil >>${HELD}`, {});
      return readFileSync(join(project, HELD), "utf8") !== "saved by the user\n" && "it was changed";
    },
  },
  ...(["before", "while"] as const).map((when): HomeDoor => ({
    title: `connect to a server's socket in the project, made ${when === "before" ? "before the session" : "while it is open"}`,
    ...(when === "before" && {
      before: ({ listen, project }) => listen({ path: join(project, "server.sock") }),
    }),
    attempt: async ({ project, place, listen, connections }) => {
      await place.run(":", {});
      if (when === "while") {
        await listen({ path: join(project, "server.sock") });
        // Sockets of the host are looked for once a second.
        await sleep(1100);
      }
      const { output } = await place.run(connect(join(project, "server.sock")), {});
      return connections() > 0 && `it was reached ${output}`;
    },
  })),
  {
    title: "connect to an agent's socket in the home folder, by its path and by a link",
    before: ({ listen, home }) => listen({ path: join(home, ".agent.sock") }),
    attempt: async ({ home, place, connections }) => {
      const path = join(home, ".agent.sock");
      await place.run(
        `${connect(path)}; ln -s ${path} l; ${connect("l")}; cd ${home}; ${connect(".agent.sock")}`,
        {},
      );
      return connections() > 0 && "it was reached";
    },
  },
  {
    title: "reach the host's loopback and private addresses through the proxy",
    attempt: async ({ place, listen, connections }) => {
      const server = await listen({ host: "127.0.0.1", port: 0 });
      const { port } = server.address() as { port: number };
      const names = [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
        "127.1",
        "2130706433",
        "169.254.169.254",
      ];
      const { output } = await place.run(names.map((name) => throughProxy(`${name}:${port}`)).join("\n"), {});
      if (connections() > 0) return "it was reached";
      return / 200 /.test(output) && `the proxy said ${output.slice(0, 200)}`;
    },
  },
  {
    title: "enter the namespaces that the runner has open",
    attempt: async ({ place }) => {
      const { output } = await place.run(
        `python3 - <<'PY'
import ctypes, glob, os
libc = ctypes.CDLL(None, use_errno=True)
for path in glob.glob("/proc/[0-9]*/fd/*") + glob.glob("/proc/[0-9]*/ns/*"):
    try:
        if ":[" not in os.readlink(path): continue
        fd = os.open(path, os.O_RDONLY)
    except OSError: continue
    if libc.setns(fd, 0) == 0: print("ENTERED", os.readlink(path))
PY`,
        {},
      );
      return output.includes("ENTERED") && output;
    },
  },
];

interface OpenedHome extends Home {
  close(): Promise<void>;
}

/** @param before what is done on the host before the session is opened */
export async function openHome(before?: HomeDoor["before"]): Promise<OpenedHome> {
  const home = realpathSync(mkdtempSync(join(homedir(), ".haft-escapes-")));
  const project = join(home, "project");
  mkdirSync(project);
  for (const name of SECRETS) {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), `${SECRET}\n`);
  }
  writeFileSync(join(home, ".bashrc"), "# as it was\n");
  const servers: Server[] = [];
  let connections = 0;
  const ground = {
    home,
    project,
    connections: () => connections,
    listen: (where: object) =>
      new Promise<Server>((resolve, reject) => {
        const server = createServer((socket) => {
          connections++;
          socket.destroy();
        });
        servers.push(server);
        server.once("error", reject).listen(where, () => resolve(server));
      }),
  };
  let place: ContainedHost | undefined;
  const close = async () => {
    await place?.close();
    servers.forEach((server) => server.close());
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await before?.(ground as Home);
    place = await openContained({ workspaceDir: project, homeDir: home, stateBase: home });
    return { ...ground, place, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** @param shared a home for a door that wants nothing to be there before its session; one of its own by default */
export async function tryHomeEscape(
  { title, before, attempt }: HomeDoor,
  shared?: OpenedHome,
): Promise<HostEscapeResult> {
  const home = shared ?? (await openHome(before));
  try {
    const found = await attempt(home);
    return found === false
      ? { title, verdict: "blocked", detail: "nothing of it was found on the host" }
      : { title, verdict: "escaped", detail: found };
  } finally {
    if (shared === undefined) await home.close();
  }
}
