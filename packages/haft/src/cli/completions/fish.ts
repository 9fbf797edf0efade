import type { Completed, CompletedAction, CompletedCommand, CompletedOption } from "./completed-commands.ts";

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ actions, ...command }) => {
    const at = `__haft_at ${command.name}`;
    const names = actions.map(({ name }) => name);
    return [
      complete(["-n", "__haft_at", "-a", command.name, "-d", command.about]),
      ...actions.map(({ name, about }) => complete(["-n", `${at} --`, "-a", name, "-d", about])),
      ...(actions.length === 0
        ? linesOf(at, command)
        : [
            ...actions.flatMap((action) => linesOf(`${at} ${action.name}`, action)),
            ...command.options.map((option) =>
              complete(["-n", `${at} -- ${names.join(" ")}`, ...optionOf(option)]),
            ),
          ]),
    ];
  });
  return `# What fish completes behind haft: haft completions fish > ~/.config/fish/completions/haft.fish
# Whether the words so far are these: none; a command; a command and --, with none of the actions that follow; or both.
function __haft_at
    set -l words (string match -v -- '-*' (commandline -opc)[2..])
    test (count $argv) -eq 0; and return (test (count $words) -eq 0; echo $status)
    test "$words[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; and return 0
    if test "$argv[2]" = --
        test (count $argv) -eq 2; and return (test (count $words) -eq 1; echo $status)
        not contains -- "$words[2]" $argv[3..]
        return
    end
    test "$words[2]" = "$argv[2]"
end
complete -c haft -f
complete -c haft -n __haft_at -s h -l help -d 'what there is'
complete -c haft -n __haft_at -s v -l version -d 'the version'
${lines.join("\n")}
`;
}

function linesOf(at: string, { options, operands }: CompletedAction): string[] {
  const { words, names } = operands;
  return [
    ...(words.length > 0 ? [complete(["-n", at, "-a", words.join(" ")])] : []),
    ...(names === undefined ? [] : [complete(["-n", at, ...namesOf(names)])]),
    ...options.map((option) => complete(["-n", at, ...optionOf(option)])),
  ];
}

function optionOf({ option, short, hasValue, about, words, names }: CompletedOption): string[] {
  return [
    "-l",
    option,
    ...(short === undefined ? [] : ["-s", short]),
    // Names of files are no answer, unless they are asked for.
    ...(hasValue ? [names === "file" ? "-r" : "-x"] : []),
    ...(words.length > 0 ? ["-a", words.join(" ")] : []),
    ...(names === undefined ? [] : namesOf(names)),
    ...(about === "" ? [] : ["-d", about]),
  ];
}

function namesOf(names: NonNullable<Completed["names"]>): string[] {
  return names === "file" ? ["-F"] : ["-a", "(__fish_complete_directories)"];
}

function complete(words: readonly string[]): string {
  return `complete -c haft ${words.map(quoted).join(" ")}`;
}

function quoted(word: string): string {
  if (/^[\w./-]+$/.test(word)) return word;
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
