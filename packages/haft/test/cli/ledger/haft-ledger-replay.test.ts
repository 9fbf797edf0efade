import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { view } from "../../../../../test/support/view.ts";
import { haftHere } from "../../support/haft.ts";

/** Where bubblewrap is not found. */
const NO_SANDBOX = { PATH: "/nowhere" };

type Calls = readonly (readonly [name: string, args: unknown])[];

async function recorded(record: "plan" | "full", made: Calls | ((cwd: string) => Calls)) {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.txt"), "one\ntwo\n");
  writeFileSync(`${cwd}.yaml`, `record: ${record}\n`);
  const env = { HAFT_CONFIG: `${cwd}.yaml` };
  const calls = typeof made === "function" ? made(cwd) : made;
  const input = calls.map(([name, args]) => `${JSON.stringify({ name, arguments: args })}\n`).join("");
  await haftHere(["run"], { cwd, env, input });
  const replay = (...args: string[]) => haftHere(["ledger", "replay", "last", ...args], { cwd, env });
  return { cwd, replay };
}

const EDIT = [
  ["read", { path: "src/a.txt" }],
  ["edit", { path: "src/a.txt", oldText: "two", newText: "three" }],
  ["exec", { command: "cat src/a.txt; date; sleep 0.01" }],
] as const;

describe("haft ledger replay", () => {
  it.skipIf(!view.available)("gives the same result from a snapshot with any present files", async () => {
    const { cwd, replay } = await recorded("full", EDIT);
    writeFileSync(join(cwd, "src/a.txt"), "something else\n");
    rmSync(join(cwd, "src"), { recursive: true });
    const { code, stdout } = await replay();
    expect(stdout).toContain("The files are from the snapshot at the start of the run.");
    expect(stdout).toContain("3 the same.");
    expect(code).toBe(0);
  });

  it("gives the same result with a configured audit log, and writes no line to it", async () => {
    const { cwd, replay } = await recorded("full", [["read", { path: "src/a.txt" }]]);
    const log = `${cwd}-audit.jsonl`;
    onTestFinished(() => rmSync(log, { force: true }));
    writeFileSync(`${cwd}.yaml`, `record: full\naudit: { file: ${log} }\n`);
    writeFileSync(join(cwd, "policy.yaml"), "deny: [read]\n");
    expect(await replay()).toMatchObject({ code: 0, stdout: expect.stringContaining("1 the same.") });
    const other = await replay("--policy", join(cwd, "policy.yaml"));
    expect(other.stderr).toBe("");
    expect(other.stdout).toContain("deny");
    expect(existsSync(log)).toBe(false);
  });

  it.skipIf(!view.available)(
    "gives the same result from the journal, if only file tools changed files",
    async () => {
      const { replay } = await recorded("plan", EDIT);
      const { code, stdout } = await replay();
      expect(stdout).toContain("without one change of file tools since then");
      expect(stdout).toContain("3 the same.");
      expect(code).toBe(0);
    },
  );

  it("reports unknown results if other programs changed files in between", async () => {
    const { cwd, replay } = await recorded("plan", EDIT);
    writeFileSync(join(cwd, "src/a.txt"), "something else\n");
    const [{ runs }] = (await replay("--json")).lines();
    expect(runs[0].files.unsure).toMatchObject([{ path: "src/a.txt" }]);
    expect(runs[0].calls.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      "unsaid",
      "unsaid",
      "unsaid",
    ]);
    expect((await replay()).code).toBe(3);
  });

  it("rejects a tool that was not called", async () => {
    const { replay } = await recorded("plan", EDIT);
    const { code, stderr } = await replay("--live", "exce");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/there are no calls of a tool "exce".*exec/),
    });
  });

  it.skipIf(!view.available)("shows differences", async () => {
    const { replay } = await recorded("full", [
      ...EDIT,
      ["exec", { command: "printf 'same\\n'; od -An -N4 -tx4 /dev/urandom" }],
    ]);
    const { code, stdout } = await replay();
    expect(stdout).toMatch(/DIFFERS +call_4/);
    expect(stdout).toMatch(/^ +-.+\n +\+.+$/m);
    expect(stdout).toContain("3 the same, 1 differs.");
    expect(code).toBe(1);
  });

  it.skipIf(!view.available)(
    "runs contained, without the files of the workspace and without network",
    async () => {
      let notified = 0;
      const server = createServer((socket) => void socket.end(String(++notified)));
      await once(server.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const command = `echo more >> src/a.txt; exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      const { cwd, replay } = await recorded("full", [["exec", { command }]]);
      expect(notified).toBe(1);
      writeFileSync(join(cwd, "src/a.txt"), "now\n");
      const { code, stdout } = await replay();
      expect(stdout).toMatch(/DIFFERS +call_1/);
      expect(code).toBe(1);
      expect(notified).toBe(1);
      expect(readFileSync(join(cwd, "src/a.txt"), "utf8")).toBe("now\n");
    },
  );

  it("repeats file tools but no commands if commands cannot be contained", async () => {
    const { cwd } = await recorded("full", (folder) => [
      ...EDIT,
      ["write", { path: join(folder, "src/a.txt"), content: "by its whole path\n" }],
      ["exec", { command: "echo more >> src/a.txt; echo ran >> marks" }],
      ["read", { path: join(folder, "src/a.txt") }],
      ["read", { path: "../outside.txt" }],
    ]);
    writeFileSync(join(cwd, "src/a.txt"), "now\n");
    const { code, stdout, stderr } = await haftHere(["ledger", "replay", "last"], { cwd, env: NO_SANDBOX });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/Commands do not run again\. This machine cannot contain commands: /);
    for (const [verdict, call, why] of [
      ["same", "call_1", ""],
      ["same", "call_2", ""],
      ["unknown", "call_3", "this machine cannot contain it"],
      ["unknown", "call_5", "this machine cannot contain it"],
      ["unknown", "call_6", "call_3 may have changed files and was not repeated"],
    ] as const)
      expect(stdout).toMatch(new RegExp(`^${verdict} +${call} [^\n]*\\n[^\n]*${why}`, "m"));
    expect(code).toBe(3);
    expect(readFileSync(join(cwd, "src/a.txt"), "utf8")).toBe("now\n");
    expect(readFileSync(join(cwd, "marks"), "utf8")).toBe("ran\n");
  });

  it("fails if all calls are commands and cannot be contained", async () => {
    const { cwd } = await recorded("full", [["exec", { command: "echo ran >> marks" }]]);
    const { code, stderr } = await haftHere(["ledger", "replay", "last"], { cwd, env: NO_SANDBOX });
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("[REPLAY_UNAVAILABLE]") });
  });

  it("compares decisions with another policy, and runs nothing", async () => {
    const { cwd, replay } = await recorded("plan", [...EDIT, ["exec", { command: "echo ran >> marks" }]]);
    writeFileSync(join(cwd, "next.yaml"), 'deny: [edit]\nask: ["exec(echo *)"]\n');
    const { code, stdout, stderr } = await replay("--policy", "next.yaml");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/call_2 +allow -> deny/);
    expect(code).toBe(1);
    const [{ decisions }] = (await replay("--policy", "next.yaml", "--json")).lines();
    expect(decisions.map(({ after }: { after: string }) => after)).toEqual(["allow", "deny", "allow", "ask"]);
    writeFileSync(join(cwd, "same.yaml"), "{}\n");
    expect(await replay("--policy", "same.yaml")).toMatchObject({ code: 0 });
    expect((await replay("--policy", "nowhere.yaml")).code).toBe(2);
  });
});
