import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { ORDINARY, tempFolder } from "../support.ts";
import { openTestView, runIn, testAsRoot, testContained } from "./support.ts";

const ASK = fileURLToPath(new URL("ask-program.ts", import.meta.url));

function git(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env["PATH"]!,
    HOME: "/nowhere",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  const names = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
  return execFileSync("git", [...names, ...args], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
}

describe("locations of a workspace", () => {
  testContained("include names with blanks, quotes and line breaks", async () => {
    const root = join(tempFolder("view"), `a 'b' "c"\n$d \\e`);
    mkdirSync(join(root, ".git"), { recursive: true });
    writeFileSync(join(root, ".git/config"), "as it was");
    const { run, view } = await openTestView({ root, readOnly: [join(root, ".git/config")] });
    await run("echo x >>.git/config; echo ok >made");
    expect(readFileSync(join(root, "made"), "utf8")).toBe("ok\n");
    rmSync(join(root, ".git/config"));
    writeFileSync(join(root, ".git/config"), "another");
    expect(await view.repair()).toEqual([join(root, ".git/config")]);
    await run("echo x >>.git/config");
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("another");
  });

  testContained("include another file system, whose folders above cannot be moved", async () => {
    const base = realpathSync(mkdtempSync("/dev/shm/haft-view-"));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const root = join(base, "deep/project");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(base, "beside"), "of the host");
    const { run } = await openTestView({ root });
    const { output } = await run(
      `exec 2>&1; echo ok >made; ls ${base}; mv ${base} /dev/shm/other; mv ${base}/deep ${base}/d; touch ${base}/x; pwd`,
    );
    expect(output).toMatch(/^deep\n/);
    expect(output.match(/busy|Read-only/g)).toHaveLength(3);
    expect(output.endsWith(`${root}\n`)).toBe(true);
    expect(readFileSync(join(root, "made"), "utf8")).toBe("ok\n");
    expect(readdirSync(base).toSorted()).toEqual(["beside", "deep"]);
  });

  testContained("include a home folder, with protected start files and hidden keys", async () => {
    const root = tempFolder("home");
    mkdirSync(join(root, ".ssh"));
    writeFileSync(join(root, ".ssh/id"), "SECRET");
    writeFileSync(join(root, ".profile"), "as it was");
    const { run } = await openTestView({
      root,
      readOnly: [join(root, ".profile"), join(root, ".bashrc")],
      hidden: [join(root, ".ssh")],
    });
    const { output } = await run(
      "exec 2>&1; echo x >>.profile; mv .profile p; cat .ssh/id; mv .ssh s; cat s/id; mkdir project && echo ok",
    );
    expect(output).toMatch(/ok\n$/);
    expect(output).not.toContain("SECRET");
    expect(readFileSync(join(root, ".profile"), "utf8")).toBe("as it was");
    // What was not there has left no trace.
    expect(readdirSync(root).toSorted()).toEqual([".profile", ".ssh", "project"]);
  });

  testContained("include nested workspaces with a protected folder in between", async () => {
    const root = tempFolder("view");
    const [held, inner] = [join(root, "held"), join(root, "held/inner")];
    mkdirSync(inner, { recursive: true });
    const { run } = await openTestView({ root, writable: [root, inner], readOnly: [held] });
    await run("touch a; touch held/b; touch held/inner/c; mv held/inner held/i");
    expect(existsSync(join(root, "a"))).toBe(true);
    expect(readdirSync(held)).toEqual(["inner"]);
    expect(readdirSync(inner)).toEqual(["c"]);
  });

  testContained("include a linked worktree with working commits and protected settings", async () => {
    const base = tempFolder("view");
    const main = join(base, "main");
    mkdirSync(main);
    git(main, "init", "-q", "-b", "main");
    git(main, "commit", "-q", "--allow-empty", "-m", "first");
    git(main, "worktree", "add", "-q", "../tree");
    const tree = join(base, "tree");
    const held = ["config", "hooks", "commondir"].map((name) => join(main, ".git", name));
    const { run } = await openTestView({ root: tree, writable: [tree, join(main, ".git")], readOnly: held });
    const { output, exitCode } = await run(
      "echo x >file; git add file; git -c user.name=S -c user.email=s@example.com commit -qm second && git log --oneline | wc -l; git config core.pager x; echo x >../main/.git/hooks/pre-commit; touch ../main/file",
    );
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/^2\n/);
    expect(git(tree, "log", "-1", "--format=%s")).toBe("second\n");
    expect(git(main, "status", "--porcelain")).toBe("");
    expect(git(main, "fsck", "--strict")).toBe("");
    expect(readFileSync(held[0]!, "utf8")).not.toContain("pager");
  });

  testContained("allow files of the host at another path", async () => {
    const [root, beside] = [tempFolder("view"), tempFolder("beside")];
    writeFileSync(join(beside, "copy"), "other settings");
    writeFileSync(join(root, "settings"), "settings");
    const { run } = await openTestView({
      root,
      extra: [
        { from: join(beside, "copy"), to: join(root, "settings"), access: "ro" },
        { from: beside, to: "/tmp/deep/cache", access: "rw" },
      ],
    });
    const { output } = await run("cat settings; echo x >>settings; echo ok >/tmp/deep/cache/made");
    expect(output).toMatch(/^other settings/);
    expect(readFileSync(join(beside, "made"), "utf8")).toBe("ok\n");
    expect(readFileSync(join(beside, "copy"), "utf8")).toBe("other settings");
    expect(readFileSync(join(root, "settings"), "utf8")).toBe("settings");
  });
});

