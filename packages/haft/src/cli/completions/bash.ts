import type { Completed, CompletedAction, CompletedCommand, CompletedOption } from "./completed-commands.ts";

/** Works in bash 3.2, which macOS has, as in later ones. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const places = commands.flatMap((command) => [
    ...command.actions.map((action) => placeOf(`${command.name} ${action.name}`, action)),
    placeOf(`${command.name} *`, command),
  ]);
  const valued = new Set(
    commands.flatMap(({ options }) => options.filter(({ hasValue }) => hasValue)).flatMap(spellings),
  );
  return `# What bash completes behind haft. In ~/.bashrc: source <(haft completions bash)
_haft() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' action='' words='' options='' names='' word index before=''
  COMPREPLY=()
  # To bash, --name=value are three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ " $valued_options " != *" $before "* && $word != -* && $word != = ]]; then
      if [[ -z $command ]]; then command=$word
      elif [[ -z $action ]]; then action=$word; fi
    fi
    if [[ $word != = ]]; then before=$word; fi
  done
  if [[ -z $command ]]; then
    words=${quoted([...commands.map(({ name }) => name), "--help", "--version"].join(" "))}
  else
    case "$command $action" in
${places.join("\n")}
    esac
    case "$command $prev" in
${valuesOf(commands).join("\n")}
    esac
  fi
  if [[ $cur == -* && -n $options ]]; then words=$options names=''; fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    compgen -W "$words" -- "$cur"
    case $names in
      file) compgen -f -- "$cur" ;;
      folder) compgen -d -- "$cur" ;;
    esac
  )
  if [[ -n $names ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F _haft haft
`.replace("$valued_options", [...valued].join(" "));
}

function placeOf(
  pattern: string,
  { options, operands, ...more }: CompletedAction & Partial<CompletedCommand>,
): string {
  const all = options.flatMap(spellings);
  const actions = more.actions?.map(({ name }) => name) ?? [];
  const facts = [
    `words=${quoted([...actions, ...operands.words].join(" "))}`,
    `options=${quoted(all.join(" "))}`,
  ];
  if (operands.names !== undefined) facts.push(`names=${operands.names}`);
  const [command, action] = pattern.split(" ");
  return `      ${quoted(command!)}' '${action === "*" ? "*" : quoted(action!)}) ${facts.join(" ")} ;;`;
}

/** Where an option waits for its value, that is all there is. */
function valuesOf(commands: readonly CompletedCommand[]): string[] {
  const patterns = new Map<string, string[]>();
  for (const { name, options } of commands)
    for (const option of options.filter(({ hasValue }) => hasValue)) {
      const facts = `words=${quoted(option.words.join(" "))} names=${option.names ?? "''"} options=''`;
      const all = patterns.get(facts) ?? [];
      patterns.set(facts, [...all, ...spellings(option).map((spelling) => quoted(`${name} ${spelling}`))]);
    }
  return [...patterns].map(([facts, all]) => `      ${all.join("|")}) ${facts} ;;`);
}

function spellings({ option, short }: CompletedOption): string[] {
  return short === undefined ? [`--${option}`] : [`-${short}`, `--${option}`];
}

function quoted(text: Completed["words"][number]): string {
  return `'${text}'`;
}
