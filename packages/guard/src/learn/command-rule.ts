import type { CommandSubject, PlannedCommand } from "@haft/core";
import { exactCommandPattern } from "@haft/policy";
import { isAbsolute, relative, resolve } from "node:path";

/** `why` is the rest of a sentence. */
export type CommandRule =
  | {
      exact: string;
      /** Any further words only read the project. */
      wider?: string;
      note?: string;
    }
  | { why: string };

const words = (text: string) => new Set(text.split(" "));

const GIT_READS = words("status log diff show blame ls-files rev-parse shortlog describe");
const GIT_PLAIN = words("add branch stash grep switch mv cat-file merge-base name-rev");
const HEAVY = words(
  "rm rmdir unlink shred truncate dd mkfs mount umount ln chmod chown chgrp sudo su doas kill pkill killall reboot shutdown halt " +
    "systemctl service launchctl crontab at batch passwd useradd usermod visudo iptables nft ip sysctl haft guard-hook",
);
const NETWORK = words(
  "curl wget httpie http https xh aria2c ssh sshpass scp sftp rsync rclone ftp lftp telnet nc ncat netcat socat nmap ping dig host " +
    "nslookup whois gh glab hub aws gcloud az doctl heroku vercel netlify fly flyctl wrangler firebase supabase psql mysql mariadb " +
    "redis-cli mongo mongosh openssl gpg mail sendmail mutt ollama claude codex gemini copilot cursor-agent opencode pi openclaw",
);
/** These build and test with files of a folder. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["npm", "pnpm", "yarn", "bun"].map((name) => [
      name,
      /^(?:test|t|run [\w:.-]+|run-script [\w:.-]+)(?: |$)/,
    ]),
  ),
  cargo: /^(?:build|b|check|c|test|t|clippy|fmt|doc|bench)(?: |$)/,
  go: /^(?:build|test|vet|fmt|list)(?: |$)/,
  ...Object.fromEntries(
    (
      "make gmake ninja just task rake gradle gradlew mvn mvnw ant sbt bazel meson ctest tox nox pytest py.test jest mocha ava vitest " +
      "eslint prettier stylelint mypy pylint flake8 rspec rubocop phpunit phpstan turbo nx tsc"
    )
      .split(" ")
      .map((name) => [name, /^/]),
  ),
};
/** The command analysis uses this phrase. */
const RUNS_FOLDER = / runs what files of its folder say$/;

export const SECRET_PATTERN =
  /\[secret\]|(?:^|[/=:])(?:\.env(?:\.|$)|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.docker|\.kube)|credential|secret|token|passw|api[_-]?key|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|jks|kdbx|keystore)$/i;
export const SETTINGS_PATTERN =
  /(?:^|[/=])\.(?:claude|codex|gemini|cursor|copilot|opencode|pi|openclaw|git|github|vscode|idea|husky|envrc)(?:\/|$)|(?:^|\/)(?:CLAUDE|AGENTS|GEMINI)\.md$|haft\.config|(?:^|\/)haft(?:\.[cm]?[jt]s)?$|guard-hook/i;

const LONGEST = 200;

/**
 * Proposes none for commands that run given code, use the network, remove files, or name secrets, agent settings or outside paths.
 *
 * @param root Absolute folder of the project.
 */
export function commandRule(
  command: PlannedCommand,
  { cwd }: Pick<CommandSubject, "cwd">,
  root: string,
): CommandRule {
  const { name, path, builtin, argv, open, carrier, through } = command;
  const program = name.slice(name.lastIndexOf("/") + 1);
  const args = argv.slice(1);
  if (open === true) return { why: `the arguments of ${program} are unknown before it runs` };
  if (path === undefined && builtin !== true) return { why: `this machine has no program ${program}` };
  if (name.includes("/")) return { why: `${name} is a file of the project, or a path instead of a name` };
  if (path !== undefined && (path === root || path.startsWith(`${root}/`)))
    return { why: `${program} is a file of the project, which an agent can change` };
  if (HEAVY.has(program)) return { why: `${program} removes files or changes more than the project` };
  if (NETWORK.has(program)) return { why: `${program} uses the network or other agents` };
  if (through.length > 0) return { why: `${through.join(" and ")} starts it and needs approval` };
  const named = args.find((word) => SECRET_PATTERN.test(word));
  if (named !== undefined) return { why: "it may name a secret" };
  if (args.some((word) => SETTINGS_PATTERN.test(word)))
    return { why: "it names settings of agents, of a repository or of Haft" };
  const outside = args.find((word) => isOutside(word, cwd, root));
  if (outside !== undefined) return { why: `it names ${outside}, which is outside the project` };
  const rest = args.join(" ");
  if (carrier !== undefined) {
    if (!RUNS_FOLDER.test(carrier)) return { why: carrier };
    if (RUNNERS[program]?.test(rest) !== true)
      return { why: `${program} installs packages or affects more than the project` };
  }
  if (program === "git") {
    const [sub = ""] = args;
    if (!GIT_READS.has(sub) && !GIT_PLAIN.has(sub))
      return { why: `git ${sub} uses other repositories or changes history` };
  }
  const exact = exactCommandPattern(command) ?? name;
  if (exact.length > LONGEST || /\p{Cc}/u.test(exact)) return { why: "it is too long for a rule" };
  const wider = program === "git" && GIT_READS.has(args[0] ?? "") ? `git ${args[0]} *` : undefined;
  return {
    exact,
    ...(wider !== undefined && { wider }),
    ...(carrier !== undefined && {
      note: `${carrier}, so an agent that may change these files decides which programs run.`,
    }),
  };
}

function isOutside(word: string, cwd: string, root: string): boolean {
  const value = word.slice(word.startsWith("-") ? word.indexOf("=") + 1 : 0);
  if (value.startsWith("~")) return true;
  if (!isAbsolute(value) && !/(?:^|\/)\.\.(?:\/|$)/.test(value)) return false;
  const inside = relative(root, resolve(cwd, value));
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside);
}
