import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converseHere, type Finished, haftHere, start } from "../../support/haft.ts";

const WRITE = { id: "w", name: "write", arguments: { path: "b.txt", content: "x" } };
const lines = (...all: readonly object[]) => all.map((line) => JSON.stringify(line)).join("\n");

/** The command that a text says to run next, as it stands there. */
function commandIn({ stdout, stderr }: Finished): string {
  const [, quoted, plain] =
    /`(haft [^`]+)`|(haft [a-z]+ .*?)(?= \(or |$)/m.exec(commandsOnly(stdout + stderr)) ?? [];
  return (quoted ?? plain ?? "").trim();
}

/** As a shell has them. */
function wordsOf(command: string): string[] {
  const out = execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

/** Without what begins a line of the command's own. */
function commandsOnly(text: string): string {
  return text.replaceAll(/^haft: /gm, "");
}

/** A place whose names a shell would take apart, and somebody in another folder, whose state is elsewhere. */
async function createSetup() {
  const parent = await temporaryFolder();
  const at = (name: string) => join(parent, name);
  for (const name of ["it's $HOME", "elsewhere"]) mkdirSync(at(name));
  const state = at("the state");
  const cwd = at("it's $HOME");
  writeFileSync(at("ask.yaml"), "ask: [write]\n");
  const haft = (args: readonly string[], input?: string) =>
    haftHere(args, { cwd, env: { HAFT_STATE_DIR: state }, ...(input !== undefined && { input }) });
  /** As somebody does who copies the line into a shell. */
  const paste = (command: string, folder: string) => {
    const args = wordsOf(command).slice(1);
    const env = { HAFT_STATE_DIR: at("another state") };
    return haftHere(args, { cwd: folder, env, ...(args[0] === "run" && { input: "" }) });
  };
  const made = (path: string) => existsSync(join(cwd, path));
  return { cwd, state, at, haft, paste, made, policy: ["--policy", at("ask.yaml")] };
}

type Setup = Awaited<ReturnType<typeof createSetup>>;

/** A write that waits, its program gone; without `--state`, by the environment. */
async function waiting({ haft, policy }: Setup): Promise<string> {
  const { lines: answers } = await haft(["run", "--json", ...policy], lines(WRITE));
  return answers()[0].approvalId;
}

/** A write that was made. Its run. */
async function written({ haft }: Setup, ...options: readonly string[]): Promise<string> {
  await haft(["run", "--json", ...options], lines(WRITE));
  return (await haft(["ledger", "--all", "--json"])).lines()[0].calls[0].runId;
}

interface Case {
  before: (setup: Setup) => Promise<unknown>;
  /** What prints the line; `--state` is added. */
  says: (setup: Setup, before: string) => readonly string[];
  /** What the line has come to. */
  outcome: (pasted: Finished, setup: Setup) => void;
  /** Where the command that prints it is run; default: the workspace. */
  from?: "elsewhere";
}

const CASES: Readonly<Record<string, Case>> = {
  "approvals: how to answer": {
    before: waiting,
    says: () => ["approvals"],
    outcome: ({ stdout }) => expect(stdout).toContain("allowed once"),
  },
  "run --resume: how to answer": {
    before: waiting,
    says: ({ policy }) => ["run", "--resume", ...policy],
    outcome: ({ stdout }) => expect(stdout).toContain("allowed once"),
  },
  "approvals answer: how to resume": {
    before: waiting,
    says: (_, id) => ["approvals", "answer", id, "allow-once"],
    outcome: (_, { made }) => expect(made("b.txt")).toBe(true),
  },
  "run --resume of another session: how to resume it": {
    before: async (setup) => written(setup, "--agent", "it's"),
    says: (_, id) => ["run", "--resume", id],
    outcome: ({ stderr }) => expect(stderr).toMatch(/Continuing run/),
  },
  "undo: how to take it back": {
    before: written,
    says: ({ cwd }) => ["undo", "last", "--to", "w", "--workspace", cwd],
    outcome: (_, { made }) => expect(made("b.txt")).toBe(true),
  },
  "undo from elsewhere: where": {
    before: async (setup) => written(setup),
    says: (_, id) => ["undo", id, "--to", "w"],
    outcome: (_, { made }) => expect(made("b.txt")).toBe(false),
    from: "elsewhere",
  },
  "patch: how to take it back": {
    before: async ({ cwd, at }) => {
      writeFileSync(join(cwd, "one"), "1\n");
      writeFileSync(at("patch"), "*** Begin Patch\n*** Update File: one\n-1\n+2\n*** End Patch\n");
    },
    says: ({ cwd, at }) => ["tools", "patch", at("patch"), "--workspace", cwd],
    outcome: (_, { cwd }) => expect(readFileSync(join(cwd, "one"), "utf8")).toBe("1\n"),
  },
  "patch --undo from elsewhere: where": {
    before: async ({ haft }) =>
      (await haft(["tools", "call", "write", '{"path":"b.txt","content":"x"}', "--json"])).lines()[0].details
        .transactionId,
    says: (_, id) => ["undo", id],
    outcome: (_, { made }) => expect(made("b.txt")).toBe(false),
    from: "elsewhere",
  },
  "ledger show of no run: which there are": {
    before: written,
    says: () => ["ledger", "show", "0zzzz"],
    outcome: ({ stdout }) => expect(stdout).toContain("write b.txt"),
  },
  "ledger show of no call: which there are": {
    before: written,
    says: () => ["ledger", "show", "last", "nothing-like-it"],
    outcome: ({ stdout }) => expect(stdout).toContain("write b.txt"),
  },
  "ledger of an unknown conversation: of which there is something": {
    before: written,
    says: () => ["ledger", "--session", "nobody"],
    outcome: ({ stdout }) => expect(stdout).toContain("write b.txt"),
  },
  "ledger of a damaged file: how it is looked at": {
    before: async ({ state }) => {
      mkdirSync(state);
      writeFileSync(join(state, "haft.db"), "no database ".repeat(1_000));
    },
    says: () => ["ledger"],
    outcome: ({ stdout }, { state }) => expect(stdout).toContain(`${state}/haft.db`),
  },
};

test.for(Object.entries(CASES))(
  "prints a command that works when pasted: %s",
  async ([, { before, says, outcome, from }]) => {
    const setup = await createSetup();
    const given = String(await before(setup));
    const args = [...says(setup, given), "--state", setup.state];
    const printed = await haftHere(args, {
      cwd: from === undefined ? setup.cwd : setup.at(from),
      ...(args[0] === "run" && { input: "" }),
    });
    const command = commandIn(printed);
    expect(command).toMatch(/^haft /);
    const pasted = await setup.paste(command, from === undefined ? setup.cwd : setup.at(from));
    expect({ command, ...pasted }).toMatchObject({ code: command.includes(" check ") ? 1 : 0 });
    outcome(pasted, setup);
  },
);

test("prints a command that shows a truncated call", async () => {
  const cwd = await temporaryFolder();
  const child = start(["run", "--json"], cwd);
  const call = { id: "it's cut", name: "exec", arguments: { command: "touch begun; sleep 60" } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  await expect.poll(() => existsSync(join(cwd, "begun")), { timeout: 30_000 }).toBe(true);
  child.kill("SIGKILL");
  await once(child, "close");
  const resumed = await haftHere(["run", "--resume"], { cwd, input: "" });
  const line = resumed.stderr.split("\n").find((one) => one.includes("Interrupted"))!;
  expect(line).toContain("with unknown effects: exec (it's cut).");
  const words = wordsOf(line.slice(line.lastIndexOf("haft ledger")));
  const { stdout } = await haftHere(words.slice(1), { cwd });
  expect(stdout).toMatch(/interrupted \(INTERRUPTED\)[^]*touch begun; sleep 60/);
});

test("prints a command that waits for a run of another program", async () => {
  const cwd = await temporaryFolder();
  const other = converseHere(["--json", "--group", "it's"], cwd);
  other.send(WRITE);
  await other.answer();
  const held = await haftHere(["run", "--resume", "--group", "it's"], { cwd, input: "" });
  expect(held.stderr).toContain("[SESSION_HELD]");
  const command = commandIn(held);
  expect(command).toMatch(/ --take-over$/);
  const waiting = haftHere(wordsOf(command).slice(1), { cwd, input: "" });
  await other.end();
  expect(await waiting).toMatchObject({ code: 0, stderr: expect.stringContaining("Continuing run") });
});
