import { baseName, type CommandOutline } from "@haft/commands";

/** Programs that take commands from whoever types, whatever their arguments. */
const TYPED =
  /^(?:ssh|telnet|nc|ncat|socat|vim?|nvim|emacs|nano|ed|ex|less|more|man|top|htop|gdb|lldb|s?ftp|psql|mysql|mariadb|sqlite3|redis-cli|mongo(?:sh)?|irb|ghci|tmux|screen|script|expect|dc|su|fish|zsh|pwsh)$/;
const INTERACTIVE = /^-[A-Za-z]*i|^--(?:interactive|repl)$/;

/**
 * Why it is not known what a line runs where typing into running commands is asked about by nobody, as the rest of a
 * sentence; nothing where it cannot be typed into, as far as that is known.
 */
export function typedUnseen({ commands }: Pick<CommandOutline, "commands">): string | undefined {
  for (const { name, argv, carrier, scripts } of commands) {
    const program = baseName(name);
    const words = argv.slice(1);
    const isBare =
      carrier !== undefined && scripts.length === 0 && words.every((word) => word.startsWith("-"));
    const asksForIt = carrier !== undefined && words.some((word) => INTERACTIVE.test(word));
    if (TYPED.test(program) || isBare || asksForIt)
      return `what is typed into ${program} later is asked about by nobody`;
  }
  return undefined;
}
