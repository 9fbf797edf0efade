import { toNotice } from "@haft/host/internal/approvals";
import { shellWord } from "@haft/utils";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { sampleRequest } from "../../../../core/test/support/approval-samples.ts";
import { chatCommand, chatCommandWords } from "../../../src/cli/chat/chat-command.ts";
import { rememberLocation } from "../../../src/cli/location/next-command.ts";
import { resumeCommand } from "../../../src/cli/run/resume-command.ts";
import {
  readSessionValues,
  sessionArguments,
  type SessionValues,
} from "../../../src/cli/session-arguments.ts";

const RUN = { runId: "0mwtug2sfmti7695hl" };

/** The words of a command, as a shell has them. */
function wordsOf(command: string): string[] {
  const out = execFileSync("bash", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
  return out.split("\0").slice(0, -1);
}

function read(args: readonly string[]): SessionValues {
  const options = { ...sessionArguments, resume: { type: "string" } } as const;
  const { resume: _, ...values } = parseArgs({ args: [...args], options }).values;
  return values as SessionValues;
}

test("continues a run with its original options: sandbox, rules, roots and others", async () => {
  const folder = await temporaryFolder();
  const before = process.cwd();
  onTestFinished(() => {
    process.chdir(before);
    rememberLocation({});
  });
  mkdirSync(join(folder, "more"));
  mkdirSync(join(folder, "elsewhere"));
  for (const file of ["p.yaml", "admin.yaml", "c.yaml"]) writeFileSync(join(folder, file), "{}");
  writeFileSync(join(folder, "plugin.ts"), "export default {}");
  const sandbox = ["--sandbox", "docker", "--sandbox-image", "img:1", "--sandbox-network", "full"];
  const more = "--sandbox-access ro --sandbox-scope agent --root more=more:rw --root again=more".split(" ");
  const rules = "--policy p.yaml --admin-policy admin.yaml --config c.yaml --plugin plugin.ts".split(" ");
  const who = "--session sandboxed --channel tg --sender id:5 --agent a".split(" ");
  const rest = "--model p/m --context-tokens 9000 --hard-links refuse".split(" ");
  const words = ["--group", "it's g", "--session-key", "k e y"];
  process.chdir(folder);
  const first = await readSessionValues(read([...sandbox, ...more, ...rules, ...who, ...rest, ...words]));
  const openedWith = first.session.openedWith!;
  rememberLocation({ state: "the state" });
  process.chdir("elsewhere");
  const [program, action, ...args] = wordsOf(resumeCommand({ ...RUN, openedWith })!);
  expect([program, action]).toEqual(["haft", "run"]);
  expect(args).toEqual(expect.arrayContaining(["--resume", RUN.runId]));
  const again = await readSessionValues(read(args));
  const { stateDir, ...host } = again.host;
  expect(stateDir).toBe(join(folder, "elsewhere", "the state"));
  expect(again.session).toEqual(first.session);
  expect(
    JSON.stringify(host)
      .replaceAll(`${folder}/p.yaml`, "p.yaml")
      .replaceAll(`${folder}/admin.yaml`, "admin.yaml"),
  ).toBe(JSON.stringify(first.host));
});

test("omits the folder in the folder of the run", () => {
  const openedWith = ["--workspace", process.cwd(), "--no-config"];
  expect(resumeCommand({ ...RUN, openedWith })).toBe(`haft run --resume ${RUN.runId} --no-config`);
});

test("continues a conversation with haft chat and its endpoint, and has no command for sessions of servers and other programs", () => {
  const openedWith = chatCommandWords(["--workspace", process.cwd(), "--agent", "a b"], {
    "base-url": "http://x",
  });
  const command = `haft chat --resume ${RUN.runId} --agent 'a b' --base-url http://x`;
  expect(resumeCommand({ ...RUN, openedWith })).toBe(command);
  expect(chatCommand(RUN.runId, openedWith)).toBe(command);
  expect(resumeCommand({ ...RUN, openedWith: ["serve"] })).toBeUndefined();
  expect(resumeCommand(RUN)).toBeUndefined();
});

test.for(["plain", "it's", "$HOME `id`", "", "a\nb", "\u001b[2J\u202etxt", "ü ☃"])(
  "quotes %j as one word of a shell",
  (text) => {
    const word = shellWord(text);
    for (const hidden of ["\n", "\u001b", "\u202e"]) expect(word).not.toContain(hidden);
    expect(wordsOf(`x ${word}`)).toEqual(["x", text]);
  },
);

test("prints an answer command with alternatives that a shell rejects as a whole", () => {
  const { answer } = toNotice(sampleRequest("mark1234"), [["--state", "/the state"]]);
  const [command = ""] = answer.split(" (or ");
  expect(wordsOf(command).join(" ")).toBe("haft approvals answer mark1234 allow-once --state /the state");
  expect(() => execFileSync("bash", ["-c", answer], { stdio: "ignore" })).toThrow("Command failed");
});
