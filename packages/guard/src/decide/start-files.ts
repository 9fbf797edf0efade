import { baseName, isReadOnlyCommand, type TemplateCommand } from "@haft/commands";

export const NEXT_START_DESCRIPTION = "variables or programs of the next start";

/** Below the home folder, in lower case. */
const OF_HOME = new RegExp(
  `^(?:${[
    String.raw`\.(?:bashrc|bash_(?:profile|login|aliases|logout|env)|profile|zshenv|zshrc|zprofile|zlogin|zlogout|kshrc|mkshrc|t?cshrc|login|logout|inputrc)`,
    String.raw`\.(?:env|envrc|npmrc|bunfig\.toml|pam_environment|xprofile|xsession(?:rc)?|xinitrc|xserverrc|gnomerc|tmux\.conf|screenrc)`,
    String.raw`\.(?:zsh|bash|profile|bashrc|oh-my-zsh|macosx|asdf)(?:\.d)?(?:/.*)?`,
    String.raw`\.config/(?:fish|environment\.d|systemd|autostart|plasma-workspace|nushell|elvish|powershell|direnv|mise|tmux|zsh|bash|sway|hypr|i3|xonsh)(?:/.*)?`,
    String.raw`\.config/(?:plasma-)?(?:startup|env)(?:/.*)?`,
    String.raw`\.local/share/(?:systemd|direnv)(?:/.*)?`,
    String.raw`\.ssh/(?:environment|rc)`,
    String.raw`library/(?:launchagents|launchdaemons)(?:/.*)?`,
  ].join("|")})$`,
);
const OF_MACHINE =
  /^\/etc\/(?:environment(?:\.d(?:\/.*)?)?|profile(?:\.d(?:\/.*)?)?|bash(?:\.bashrc|rc)|zsh(?:\/.*|env|rc)?|fish(?:\/.*)?|security\/pam_env\.conf|ld\.so\.preload|systemd(?:\/.*)?|cron[^/]*(?:\/.*)?|xdg\/autostart(?:\/.*)?)$/;
const ANYWHERE = /\/(?:\.envrc|\.direnv\/.*)$/;

/** @param path Absolute, in lower case. */
export function isStartFile(path: string, home: string): boolean {
  if (OF_MACHINE.test(path) || ANYWHERE.test(path)) return true;
  const folder = `${home.replace(/\/+$/, "")}/`;
  return path.startsWith(folder) && OF_HOME.test(path.slice(folder.length));
}

const COMMANDS =
  /^(?:systemctl .*\b(?:set-environment|import-environment|edit|link|enable)|launchctl (?:setenv|load|bootstrap)|dbus-update-activation-environment|crontab(?! -l )|setx) /;

/** These commands set variables of later programs without naming a file. */
export function setsVariables(command: TemplateCommand): string | undefined {
  if (isReadOnlyCommand(command)) return undefined;
  const [program = "", ...words] = command.argv;
  const name = baseName(program);
  return COMMANDS.test(`${[name, ...words].join(" ")} `) ? NEXT_START_DESCRIPTION : undefined;
}
