import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { ASK_FOR_SIGNAL, watchForAsking } from "../../../../test/support/end-runner.ts";
import { pickShare } from "../../../../test/support/share.ts";
import { eventually, processesWith, tempFolder } from "../support.ts";
import { openTestView, testContained } from "./support.ts";

const HOST = fileURLToPath(new URL("host-program.ts", import.meta.url));

function aProject(): string {
  const root = tempFolder("view");
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".git/config"), "as it was");
  writeFileSync(join(root, ".env"), "SECRET");
  return root;
}

/** Nothing of the view in the project, nor among the host's mounts and processes. */
async function expectNothingLeft(root: string, mark: string): Promise<void> {
  expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
  expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(root);
  expect(readdirSync(root).toSorted()).toEqual([".env", ".git"]);
  expect(readdirSync(join(root, ".git"))).toEqual(["config"]);
  expect(readFileSync(join(root, ".env"), "utf8")).toBe("SECRET");
}

async function aHost(root: string, stateFolder: string, mark: string, until: string) {
  const host = spawn(process.execPath, [...conditions, "--no-warnings", HOST, stateFolder, root, mark], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void host.kill("SIGKILL"));
  let said = "";
  host.stdout.on("data", (bytes: Buffer) => (said += bytes.toString()));
  expect(await eventually(() => said.includes(until))).toBe(true);
  return host;
}

testContained("leaves no process, mount or file after kill -9 of the host", async () => {
  const [root, stateFolder, mark] = [aProject(), tempFolder("state"), `haft-left-${crypto.randomUUID()}`];
  const host = await aHost(root, stateFolder, mark, "runs");
  // The host itself, and what ran away in the view.
  expect(processesWith(mark).length).toBeGreaterThan(1);
  host.kill("SIGKILL");
  await once(host, "exit");
  await expectNothingLeft(root, mark);
  expect(await eventually(() => processesWith(stateFolder).length === 0)).toBe(true);
});

testContained("leaves no remains after kill -9 of the host at any moment of the start", async () => {
  const root = aProject();
  for (const ms of pickShare([0, 40, 80, 120, 160, 200], 2)) {
    const [stateFolder, mark] = [tempFolder("state"), `haft-left-${crypto.randomUUID()}`];
    const host = await aHost(root, stateFolder, mark, "starting");
    await sleep(ms);
    host.kill("SIGKILL");
    if (host.exitCode === null && host.signalCode === null) await once(host, "exit");
    await expectNothingLeft(root, mark);
    expect(await eventually(() => processesWith(stateFolder).length === 0)).toBe(true);
  }
});

testContained("keeps two sessions on one folder independent, and leaves no remains", async () => {
  const root = aProject();
  const spec = { root, readOnly: [join(root, ".git/config")], hidden: [join(root, ".env")] };
  const [one, other] = await Promise.all([openTestView(spec), openTestView(spec)]);
  await Promise.all([one.run("echo x >>.git/config; touch /tmp/of-one"), other.run("cat .env")]);
  expect((await other.run("ls /tmp/of-one; echo x >>.git/config; echo $?")).output).toMatch(/\n2\n$/);
  await one.processes.close();
  expect((await other.run("echo alive; echo x >>.git/config")).output).toMatch(/^alive\n/);
  await other.processes.close();
  expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("as it was");
  expect(readFileSync("/proc/self/mounts", "utf8")).not.toContain(root);
  expect(readdirSync(root).toSorted()).toEqual([".env", ".git"]);
});

testContained("leaves no open file when a view is closed", async () => {
  const open = (): number => readdirSync("/proc/self/fd").length;
  const first = await openTestView();
  await first.run(":");
  await first.processes.close();
  const before = open();
  for (let round = 0; round < 3; round++) {
    const { run, processes, view } = await openTestView();
    await run(":");
    await processes.close();
    await view.close();
  }
  expect(await eventually(() => open() <= before)).toBe(true);
});

testContained("opens a new view with the same mounts if the runner is killed", async () => {
  const root = aProject();
  const { run, view } = await openTestView({
    root,
    readOnly: [join(root, ".git/config")],
    hidden: [join(root, ".env")],
  });
  watchForAsking(root);
  // It is told by what started it, or, once that has answered, as a process that is lost.
  const lost = await run(`${ASK_FOR_SIGNAL}; sleep 987`).catch((thrown: unknown) => thrown);
  const { code, exitCode } = lost as { code?: string; exitCode?: number | null };
  const isLost = code === "RUNNER_LOST" || (code === undefined && exitCode === undefined);
  expect({ isLost, said: String(lost) }).toEqual({ isLost: true, said: String(lost) });
  expect(await eventually(() => !view.describe().open)).toBe(true);
  const { output } = await run("exec 2>&1; cat .env; echo x >>.git/config; mv .git g; echo alive");
  expect(output).not.toContain("SECRET");
  expect(output).toMatch(/alive\n$/);
  expect(view.describe().open).toBe(true);
  expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("as it was");
});
