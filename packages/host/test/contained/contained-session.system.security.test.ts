import type { ApprovalRequest } from "@haft/core";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { view } from "../../../../test/support/view.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost, type Host } from "../../src/host/host.ts";
import { git, makeProject, type Project } from "./coding-session.ts";

const folders: string[] = [];

/** Removed when the file is done. */
function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-contained-")));
  folders.push(folder);
  return folder;
}

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** What a call of exec came to. */
interface Answer {
  kind: string;
  text: string;
  details: { exitCode?: number; sessionId?: string; status?: string };
}

let project: Project;
let host: Host;
let stateDir: string;
const requests: ApprovalRequest[] = [];
let decision: "allow-once" | "deny" = "allow-once";
let run: (command: string, more?: Record<string, unknown>) => Promise<Answer>;
let use: (name: string, args: Record<string, unknown>) => Promise<Answer>;

async function open(options: Partial<HostOptions> = {}) {
  const opened = await createHost({
    workspaceDir: project.root,
    roots: { upstream: { path: project.upstream, access: "rw" } },
    stateDir,
    policy: { exec: { preset: "contained" } },
    administratorPolicy: false,
    approver: {
      ask: async (request) => {
        requests.push(request);
        return { decision };
      },
    },
    ...options,
  });
  const session = await opened.openSession();
  let calls = 0;
  const use = async (name: string, args: Record<string, unknown>): Promise<Answer> => {
    const outcome = await session.call({ id: `c${++calls}`, name, arguments: args });
    const content = "content" in outcome ? outcome.content : [];
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return {
      kind: outcome.kind,
      text,
      details: "details" in outcome ? outcome.details : {},
    };
  };
  const call = (command: string, more: Record<string, unknown> = {}) => use("exec", { command, ...more });
  return { host: opened, session, call, use };
}