testContained("masks sockets of the host's network, but not those of the view", async () => {
  const { run, view, root } = await openTestView({ network: "full" });
  await run(
    `python3 -c 'import socket
s=socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen(); print(1, flush=True)
while True: s.accept()[0].send(b"reached")' >up 2>&1 & until [ -s up ]; do sleep 0.02; done`,
  );
  await view.protect([join(root, "nothing")]);
  const { output } = await run(
    `readlink /proc/self/ns/net; python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("own.sock"); print(s.recv(9).decode())'`,
  );
  expect(output).toMatch(/^net:\[\d+\]\nreached\n$/);
  expect(view.describe().network).toBe("full");
});

testContained("gives commands a terminal", async () => {
  const { processes } = await openTestView();
  const { id } = await processes.start("t", {
    script: "tty; test -t 0 && echo yes",
    pty: { cols: 80, rows: 24 },
  });
  expect(await processes.wait(id)).toMatchObject({ exitCode: 0 });
  const { chunks } = await processes.read(id, 0);
  expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toMatch(/\/dev\/pts\/\d+\r\nyes/);
});

testAsRoot("protects the same paths for a user without rights, and keeps the user", () => {
  const base = tempFolder("user", ORDINARY);
  const [root, state, home] = ["project", "state", "home"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, state, home, join(root, ".git")]) {
    mkdirSync(folder);
    chownSync(folder, ORDINARY!, ORDINARY!);
  }
  for (const name of [".git/config", ".env"]) {
    writeFileSync(join(root, name), "SECRET");
    chownSync(join(root, name), ORDINARY!, ORDINARY!);
  }
  const said = execFileSync(
    process.execPath,
    [
      ...conditions,
      "--no-warnings",
      ASK,
      root,
      state,
      `exec 2>&1; id -u; id -g; stat -c %u .; cat .env; chmod 777 /run/.haft/sources 2>/dev/null; cat /run/.haft/sources/0/.env /run/.haft/sources/1/.env 2>/dev/null; echo x >>.git/config; touch ${home}/x /tmp/own; mv .git g; echo ok >made; unshare -U true`,
      "exec 2>&1; cat .git/config; echo x >>.git/config; mount --bind / /tmp; ls /tmp/own",
    ],
    {
      uid: ORDINARY!,
      gid: ORDINARY!,
      cwd: "/",
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    },
  );
  const [first, second] = JSON.parse(said) as [string, string];
  expect(first).toMatch(/^1000\n1000\n1000\n/);
  expect(first).not.toContain("SECRET");
  expect(first.match(/Read-only|No such file|busy|not permitted/g)).toHaveLength(4);
  expect(second).toMatch(/^by the host\n/);
  expect(second).toMatch(/Read-only[\s\S]*\/tmp\/own\n$/);
  expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("by the host\n");
  // The copy of Node that runners run on, and nothing else.
  const copy = expect.stringMatching(/^\.cache\/haft\/node-v[^/]+$/) as string;
  expect(readdirSync(home, { encoding: "utf8", recursive: true }).toSorted()).toEqual([
    ".cache",
    ".cache/haft",
    copy,
  ]);
});

testContained("lets a runner that starts later on the host join an open view", async () => {
  const stateFolder = tempFolder("runs");
  const { root, run, view } = await openTestView({}, {}, { stateFolder });
  expect(await run("true")).toMatchObject({ exitCode: 0 });
  const onHost = createHostProcesses({ workspace: createHostWorkspace({ root }), stateFolder });
  onTestFinished(() => onHost.close({ graceMs: 0 }));
  expect(await runIn(onHost, "true")).toMatchObject({ exitCode: 0 });
  // All walls are looked at anew.
  await view.protect([]);
  expect(await run("echo still")).toMatchObject({ output: "still\n", exitCode: 0 });
});
