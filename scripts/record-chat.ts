// Plays haft chat on a terminal with a scripted model into docs/guides/chat.md.
import { mkdtempSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { haftCommand } from "../test/support/build-under-test.ts";
import { scriptTurns } from "./lib/scripted-model/script.ts";
import { startScriptedModel } from "./lib/scripted-model/scripted-model.ts";
import { playSteps } from "./lib/terminal-recorder.ts";
import { root } from "./lib/workspace.ts";

const PROMPT = /› $/;
const GUIDE = join(root, "docs/guides/chat.md");

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-chat-guide-")));
const model = await startScriptedModel(
  scriptTurns([
    { text: "I read the file and run its test.", calls: [read("sum.js"), exec("node sum.test.js")] },
    {
      text: "The sum starts at 1. I change that to 0.",
      calls: [
        { name: "edit", arguments: { path: "sum.js", oldText: "let all = 1", newText: "let all = 0" } },
        exec("node sum.test.js"),
      ],
    },
    { text: "The sum started at 1. Now it starts at 0, and the test passes." },
    { calls: [{ name: "bash", arguments: { command: "git init -q && git add . && git status --short" } }] },
    { text: "The folder is now a repository, with both files added." },
  ]),
);
try {
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(
    join(project, "sum.js"),
    "exports.sum = (numbers) => {\n  let all = 1;\n  for (const each of numbers) all += each;\n  return all;\n};\n",
  );
  writeFileSync(
    join(project, "sum.test.js"),
    'const got = require("./sum.js").sum([2, 3]);\nconsole.log(got === 5 ? "ok" : `expected 5, got ${got}`);\nprocess.exitCode = got === 5 ? 0 : 1;\n',
  );
  // Contained commands would need no approval.
  mkdirSync(join(folder, ".config/haft"), { recursive: true });
  writeFileSync(join(folder, ".config/haft/haft.config.yaml"), "policy:\n  exec: {}\n");
  const transcript = join(folder, "transcript.txt");
  const haft = join(folder, "haft");
  writeFileSync(haft, `#!/bin/sh\nexec ${haftCommand.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  const [played] = await playSteps(
    [
      {
        title: "a conversation",
        type: `haft chat --base-url ${model.url} --model openai/scripted`,
        answers: [
          [PROMPT, "The test of sum.js fails. Repair it.\r"],
          [/test passes\.[^]*› $/, "Make it a repository.\r"],
          [/ > $/, "y\r"],
          [/both files added\.[^]*› $/, "\u0004"],
        ],
        shows: [/-  let all = 1/, /all = 0/],
      },
    ],
    {
      cwd: project,
      env: { HOME: folder, PATH: `${folder}:${process.env["PATH"] ?? "/usr/bin:/bin"}`, LANG: "C.UTF-8" },
      transcript,
      hidden: new Map([
        [folder, "~"],
        [model.url, "http://127.0.0.1:11434"],
        [new URL(model.url).host, "127.0.0.1:11434"],
      ]),
    },
  );
  for (const problem of played?.problems ?? ["nothing was played"]) process.stderr.write(`${problem}\n`);
  if (played?.problems.length === 0) {
    const session = readFileSync(transcript, "utf8")
      .replace(/^# .*\n/, "")
      .trimEnd();
    const block = `<!-- session -->\n\n\`\`\`text\n${session}\n\`\`\`\n`;
    const guide = readFileSync(GUIDE, "utf8");
    writeFileSync(
      GUIDE,
      guide.replace(/<!-- session -->\n(?:\n```text\n[^]*?\n```\n)?/, () => block),
    );
  }
  process.exitCode = played?.problems.length === 0 ? 0 : 1;
} finally {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}

function read(path: string) {
  return { name: "read", arguments: { path } };
}

function exec(command: string) {
  return { name: "exec", arguments: { command } };
}
