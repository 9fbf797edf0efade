import { defineCommand, oneOf, UsageError, type Command } from "../usage.ts";
import { bashScript } from "./bash.ts";
import { completedCommands } from "./completed-commands.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const help = `haft completions bash|zsh|fish

Prints what a shell needs to complete commands, actions, options, their values and names of files
when you press tab. To have it in every shell you start:

  bash   source <(haft completions bash)                                  in ~/.bashrc
  zsh    haft completions zsh > ~/.zfunc/_haft                            a folder of your fpath
  fish   haft completions fish > ~/.config/fish/completions/haft.fish

It is made of the same tables that the command reads its options with. What was written to a file is
written again after an update of Haft.

  -h, --help                this text

Exit codes: 0 when it was printed, 2 for wrong usage.`;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

/** @param commands all there are, by name */
export function completionsCommand(commands: Readonly<Record<string, () => Promise<Command>>>): Command {
  return defineCommand(
    help,
    { help: { type: "boolean", short: "h" } },
    async (_values, [shell, ...rest]) => {
      if (shell === undefined) throw new UsageError(`For which shell? There are ${SHELLS.join(", ")}.`);
      if (rest.length > 0) throw new UsageError(`haft completions takes one shell; got "${rest[0]}", too.`);
      const script = SCRIPTS[oneOf("The shell", shell, SHELLS)];
      process.stdout.write(script(await completedCommands(commands)));
      return 0;
    },
    { words: SHELLS },
  );
}
