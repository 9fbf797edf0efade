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
        `contained  they write in the workspace and nowhere else; what leaves that is asked about${contained === true ? "" : ` (not here: ${contained})`}`,
        "careful    those on a list run, all others are asked about",
        "free       all run, with your rights",
      ],
      byDefault: contained === true ? "contained" : "careful",
      read: (text) => parseChoice("An answer", text, COMMANDS),
    }));
  const network =
    given.network === undefined
      ? await ask("--network", {
          text: "What may contained commands, and those in a sandbox, reach over the network?",
          choices: ["none, full, or host names with commas between them: registry.example.com,*.example.org"],
          byDefault: "none",
          read: (text) => networkFrom("An answer", text),
        })
      : networkFrom("--network", given.network);
  const roots =
    given.root === undefined
      ? await ask("--root", {
          text: "Which folders may it use, beside the one it is started in?",
          choices: ["NAME=DIR, read-only, or NAME=DIR:rw; several with commas between them: docs=~/docs"],
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
      "--commands contained lets some questions fall away, and the configuration of a workspace only tightens; careful and free are for it.",
    );
  const commands =
    given.commands ??
    (await ask("--commands", {
      text: "How should the commands of agents run here, at most?",
      choices: [
        "careful    those on a list run, all others are asked about",
        "free       as each user has it",
      ],
      byDefault: "careful",
      read: (text) => parseChoice("An answer", text, ["careful", "free"]),
    }));
  const list = (text: string, choice: string) =>
    ask("--deny", { text, choices: [choice], byDefault: "", read: listOf });
  if (given.deny !== undefined) return formatProjectConfiguration({ commands, deny: given.deny }, schema);
  const tools = await list(
    "Which tools are never called here?",
    "names with commas between them: bash, effect:network",
  );
  const files = await list(
    "Which files does no file tool read or change here?",
    "patterns with commas between them: **/.env, secrets/**",
  );
  const deny = [...tools, ...files.map((pattern) => `group:fs(path:${pattern})`)];
  return formatProjectConfiguration({ commands, deny }, schema);
}

function asker({ yes = false }: InitValues, questions: Ask | undefined) {
  return async <Answer>(option: string, question: Question<Answer>): Promise<Answer> => {
    if (yes) return question.read(question.byDefault);
    if (questions === undefined)
      throw new UsageError(
        `haft config init asks, and there is no terminal. Answer with ${option}, or take what is the default with --yes.`,
      );
    return questions(question);
  };
}

async function canContain(): Promise<true | string> {
  const { probeContainment } = await import("../sandbox/probe-containment.ts");
  const { available, reason } = await probeContainment();
  return available || (reason ?? "it was tried, and does not work");
}

function rootsFrom(texts: readonly string[]): UserAnswers["roots"] {
  const roots = texts.map((text) =>
    parseRoot(text.replace(/^([^=]*)=~(?=\/|:|$)/, (_, name) => `${name}=${homedir()}`)),
  );
  const names = roots.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Two folders cannot both be ${twice}.`);
  return Object.fromEntries(roots);
}

function listOf(text: string): string[] {
  return text.split(",").flatMap((part) => part.trim() || []);
}
