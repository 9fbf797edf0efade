import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { startMovedServer, startReader, connectOnce } from "../host-sockets/support.ts";
import { eventually, tempFolder } from "../support.ts";
import { openTestView, folderShown, testContained } from "./support.ts";

/** A server on a unix socket, that says `reached` to who connects; `relative` binds it by its name from its folder. */
async function aServer(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end("reached"));
  server.listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

/** Connects, and says what it was told, or why not. */
const connect = (path: string): string =>
  `python3 -c 'import socket,sys
s=socket.socket(socket.AF_UNIX)
try: s.connect(sys.argv[1]); print(s.recv(9).decode())
except OSError as e: print("refused", e.errno)' ${path}`;

describe("sockets of the host", () => {
  testContained("are unreachable, independent of the place and time of the bind", async () => {
    const [root, beside] = [tempFolder("view"), tempFolder("beside", undefined)];
    const folder = tempFolder("shown");
    await aServer(join(root, "here.sock"));
    await aServer(join(beside, "docker.sock"));
    const relative = spawn(
      "python3",
      [
        "-c",
        "import socket,time; s=socket.socket(socket.AF_UNIX); s.bind('rel.sock'); s.listen(); print('ok', flush=True); time.sleep(600)",
      ],
      { cwd: folder, stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void relative.kill("SIGKILL"));
    await once(relative.stdout, "data");
    const { run, view } = await openTestView({ root, writable: [root, folder] });
    const tries = [join(root, "here.sock"), join(beside, "docker.sock"), join(folder, "rel.sock")].map(
      connect,
    );
    expect((await run(tries.join("\n"))).output).toMatch(/^(refused \d+\n){3}$/);
    const late = join(root, "late.sock");
    await aServer(late);
    // They are looked for every so often.
    expect(await eventually(async () => (await view.repair()).includes(late))).toBe(true);
    expect((await run(connect(late))).output).toMatch(/^refused/);
    expect(view.describe().sockets).toContain(late);
  });

  testContained.for([
    ["in a folder that commands write", true],
    ["in one that is read-only", false],
  ] as const)("are unreachable if they are FIFOs or on no list: %s", async ([, writable]) => {
    const root = tempFolder("view");
    const server = await startMovedServer(join(root, "moved"));
    const read = startReader(join(root, "fifo"));
    const extra = writable ? [] : [{ from: root, to: root, access: "ro" as const }];
    const { run, view } = await openTestView({
      root,
      writable: writable ? [root] : [],
      extra,
      socketFolders: [root],
    });
    expect((await run(`cd ${root}; ${connectOnce("moved", "fifo")}`)).output).toBe("nothing\nnothing\n");
    expect(view.describe().sockets).toEqual(
      expect.arrayContaining([join(root, "moved"), join(root, "fifo")]),
    );
    expect([read(), server.connections()]).toEqual(["", 1]);
    if (!writable) return;
    // The host makes them anew; commands make some of their own.
    rmSync(join(root, "fifo"));
    const again = startReader(join(root, "fifo"));
    await view.repair();
    const fifo =
      "mkfifo own; (cat own >said &); echo hi >own; until [ -s said ]; do sleep 0.02; done; cat said";
    expect((await run(`${connectOnce("fifo")}\n${fifo}`)).output).toBe("nothing\nhi\n");
    expect(again()).toBe("");
  });

  testContained("work between commands, with and without files", async () => {
    const { run, view } = await openTestView();
    const serve = `import socket
s=socket.socket(socket.AF_UNIX); s.bind(NAME); s.listen(); print("up", flush=True)
while True: s.accept()[0].send(b"reached")`;
    for (const [at, name] of ['"own.sock"', '"\\\\0own"', '"/tmp/own.sock"'].entries()) {
      await run(
        `python3 -c '${serve.replace("NAME", name)}' >up${at} 2>&1 & until [ -s up${at} ]; do sleep 0.02; done`,
      );
    }
    await view.repair();
    expect((await run(connect("own.sock") + "\n" + connect("/tmp/own.sock"))).output).toBe(
      "reached\nreached\n",
    );
    await run(
      `python3 -m http.server 8123 --bind 127.0.0.1 >/tmp/log 2>&1 & until curl -so /dev/null --noproxy '*' http://127.0.0.1:8123/; do sleep 0.05; done`,
    );
    expect(
      (
        await run(
          "echo hi >/tmp/x; curl -s --noproxy '*' http://127.0.0.1:8123/own.sock -o /dev/null -w '%{http_code}'; cat /tmp/x",
        )
      ).output,
    ).toMatch(/^\d{3}hi\n$/);
  });
});

describe("a contained command", () => {
  testContained(
    "sees hidden files as closed and hidden folders as empty, also after the host saved them",
    async () => {
      const [root, home] = [tempFolder("view"), tempFolder("home")];
      const shown = join(root, "keys");
      mkdirSync(shown);
      writeFileSync(join(shown, "id"), "SECRET");
      writeFileSync(join(root, ".env"), "SECRET");
      const { run, view } = await openTestView({
        root,
        hidden: [join(root, ".env"), shown, join(home, "nothing")],
      });
      const script =
        "chmod -R 777 /run/.haft; mv /run/.haft /run/h; cat /run/.haft/sources/*/.env /run/.haft/sources/0/.env /run/.haft/sources/1/.env; cat .env; ls keys; echo x >.env; echo x >keys/x; rm .env; mv keys k; cat keys/id k/id .env";
      expect((await run(script)).output).not.toContain("SECRET");
      writeFileSync(join(root, "saved"), "SECRET 2");
      renameSync(join(root, "saved"), join(root, ".env"));
      await view.repair();
      expect((await run(script)).output).not.toContain("SECRET");
      expect(readFileSync(join(root, ".env"), "utf8")).toBe("SECRET 2");
      writeFileSync(join(root, "more"), "SECRET 3");
      await view.hide([join(root, "more")]);
      expect((await run("cat more; echo x >more")).output).toMatch(
        /^cat: more: Permission denied\n.*more: Permission denied\n$/,
      );
    },
  );

  testContained("sees empty settings if programs would reject an empty file", async () => {
    const home = folderShown();
    const files = [".m2/settings.xml", ".m2/settings-security.xml", ".composer/auth.json", ".s3cfg"];
    for (const file of files) {
      mkdirSync(join(home, dirname(file)), { recursive: true });
      writeFileSync(join(home, file), "SECRET");
    }
    const { run } = await openTestView({ hidden: files.map((file) => join(home, file)) });
    const { output } = await run(`cd ${home} && cat ${files.join(" ")}`);
    expect(output).toBe("<settings/>\n<settingsSecurity/>\n{}\n");
  });

  testContained("sees no temporary folders, processes, network or socket variables of the host", async () => {
    const root = tempFolder("view");
    process.env["SSH_AUTH_SOCK"] = "/nowhere/agent";
    process.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/bus";
    process.env["DOCKER_HOST"] = "unix:///nowhere/docker.sock";
    onTestFinished(() => {
      for (const name of ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"])
        delete process.env[name];
    });
    const { run } = await openTestView({ root });
    const { output } = await run(
      `env | grep -E '^(SSH_AUTH|DBUS|DOCKER|WAYLAND|DISPLAY)'; ls /run; ls /dev/shm /var/tmp; ls -d /proc/${process.pid}; tail -n +3 /proc/net/dev | cut -d: -f1; echo $TMPDIR`,
    );
    // A checkout in temporary files is in sight, since it is what runs.
    const [, ownName = ""] = /^\/var\/tmp\/([^/]+)/.exec(import.meta.dirname) ?? [];
    const found = output.replace(/^ls: .*\n/m, "").replace(`/var/tmp:\n${ownName}\n`, "/var/tmp:\n");
    expect(found).toBe(`/dev/shm:\n\n/var/tmp:\n    lo\n/tmp\n`);
  });

  testContained("gets no open file of the host and no way into its namespaces", async () => {
    const { run } = await openTestView();
    const { output } = await run(
      "for f in /proc/self/fd/*; do readlink $f; done | grep -vE '^(pipe|socket|/dev/null|/proc|anon)'; ls -l /proc/[0-9]*/fd 2>/dev/null | grep -E 'ns/|user:|mnt:'",
    );
    expect(output.split("\n").filter((line) => line !== "" && !/haft-runs-/.test(line))).toEqual([]);
  });
});

testContained("refuses mounts, namespaces, keyrings, tracing, setuid files and devices", async () => {
  const { root, run } = await openTestView();
  const call = (number: string): string =>
    `python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); r=l.syscall(${number}); print(r, ctypes.get_errno())'`;
  const { output } = await run(`exec 2>&1
mkdir m; mount -t tmpfs x m && echo ESCAPED mount
mount -o remount,rw,bind / && echo ESCAPED remount
umount -l .git && echo ESCAPED umount
unshare -U true && echo ESCAPED unshare
unshare -Urm true && echo ESCAPED unshare
nsenter -t 1 -m true && echo ESCAPED nsenter
chmod 4755 m && echo ESCAPED setuid
mknod d c 1 3 && echo ESCAPED device
${process.arch === "x64" ? `${call("250, 0, -3, 1")}; ${call("101, 16, 1, 0, 0")}` : "echo '-1 1'; echo '-1 1'"}
id -u; grep CapEff /proc/self/status; cat /proc/1/environ`);
  expect(output).not.toContain("ESCAPED");
  expect(output.match(/^-1 1$/gm)).toHaveLength(2);
  expect(output).toContain(`\n${process.getuid!()}\n`);
  expect(output).toMatch(/CapEff:\s0+\n/);
  expect(root).not.toBe("");
});

testContained("protects and reports the target of a link at or above a protected path", async () => {
  const root = tempFolder("view");
  mkdirSync(join(root, "real"));
  writeFileSync(join(root, "real/settings"), "as it was");
  symlinkSync("real", join(root, "linked"));
  symlinkSync("real/settings", join(root, "settings"));
  const { run, view } = await openTestView({
    root,
    readOnly: [join(root, "settings"), join(root, "linked/settings")],
  });
  await run("echo x >settings; echo x >linked/settings; echo x >real/settings; mv real r");
  expect(readFileSync(join(root, "real/settings"), "utf8")).toBe("as it was");
  expect(view.describe().unprotected).toEqual([
    { path: join(root, "settings"), why: expect.stringContaining("link") },
  ]);
});
