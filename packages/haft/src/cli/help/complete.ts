import { findAction, type Action, type Command, type Option } from "../usage.ts";
import { optionLines, findParagraph } from "./format-help.ts";

const MAX_ABOUT = 70;

export interface CompletionWords {
  load: Readonly<Record<string, () => Promise<Command>>>;
  abouts: ReadonlyMap<string, string>;
}

type Completion = readonly [word: string, about?: string];

/** Completions as lines: word, tab, description. `:file` and `:folder` stand for paths. */
export async function complete(given: readonly string[], known: CompletionWords): Promise<string> {
  // Bash splits at equals signs.
  const words = given.filter((word, index) => word !== "=" || index === given.length - 1);
  const last = (words.pop() ?? "").replace(/^=$/, "");
  const [, start = "", option] = /^((--[a-z-]+)=)/.exec(last) ?? [];
  const found = await completions(option === undefined ? words : [...words, option], last, known);
  return found
    .map(([word, about = ""]) => [word.startsWith(":") ? word : start + word, about.slice(0, MAX_ABOUT)])
    .filter(([word = ""]) => word.startsWith(":") || word.startsWith(last))
    .map((line) => `${line.join("\t")}\n`)
    .join("");
}

async function completions(
  [name, ...rest]: readonly string[],
  last: string,
  { load, abouts }: CompletionWords,
): Promise<readonly Completion[]> {
  const all: Completion[] = [...abouts];
  if (name === undefined)
    return [...all, ["help", "explains a command"], ["--help"], ["--version"], ["--completions"]];
  if (name === "--completions") return Object.keys(SCRIPTS).map((shell) => [shell]);
  const isHelp = name === "help";
  if (isHelp && rest.length === 0) return all;
  const command = await load[(isHelp ? rest[0] : name) ?? ""]?.();
  if (command === undefined) return [];
  const { actions, help } = command;
  const { operands, waiting } = read(isHelp ? rest.slice(1) : rest, command);
  if (waiting !== undefined) return namedBy(waiting);
  const word = actions === undefined ? undefined : operands[0];
  const action =
    word !== undefined && Object.hasOwn(actions!, word) ? findAction(command, name, word) : undefined;
  if (last.startsWith("-")) return optionsOf(help, action?.options ?? command.options);
  if (actions !== undefined && word === undefined)
    return Object.keys(actions).map((each) => [each, aboutOf(help, each)]);
  return isHelp ? [] : namedBy(action ?? command.byDefault ?? {});
}

function read(words: readonly string[], { options }: Command): { operands: string[]; waiting?: Option } {
  const operands: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const [name, option] =
      Object.entries(options).find(([long, { short }]) => word === `--${long}` || word === `-${short}`) ?? [];
    if (name !== undefined && option!.type === "string" && option!.optional === undefined) {
      if (++index === words.length) return { operands, waiting: option! };
    } else if (!word.startsWith("-")) operands.push(word);
  }
  return { operands };
}

function optionsOf(help: string, options: Readonly<Record<string, Option>>): Completion[] {
  const abouts = new Map(optionLines(help).map(({ option, about }) => [option, about]));
  return [...new Set([...Object.keys(options), "help"])].map((name) => [
    `--${name}`,
    (abouts.get(name) ?? "").replace(/^with [a-z, -]+: /, "").replace(/;.*/, ""),
  ]);
}

function aboutOf(help: string, action: string): string {
  const text = findParagraph(help.split("\n"), action).map((line) => line.trim());
  return text
    .join(" ")
    .slice(action.length)
    .trim()
    .split(/[.:](?= |$)/)[0]!;
}

async function namedBy({ words = [], names }: Pick<Action, "words" | "names">): Promise<Completion[]> {
  const found: Completion[] = words.map((word) => [word]);
  if (names === "tool") {
    const { createHost } = await import("@haft/host");
    const host = await createHost({ stateDir: false, administratorPolicy: false });
    await host.close();
    found.push(...host.catalogue.map(({ name }): Completion => [name]));
  } else if (names !== undefined) found.push([`:${names}`]);
  return found;
}

/** The scripts call {@link complete}, so updates do not break them. */
export const SCRIPTS = {
  // For bash 3.2 of macOS.
  bash: `# Completions of haft for bash. In ~/.bashrc: source <(haft --completions bash)
_haft() {
  local cur=\${COMP_WORDS[COMP_CWORD]} word name
  if [[ $cur == = ]]; then cur=''; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    case $word in
      :file | :folder)
        while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -A "$([[ $word == :file ]] && echo file || echo directory)" -- "$cur")
        compopt -o filenames 2>/dev/null ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <(haft --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _haft haft
`,
  zsh: `#compdef haft
# Completions of haft for zsh: haft --completions zsh > ~/.zfunc/_haft, a folder of your fpath
_haft() {
  local line
  local -a found
  for line in "\${(@f)$(haft --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :file*) _files ;;
      :folder*) _files -/ ;;
      ?*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  if (( $#found )); then _describe haft found; fi
}
if [[ $funcstack[1] == _haft ]]; then _haft "$@"; else compdef _haft haft; fi
`,
  fish: `# Completions of haft for fish: haft --completions fish > ~/.config/fish/completions/haft.fish
function __haft_complete
    set -l last (commandline -ct)
    for line in (haft --complete (commandline -opc)[2..] "$last" 2>/dev/null)
        switch $line
            case ':file*'
                __fish_complete_path "$last"
            case ':folder*'
                __fish_complete_directories "$last"
            case '*'
                echo $line
        end
    end
end
complete -c haft -f -a '(__haft_complete)'
`,
} as const;
