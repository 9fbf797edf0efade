// Plays a guarded Claude Code offline on a terminal, with a scripted model, into docs/guides/guard.md.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { haftCommand } from "../test/support/build-under-test.ts";
import { need } from "./lib/checks.ts";
import { claudeCode } from "./lib/clients/claude-code.ts";
import { getClientFolder, installClient } from "./lib/clients/install-client.ts";
import { bringUpLoopback, playOffline } from "./lib/clients/play-offline.ts";
import { scriptTurns, type Script } from "./lib/scripted-model/script.ts";
import { startScriptedModel } from "./lib/scripted-model/scripted-model.ts";
import { playSteps, toReadable, type Step } from "./lib/terminal-recorder.ts";
import { root } from "./lib/workspace.ts";

const GUIDE = join(root, "docs/guides/guard.md");
const bash = (command: string) => ({
  calls: [{ name: "Bash", arguments: { command, description: "A command" } }],
});

/** A repository with a commit to push, and a local remote. */
const REPOSITORY = [
  "git init --quiet --bare --initial-branch main ../origin.git",
  "git init --quiet --initial-branch main .",
  "git remote add origin ../origin.git",
  "git -c user.name=ann -c user.email=ann@example.org commit --quiet --allow-empty -m first",
].join(" && ");

/** The model repeats its approval, as real models do. */
const script: Script = (request) => {
  const last = request.results.at(-1);
  const id = /haft approvals answer (\w+)/.exec(last?.text ?? "")?.[1];
  return scriptTurns([
    bash("rm -rf build"),
    bash("git push --quiet origin main"),
    {
      text: `A rule of yours forbids to remove the build folder. The push waits for you, as approval ${id}.`,
    },
    bash("git push --quiet origin main"),
    { text: last?.isError === true ? "It failed." : "Now it is pushed." },
  ])(request);
};

const STEPS: readonly Step[] = [
  { title: "the policy", type: "cat ~/guard.yaml" },
  {
    title: "install",
    type: "haft guard install claude --policy ~/guard.yaml",
    shows: [/claude: installed in/],
  },
  { title: "status", type: "haft guard status --probe | head -6", shows: [/claude: guarded/] },
  {
    title: "a task",
    type: 'claude --allowedTools Bash -p "Remove the build folder and push."',
    shows: [/waits for you, as approval \w{6,}/],
  },
  { title: "it is there still", type: "ls", shows: [/build/] },
  { title: "what waits", type: "haft approvals", shows: [/git push/] },
  {
    title: "an answer",
    type: (before) =>
      `haft approvals answer ${/answer (\w{6,}) allow-once/.exec(toReadable(before))?.[1]} allow-once`,
  },
  {
    title: "once more",
    type: 'claude --allowedTools Bash --continue -p "I said yes."',
    shows: [/Now it is pushed/],
  },
  { title: "it is there", type: "git -C ../origin.git log --format=%s", shows: [/first/] },
  // The probe makes the first entry.
  { title: "what was decided", type: "haft guard log | tail -n +3", shows: [/deny Bash/, /allow Bash/] },
  { title: "the end", type: "haft guard uninstall", shows: [/taken out/] },
];

const { values } = parseArgs({ options: { offline: { type: "boolean", default: false } } });
if (values.offline) process.exit(await record());
await need("Claude Code is installed", () => installClient(claudeCode));
playOffline();

async function record(): Promise<number> {
  bringUpLoopback();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-guard-guide-")));
  await using model = await startScriptedModel(script);
  try {
    const project = join(folder, "shop");
    mkdirSync(join(project, "build"), { recursive: true });
    writeFileSync(join(folder, "guard.yaml"), "deny:\n  - exec(rm -rf *)\nask:\n  - exec(git push*)\n");
    mkdirSync(join(folder, ".config/haft"), { recursive: true });
    writeFileSync(join(folder, ".config/haft/haft.config.yaml"), "audit: { file: ./audit.jsonl }\n");
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      join(folder, "bin/haft"),
      `#!/bin/sh\nexec ${haftCommand.map((word) => `'${word}'`).join(" ")} "$@"\n`,
      { mode: 0o755 },
    );
    const path = [
      join(folder, "bin"),
      join(getClientFolder(claudeCode), "node_modules/.bin"),
      dirname(process.execPath),
    ];
    const env = {
      HOME: folder,
      PATH: [...path, "/usr/bin", "/bin"].join(":"),
      LANG: "C.UTF-8",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PAGER: "cat",
      ...claudeCode.env(model.url, { config: "", state: "" }),
    };
    const transcript = join(folder, "transcript.txt");
    const played = await playSteps([{ title: "a repository", type: REPOSITORY }, ...STEPS], {
      cwd: project,
      env,
      transcript,
      hidden: new Map([[folder, "~"]]),
    });
    const problems = played.flatMap(({ step, problems: each }) =>
      each.map((text) => `${step.title}: ${text}`),
    );
    if (played.length !== STEPS.length + 1) problems.push("not all of it was played");
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    const session = readFileSync(transcript, "utf8");
    if (problems.length > 0) {
      process.stderr.write(session);
      return 1;
    }
    const shown = session
      .slice(session.indexOf("# the policy"))
      .replaceAll(/^# .*\n/gm, "")
      .replaceAll(/\n\n(?=\$ )/g, "\n")
      .trimEnd();
    const block = `<!-- session -->\n\n\`\`\`text\n${shown}\n\`\`\`\n`;
    const guide = readFileSync(GUIDE, "utf8");
    writeFileSync(
      GUIDE,
      guide.replace(/<!-- session -->\n(?:\n```text\n[^]*?\n```\n)?/, () => block),
    );
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
