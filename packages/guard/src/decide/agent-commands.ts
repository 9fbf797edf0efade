import { looksOnly, type OutlinedCommand } from "@haft/commands";

/** How such a change is called. */
export const ADDED = "what an agent starts or loads";
/** The programs of agents, also as packages, and editors with agents. */
const AGENT =
  /(?:^|\/)(?:claude(?:-code)?|codex|gemini(?:-cli)?|copilot|cursor(?:-agent)?|agent|code|opencode(?:-ai)?|pi(?:-coding-agent)?|openclaw)(?:@[^/]*)?$/;
const WHAT = "(?:mcp|plugins?|extensions?|hooks|config|features|approvals|exec-policy)";
const VERB =
  "(?:add[\\w-]*|install|link|import|migrate|marketplace|(?:un)?set|patch|remove|rm|uninstall|enable|disable|update|allowlist|new|reset[\\w-]*)\\b";
const CHANGES = new RegExp(`^${WHAT} ${VERB}`);
/** Where there is one word. */
const ALONE =
  /(?:^|\/)(?:pi\b\S* (?:(?:un)?install|remove|update|config)|openclaw\S* (?:configure|onboard|setup)|opencode\S* plug(?:in)? (?!list)\S+)( |$)/;
const OPTION = /^--(?:add-mcp|(?:un)?install-extension)(?:=|$)/;

/** The same where a line could not be taken apart. */
export const ADDS_IN_TEXT = new RegExp(
  `(?:^|[\\s/;&|("'])(?:claude|codex|gemini|copilot|cursor-agent|opencode|openclaw)(?: -\\S+)* ${WHAT}(?: -\\S+)* ${VERB}`,
);

/** Whether a command has an agent add, remove or switch servers, hooks and what it loads; as the end of a sentence. */
export function addsToAgent(command: OutlinedCommand): string | undefined {
  const { argv } = command;
  const at = argv.findIndex((word) => AGENT.test(word));
  if (at < 0 || looksOnly(command)) return undefined;
  const rest = argv.slice(at + 1);
  const words = rest.filter((word) => !/^-|\s/.test(word));
  // What stands behind is for somebody else.
  if (words.length < 3 && rest.some((word) => /^(?:--help|-h)$/.test(word))) return undefined;
  const adds =
    rest.some((word) => OPTION.test(word)) ||
    ALONE.test([argv[at], ...words.slice(0, 2)].join(" ")) ||
    // Values of options may stand in front.
    words.some((_, each) => CHANGES.test(words.slice(each, each + 2).join(" ")));
  return adds ? ADDED : undefined;
}
