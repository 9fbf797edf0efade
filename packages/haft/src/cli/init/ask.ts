import { homedir } from "node:os";
import { networkFrom, parseRoot } from "../session-arguments.ts";
import { parseChoice, UsageError } from "../usage.ts";
import {
  COMMANDS,
  type UserAnswers,
  formatUserConfiguration,
  formatProjectConfiguration,
} from "./configuration-text.ts";
import type { Ask, Question } from "./questions.ts";

export interface InitValues {
  yes?: boolean;
  commands?: (typeof COMMANDS)[number];
  network?: string;
  root?: readonly string[];
  deny?: readonly string[];
}

export async function askUserConfiguration(
  given: InitValues,
  questions: Ask | undefined,
  schema: string | undefined,
): Promise<string> {
  const ask = asker(given, questions);
  const contained = given.commands === undefined ? await canContain() : undefined;
  const commands =
    given.commands ??
    (await ask("--commands", {
      text: "How should the commands of an agent run?",
      choices: [
        `contained  they can write only to the workspace, and need approval to run outside${contained === true ? "" : ` (not here: ${contained})`}`,
        "careful    commands on a list run, all others need approval",
        "free       all commands run, with your rights",
      ],
      byDefault: contained === true ? "contained" : "careful",
      read: (text) => parseChoice("An answer", text, COMMANDS),
    }));
  const network =
    given.network === undefined
      ? await ask("--network", {
          text: "Which hosts may commands reach that are contained or in a sandbox?",
          choices: ["none, full, or host names separated by commas: registry.example.com,*.example.org"],
          byDefault: "none",
          read: (text) => networkFrom("An answer", text),
        })
      : networkFrom("--network", given.network);
  const roots =
    given.root === undefined
      ? await ask("--root", {
          text: "Which folders may agents use in addition to the current one?",
          choices: ["NAME=DIR, read-only, or NAME=DIR:rw; separated by commas: docs=~/docs"],
          byDefault: "",
          read: (text) => rootsFrom(listOf(text)),
        })
      : rootsFrom(given.root);
  return formatUserConfiguration({ commands, network, roots }, schema);
}

export async function askProjectConfiguration(
  given: InitValues,
  questions: Ask | undefined,
  schema: string | undefined,
): Promise<string> {
  const ask = asker(given, questions);
  if (given.commands === "contained")
    throw new UsageError(
      "--commands contained removes questions, and the configuration of a workspace only tightens; use careful or free.",
    );
  const commands =
    given.commands ??
    (await ask("--commands", {
      text: "How should the commands of agents run here, at most?",
      choices: [
        "careful    commands on a list run, all others need approval",
        "free       as configured by each user",
      ],
      byDefault: "careful",
      read: (text) => parseChoice("An answer", text, ["careful", "free"]),
    }));
  const list = (text: string, choice: string) =>
    ask("--deny", { text, choices: [choice], byDefault: "", read: listOf });
  if (given.deny !== undefined) return formatProjectConfiguration({ commands, deny: given.deny }, schema);
  const tools = await list(
    "Which tools are always denied here?",
    "names separated by commas: bash, effect:network",
  );
  const files = await list(
    "Which files are closed to file tools here?",
    "patterns separated by commas: **/.env, secrets/**",
  );
  const deny = [...tools, ...files.map((pattern) => `group:fs(path:${pattern})`)];
  return formatProjectConfiguration({ commands, deny }, schema);
}

function asker({ yes = false }: InitValues, questions: Ask | undefined) {
  return async <Answer>(option: string, question: Question<Answer>): Promise<Answer> => {
    if (yes) return question.read(question.byDefault);
    if (questions === undefined)
      throw new UsageError(
        `haft config init asks questions, and there is no terminal. Answer with ${option}, or use the defaults with --yes.`,
      );
    return questions(question);
  };
}

async function canContain(): Promise<true | string> {
  const { probeContainment } = await import("../sandbox/probe-containment.ts");
  const { available, reason } = await probeContainment();
  return available || (reason ?? "a test of it failed");
}

function rootsFrom(texts: readonly string[]): UserAnswers["roots"] {
  const roots = texts.map((text) =>
    parseRoot(text.replace(/^([^=]*)=~(?=\/|:|$)/, (_, name) => `${name}=${homedir()}`)),
  );
  const names = roots.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Two folders have the name ${twice}.`);
  return Object.fromEntries(roots);
}

function listOf(text: string): string[] {
  return text.split(",").flatMap((part) => part.trim() || []);
}
