import { baseName, type CommandTemplate, type TemplateCommand } from "@haft/commands";

const AGENT =
  /^(?:claude|codex|gemini|copilot|cursor-agent|agent|opencode|pi|openclaw|claude-code|gemini-cli|opencode-ai|pi-coding-agent)(?:@.*)?$/;
/** Shorter names are common words. */
const WRAPPED =
  /^(?:claude|codex|gemini|copilot|cursor-agent|opencode|openclaw|claude-code|gemini-cli|opencode-ai|pi-coding-agent)(?:@.*)?$/;
/** They start no conversation. */
const OTHER =
  /^(?:mcp|plugins?|extensions?|auth|login|logout|doctor|update|upgrade|completion|--help|-h|--version|-v|-V|--list-models)$/;
const PRINTS = /^(?:-p|--print|--prompt|exec|run)$/;
const SETTINGS =
  /^(?:HOME|XDG_CONFIG_HOME|CLAUDE_\w+|CODEX_\w+|GEMINI_\w+|COPILOT_\w+|CURSOR_\w+|OPENCODE_\w+|PI_\w+|OPENCLAW_\w+)$/;

/** They select other settings, load no hooks, or turn approvals off. */
const OPENING =
  /^(?:--(?:settings|setting-sources|bare|safe-mode|yolo|full-auto|force|pure|profile|profile-v2|disable|config-dir|no-extensions|extensions?|local|dev|ignore-\w[\w-]*|(?:allow-)?dangerously-[\w-]+|allow-all[\w-]*|auto-approve[\w-]*)|-(?:y|f|ne))$/;
const NO_MODEL = /^(?!model\w*=)/;
const VALUES: Readonly<Record<string, RegExp>> = {
  "--permission-mode": /^(?!default$|plan$)/,
  "--approval-mode": /^(?!default$|plan$)/,
  "--ask-for-approval": /^never$/,
  "--sandbox": /^danger/,
  "--config": NO_MODEL,
  "-s": /^danger/,
  "-a": /^never$/,
  "-e": /./,
};
/** Other agents continue a conversation with `-c` and print with `-p`. */
const OF_CODEX: Readonly<Record<string, RegExp>> = { "-c": NO_MODEL, "-p": /./ };
const CODEX = /^codex/;

interface AgentStart {
  name: string;
  args: readonly string[];
}

/** Wrappers and package runners name the agent in their arguments. Scripts get other arguments. */
function agentStart({ argv, carrier, scripts }: TemplateCommand): AgentStart | undefined {
  const isWrapped = carrier !== undefined && scripts.length === 0;
  const at = argv.findIndex((word, index) =>
    index === 0 ? AGENT.test(baseName(word)) : isWrapped && WRAPPED.test(baseName(word)),
  );
  if (at < 0) return undefined;
  return { name: baseName(argv[at]!), args: argv.slice(at + 1) };
}

/** Returns why the line starts an agent, whose commands this guard does not see, as the rest of a sentence. */
export function describeAgentStart({ commands }: Pick<CommandTemplate, "commands">): string | undefined {
  const found = commands
    .flatMap((command) => agentStart(command) ?? [])
    .find(({ args }) => !OTHER.test(args[0] ?? "") || args.some((word) => PRINTS.test(word)));
  return found === undefined ? undefined : `${found.name} starts an agent that can run any command`;
}

/** Returns why a started agent could act without a guard, as a sentence. */
export function describeOpenAgent({
  commands,
  text,
}: Pick<CommandTemplate, "commands" | "text">): string | undefined {
  const starts = commands.flatMap((command) => agentStart(command) ?? []);
  if (starts.length === 0) return undefined;
  const set = [...text.matchAll(/(?:^|[\s;&|(])(\w+)=/g)].flatMap(([, name]) => name ?? []);
  const found =
    starts.flatMap((start) => findOpening(start) ?? [])[0] ?? set.find((name) => SETTINGS.test(name));
  return found === undefined
    ? undefined
    : `It starts ${starts[0]!.name} with ${found}, which can turn off its hooks or its approvals.`;
}

function findOpening({ name, args }: AgentStart): string | undefined {
  const values = CODEX.test(name) ? { ...VALUES, ...OF_CODEX } : VALUES;
  for (const [at, word] of args.entries()) {
    const long = /^(--[^=]+)(?:=(.*))?$/s.exec(word);
    const option = long?.[1] ?? word.slice(0, 2);
    const value = (long === null ? word.slice(2) : long[2]) || (args[at + 1] ?? "");
    if (Object.hasOwn(values, option) && values[option]?.test(value) === true) return option;
    if (OPENING.test(word.split("=", 1)[0]!)) return word.split("=", 1)[0];
  }
  return undefined;
}
