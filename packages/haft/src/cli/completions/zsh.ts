import type { Completed, CompletedAction, CompletedCommand, CompletedOption } from "./completed-commands.ts";

/** A function for a folder of `fpath`; sourced, it works as well. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef haft
# What zsh completes behind haft: haft completions zsh > ~/.zfunc/_haft
_haft() {
  local curcontext=$curcontext state line
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join("\n")}
  )
  _arguments -C '(- *)'{-h,--help}'[what there is]' '(- *)'{-v,--version}'[the version]' '1: :->command' '*:: :->rest'
  if [[ $state == command ]]; then _describe command commands; return; fi
  case $line[1] in
${commands.map(armOf).join("\n")}
  esac
}
if [[ $funcstack[1] == _haft ]]; then _haft "$@"; else compdef _haft haft; fi
`;
}

function armOf({ name, actions, ...command }: CompletedCommand): string {
  if (actions.length === 0) return `    ${name}) ${argumentsOf({ name, ...command })} ;;`;
  const first = `'1: :((${actions.map((each) => `${each.name}\\:${quoted(escaped(each.about)).replaceAll("'", '"')}`).join(" ")}))'`;
  return [
    `    ${name})`,
    "      case $words[2] in",
    ...actions.map((action) => `        ${action.name}) ${argumentsOf(action, "'1: :()'")} ;;`),
    `        *) _arguments ${[first, ...command.options.map(optionSpec)].join(" ")} ;;`,
    "      esac ;;",
  ].join("\n");
}

function argumentsOf({ options, operands }: CompletedAction, ...before: string[]): string {
  return `_arguments ${[...before, `'*: :${actionOf(operands)}'`, ...options.map(optionSpec)].join(" ")}`;
}

function optionSpec({ option, short, hasValue, about, ...value }: CompletedOption): string {
  const spec = `[${escaped(about)}]${hasValue ? `: :${actionOf(value)}` : ""}`;
  const long = `--${option}${hasValue ? "=" : ""}`;
  return short === undefined
    ? quoted(`${long}${spec}`)
    : `{-${short}${hasValue ? "+" : ""},${long}}${quoted(spec)}`;
}

function actionOf({ words, names }: Completed): string {
  if (names === "file") return "_files";
  if (names === "folder") return "_files -/";
  return words.length === 0 ? "" : `(${words.join(" ")})`;
}

function escaped(text: string): string {
  return text.replaceAll(/["\\[\]:()]/g, "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