describe.skipIf(!view.available)("a contained session", () => {
  beforeAll(async () => {
    const folder = tempFolder();
    stateDir = join(folder, "state");
    project = makeProject(join(folder, "work"));
    const opened = await open();
    ({ host } = opened);
    run = opened.call;
    ({ use } = opened);
  });

  afterAll(() => host?.close());

  test("runs everyday commands without approval", async () => {
    requests.length = 0;
    const lines = [
      "find . -name '*.mjs' -not -path './node_modules/*' | xargs wc -l",
      'for f in src/*.mjs; do node --check "$f"; done',
      'tmp=$(mktemp) && echo x > "$tmp" && cat "$tmp"',
      "git checkout -q -b mine origin/taxes && git commit -q --allow-empty -m work && git checkout -q main && git branch -D mine",
      "npm test",
    ];
    for (const line of lines) {
      const { details, text } = await run(line);
      expect([line, details.exitCode, text]).toEqual([line, 0, text]);
    }
    expect(requests).toEqual([]);
    expect(git(project.root, "status", "--short")).toBe("");
    expect(git(project.root, "config", "--list", "--local")).not.toContain("branch.mine");
  });

  test("refuses a write outside, and the result names the writable folders", async () => {
    const outside = join(project.root, "../outside.txt");
    const { details, text } = await run(`echo x > ${JSON.stringify(outside)}`);
    expect(details.exitCode).not.toBe(0);
    expect(text).toContain("Read-only: commands of this session can write only in");
    expect(text).toContain(project.root);
    expect(existsSync(outside)).toBe(false);
  });

  test("cannot reach a program of the host by its socket, and the result explains why", async () => {
    const path = join(project.root, "app.sock");
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    // For so long one that came later may go unnoticed.
    await setTimeout(1_100);
    const connect = `require("net").connect("app.sock").on("error", (e) => { console.error(e.message); process.exit(1) })`;
    const { details, text } = await run(`node -e '${connect}'`);
    expect(details.exitCode).toBe(1);
    expect(text).toContain(`Covered, because programs of this machine listen there: ${path}.`);
    expect((await run("echo app.sock")).text).not.toContain("Covered");
  });

  test("restores files that start programs after any change by a command", async () => {
    const config = readFileSync(join(project.root, ".git/config"), "utf8");
    const lines = [
      "echo '[core] fsmonitor = touch /tmp/x' >> .git/config",
      "git config core.hooksPath /tmp",
      "git config alias.status '!touch pwned'",
      "mkdir -p .git/hooks && printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/post-checkout && chmod +x .git/hooks/post-checkout",
      "mv .git .away",
      "echo /tmp/evil > .git/commondir",
      "mkdir .vscode && echo '{}' > .vscode/tasks.json",
    ];
    for (const line of lines) await run(line);
    // The looks after the last command are waited for by this one.
    const { text } = await run("true");
    expect(text).toContain(".vscode");
    expect(existsSync(join(project.root, ".vscode"))).toBe(false);
    expect(readFileSync(join(project.root, ".git/config"), "utf8")).toBe(config);
    expect(existsSync(join(project.root, ".git/commondir"))).toBe(false);
    expect(existsSync(join(project.root, ".git/hooks/post-checkout"))).toBe(false);
    git(project.root, "checkout", "-q", "main");
    expect(existsSync(join(project.root, "pwned"))).toBe(false);
    expect(git(project.root, "status", "--short")).toBe("");
  });

  test("protects settings that the user saves, even from running commands", async () => {
    const file = join(project.root, ".git/config");
    const { details } = await run("while sleep 0.1; do echo '[core] pager = evil' >> .git/config; done", {
      background: true,
      timeoutSeconds: 6,
    });
    expect(details.status).toBe("running");
    for (let round = 0; round < 5; round++) {
      git(project.root, "config", "user.name", `Ada ${round}`);
      writeFileSync(`${file}.new`, readFileSync(file));
      renameSync(`${file}.new`, file);
      await run("true");
    }
    expect(git(project.root, "config", "--list", "--local")).not.toContain("evil");
    expect(git(project.root, "config", "--local", "user.name").trim()).toBe("Ada 4");
  });

  test("hides secrets and blocks the network, and the result names the host", async () => {
    expect((await run(`ls -A ${JSON.stringify(stateDir)}`)).text).not.toContain("journal");
    const refused = await run(
      'node -e \'fetch("https://packages.example.com").then(() => console.log("REACHED"), (e) => console.log(e.message))\'',
    );
    expect([refused.details.exitCode, refused.text.includes("REACHED")]).toEqual([0, false]);
    const proxied = await run(
      "printf 'CONNECT packages.example.com:443 HTTP/1.1\\r\\nHost: packages.example.com:443\\r\\n\\r\\n' > /tmp/ask; exec 3<>/dev/tcp/127.0.0.1/3128 && cat /tmp/ask >&3 && head -1 <&3",
    );
    expect(proxied.text).toContain("403");
    expect(proxied.text).toContain('network: ["packages.example.com"]');
  });

  test("leaves the view only with one approval, which needs a reason", async () => {
    requests.length = 0;
    const without = await run("id", { outside: true });
    expect(without.text + without.kind).toMatch(/reason/);
    decision = "deny";
    const denied = await run("touch ../left.txt", { outside: true, reason: "to write\nbeside the project" });
    expect(denied.kind).not.toBe("ok");
    expect(existsSync(join(project.root, "../left.txt"))).toBe(false);
    decision = "allow-once";
    const allowed = await run("touch ../left.txt", { outside: true, reason: "to write\nbeside the project" });
    expect(allowed.details.exitCode).toBe(0);
    expect(existsSync(join(project.root, "../left.txt"))).toBe(true);
    expect(requests).toHaveLength(2);
    const shown = JSON.stringify(requests[1]!.preview);
    expect(shown).toContain("Leaves the view");
    expect(shown).toContain("to write beside the project");
    const next = await run("touch ../again.txt");
    expect(next.details.exitCode).not.toBe(0);
  });

  test("asks about a host once per session", async () => {
    requests.length = 0;
    const isNodeLed = async (more = {}) =>
      (await run('echo "led: ${NODE_USE_ENV_PROXY-no}"', more)).text.includes("led: 1");
    expect(await isNodeLed()).toBe(false);
    expect(await isNodeLed({ network: ["packages.example.com"] })).toBe(true);
    expect(await isNodeLed({ timeout: 99 })).toBe(true);
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]!.preview)).toContain("packages.example.com");
  });

  test("forwards a port to the host while its command runs, after an approval", async () => {
    const server =
      'node -e \'require("http").createServer((q, r) => r.end("from inside")).listen(5173, () => console.log("ready"))\'';
    const serve = { forward: 5173, yieldMs: 1500, reason: "to look at\nthe page" };
    requests.length = 0;
    decision = "deny";
    const denied = await run(server, serve);
    expect(denied.kind).not.toBe("ok");
    expect(JSON.stringify(requests[0]!.preview)).toContain("reach its port 5173");
    expect(JSON.stringify(requests[0]!.preview)).toContain("to look at the page");
    decision = "allow-once";
    const { text, details } = await run(server, serve);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [text];
    expect(details).toMatchObject({ status: "running", forward: { port: 5173 } });
    await vi.waitFor(async () => expect(await (await fetch(url)).text()).toBe("from inside"), 60_000);
    const listed = await use("process", { action: "list" });
    expect(listed.text).toContain(`[port 5173: ${url}]`);
    await use("process", { action: "kill", sessionId: details.sessionId });
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect((await use("process", { action: "list" })).text).not.toContain(url);
    expect(requests).toHaveLength(2);
    const over = await run("true", { forward: 5173 });
    expect(over.text).toContain("has ended, so its port 5173 is not reachable");
  });

  test("refuses forward without a valid port or with outside, before any approval", async () => {
    requests.length = 0;
    for (const forward of [0, 70_000, 1.5]) expect((await run("true", { forward })).text).toMatch(/forward/);
    const beside = await run("true", { forward: 5173, outside: true, reason: "both" });
    expect(beside.text).toContain("forward has no effect");
    expect(requests).toEqual([]);
  });

  test("reports a reason that no approval used", async () => {
    const { text, details } = await run("true", { reason: "to be polite" });
    expect([details.exitCode, text]).toEqual([0, expect.stringContaining("[reason: ignored")]);
  });

  test("shares temporary files and a loopback between commands, and leaves nothing on the host", async () => {
    await run("echo shared > /tmp/haft-of-the-view.txt");
    expect((await run("cat /tmp/haft-of-the-view.txt")).text).toContain("shared");
    expect(existsSync("/tmp/haft-of-the-view.txt")).toBe(false);
  });

  test("cannot leave the view in a repository that a command made", async () => {
    await run("git init -q made && cd made && git config core.fsmonitor 'touch pwned'");
    const { text } = await run("true");
    expect(text).toContain("made");
    const left = await run("git status", { outside: true, reason: "to look", workdir: "made" });
    expect(left.text).toContain("contained command made or brought");
    await run("rm -rf made");
  });

  test("quarantines artifacts that a process plants after its command has ended", async () => {
    const plants = [
      "git init -q left && git -C left config core.fsmonitor 'touch pwned'",
      "echo evil > .envrc",
      "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    ].join("; ");
    await run(
      `(setsid bash -c 'trap "" TERM HUP; sleep 0.5; ${plants.replaceAll("'", "'\\''")}' >/dev/null 2>&1 &) ; echo begun`,
    );
    await setTimeout(3_500);
    await run("echo two");
    const { text } = await run("echo three");
    const there = [".envrc", ".git/hooks/pre-commit"].filter((path) => existsSync(join(project.root, path)));
    expect([there, text]).toEqual([[], text]);
    const settings = join(project.root, "left/.git/config");
    if (existsSync(settings)) expect(readFileSync(settings, "utf8")).not.toContain("pwned");
    await run("rm -rf left");
  });

  test.each([["localhost:8080"], ["*"], ["full"], ["http://a.example/x"]])(
    "refuses network: %s before any approval",
    async (host) => {
      requests.length = 0;
      const { text } = await run(`echo ${host.length}`, { network: [host] });
      expect(text).toContain("which is not a reachable host");
      expect(requests).toEqual([]);
    },
  );

  test("leaves the project unchanged with two sessions in one workspace, and after a close", async () => {
    const other = await open();
    onTestFinished(() => other.host.close());
    const [one, two] = await Promise.all([run("echo 1 > one.txt"), other.call("echo 2 > two.txt")]);
    expect([one, two]).toMatchObject([{ details: { exitCode: 0 } }, { details: { exitCode: 0 } }]);
    await other.host.close();
    expect((await run("cat two.txt && rm one.txt two.txt")).details.exitCode).toBe(0);
    expect(git(project.root, "status", "--short")).toBe("");
  });
});
