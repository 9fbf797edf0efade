import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";
import { bash, chat, exec, hostOptions } from "./scripted-chat.ts";

const SECRET = "AKIAIOSFODNN7EXAMPLE";

describe("a stored conversation", () => {
  const storedFiles = (cwd: string) => {
    const folder = join(getStateFolder(cwd), "chats");
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };

  test("is removed by haft ledger forget, unless a call is pending", async () => {
    const cwd = await temporaryFolder();
    const forget = (...more: string[]) => haftHere(["ledger", "forget", ...more, "--yes"], { cwd });
    await chat(cwd, [{ text: "Only words." }], ["-p", "Say something."]);
    expect(storedFiles(cwd)).toHaveLength(1);
    expect((await forget("--session", "nobody")).stdout).toMatch(/^Nothing is recorded of nobody/);
    expect((await forget("--session", "main")).stdout).toMatch(/and a conversation of haft chat\.\n$/);
    expect(storedFiles(cwd)).toEqual([]);

    await chat(cwd, [{ calls: [exec("echo hello")] }, { text: "Done." }], ["-p", "Go."]);
    await chat(
      cwd,
      [{ calls: [bash("touch made")] }, { text: "It waits." }],
      ["-p", "Go.", ...hostOptions(cwd)],
    );
    expect(storedFiles(cwd)).toHaveLength(2);
    expect((await forget("--session", "main", "--json")).lines()).toEqual([
      { forgotten: 1, conversations: 1 },
    ]);
    expect(storedFiles(cwd)).toHaveLength(1);
  });

  test("is a private file with masked secrets, and the next chat continues it", async () => {
    const cwd = await temporaryFolder();
    const turns = [{ calls: [exec(`echo AWS_ACCESS_KEY_ID=${SECRET}`)] }, { text: "Seen." }];
    await chat(cwd, turns, ["-p", `Use AWS_ACCESS_KEY_ID=${SECRET}`]);
    const [file = ""] = storedFiles(cwd);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(getStateFolder(cwd), "chats")).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, "utf8")).not.toContain(SECRET);
    const next = await chat(cwd, [], ["--resume", "-p", "Once more."]);
    const messages = next.endpoint.requests[0]?.body["messages"] as { role: string }[];
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(storedFiles(cwd)).toHaveLength(1);
  });

  test("with only reads continues with its recorded run", async () => {
    const cwd = await temporaryFolder();
    const turns = [{ calls: [{ name: "ls", arguments: {} }] }, { text: "Looked." }];
    const first = await chat(cwd, turns, ["-p", "The word is lantern.", "--json"]);
    const { runId } = first.lines().at(-1);
    expect(runId).toMatch(/^\w{18}$/);
    const [{ calls }] = (await haftHere(["ledger", "list", "--json"], { cwd })).lines();
    expect(calls).toMatchObject([{ runId, toolName: "ls" }]);
    const next = await chat(cwd, [], ["--resume", runId, "-p", "Which word?"]);
    expect(next.stderr).toContain(`To continue: haft chat --resume ${runId}`);
    expect(JSON.stringify(next.endpoint.requests[0]?.body["messages"])).toContain("The word is lantern.");
  });

  test("is not written with --no-keep or without a ledger", async () => {
    const cwd = await temporaryFolder();
    await chat(cwd, [], ["-p", "Hello", "--no-keep"]);
    const config = join(getStateFolder(cwd), "..", `${cwd.split("/").at(-1)}-none.yaml`);
    writeFileSync(config, "record: none\n");
    await chat(cwd, [], ["-p", "Hello", "--config", config]);
    expect(storedFiles(cwd)).toEqual([]);
  });

  test("continues as far as possible if its file is cut off", async () => {
    const cwd = await temporaryFolder();
    await chat(cwd, [{ calls: [exec("true")] }, { text: "Yes." }], ["-p", "First."]);
    const [file = ""] = storedFiles(cwd);
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.slice(0, -20));
    const next = await chat(cwd, ({ results }) => ({ text: `${results.length} results` }), [
      "--resume",
      "-p",
      "Second.",
    ]);
    expect(next).toMatchObject({
      code: 0,
      stdout: "1 results\n",
      stderr: expect.stringContaining("are unreadable"),
    });
    const last = await chat(cwd, ({ prompt }) => ({ text: prompt }), ["--resume", "-p", "Third."]);
    expect(last).toMatchObject({ code: 0, stdout: "Third.\n" });
  });
});
