import { opaque, type CarrierRule } from "./carrier.ts";

/** Programs that run what files of the folder say; their arguments choose among it. */
const RUNNERS =
  "make gmake bmake pmake ninja samu cmake ctest meson scons waf bazel bazelisk buck buck2 gradle gradlew mvn mvnw ant sbt " +
  "mill lein rake just task mage invoke nox tox cargo go zig dotnet msbuild swiftc nx turbo lerna rush grunt gulp npm " +
  "pnpm yarn bun deno pip poetry pdm hatch uv rye conda mamba gem bundle composer cpan luarocks opam cabal mix rebar3 " +
  "docker podman nerdctl buildah kubectl oc helm skaffold vagrant ansible-playbook terraform tofu pulumi " +
  "gh systemctl service launchctl snap flatpak nix nix-build guix brew apt apt-get dpkg yum dnf rpm apk pacman " +
  "emerge corepack volta nvm fnm asdf mise rustup pyenv rbenv sdk pre-commit husky lint-staged act earthly dagger";
const NAMES = new Set(RUNNERS.split(" "));

/** Options with which many of them are sent to other files, folders and shells. */
const ELSEWHERE =
  /^(?:-[fCIEP]|--(?:file|makefile|directory|include-dir|init-script|shell|eval|prefix|cwd|dir|config|justfile|rakefile|taskfile|node-options|script-shell|call|command|run|exec))$/;

/** Words of theirs after which a program, a package or code is named. */
const LAUNCHING: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x|init|create|innit|explore|edit|config|set|c|ln|link|-c)$/,
  pnpm: /^(?:exec|dlx|create|init|config|c|env|-c|--shell-mode)$/,
  yarn: /^(?:exec|dlx|create|init|config|node)$/,
  bun: /^(?:x|run|exec|create|c|init|repl|-|-e|-p|--print|-r|--preload|--require|--import)$/,
  deno: /^(?:eval|repl|x|compile|jupyter|task|-|--preload|--import|-r)$/,
  uv: /^(?:run|tool|x|pip)$/,
  poetry: /^(?:run|shell)$/,
  pdm: /^run$/,
  hatch: /^(?:run|shell)$/,
  rye: /^run$/,
  conda: /^run$/,
  mamba: /^run$/,
  bundle: /^(?:exec|e)$/,
  gem: /^exec$/,
  composer: /^exec$/,
  cargo: /^-Z$/,
  go: /^(?:--?(?:exec|toolexec|vettool)|tool|generate|env)$/,
  mvn: /^exec:/,
  nix: /^(?:run|shell|develop|-c|eval)$/,
  guix: /^(?:shell|environment|repl)$/,
  brew: /^sh$/,
  snap: /^run$/,
  flatpak: /^run$/,
  vagrant: /^ssh$/,
  corepack: /^./,
  volta: /^run$/,
  nvm: /^(?:exec|run)$/,
  fnm: /^exec$/,
  mise: /^(?:x|exec|run)$/,
  asdf: /^(?:exec|shell)$/,
  rustup: /^run$/,
  pyenv: /^exec$/,
  rbenv: /^exec$/,
  opam: /^exec$/,
  cabal: /^(?:exec|v2-exec)$/,
};

/** Where any other first word is a program that is looked for. */
const OWN_COMMANDS: Readonly<Record<string, RegExp>> = {
  pnpm: /^(?:install|i|ci|add|remove|rm|uninstall|un|update|up|upgrade|run|test|t|start|why|list|ls|ll|outdated|audit|pack|publish|link|import|rebuild|rb|prune|store|root|bin|licenses|patch|deploy|fetch|view|info)$/,
  cargo:
    /^(?:build|b|check|c|clean|d|doc|new|init|add|remove|rm|run|r|test|t|bench|update|search|publish|install|uninstall|fmt|clippy|fix|tree|metadata|fetch|vendor|package|version|help)$/,
};

export const runner: CarrierRule = (name, args) => {
  if (!NAMES.has(name)) return undefined;
  const reason = `${name} runs what files of its folder say`;
  const options = args.map((word) => (word.startsWith("-") ? (word.split("=", 1)[0] ?? word) : word));
  const named = options.find((word) => ELSEWHERE.test(word) || LAUNCHING[name]?.test(word));
  if (named !== undefined) return opaque(reason, `${name} ${named} runs what its arguments name`);
  const command = args.find((word) => !/^[-+]/.test(word));
  if (command !== undefined && OWN_COMMANDS[name]?.test(command) === false)
    return opaque(reason, `${name} ${command} can be any program`);
  // Variables of make and of others are code.
  if (name.endsWith("make") && args.some((word) => word.includes("=") || /^-[a-zA-Z]*[fCIE]/.test(word)))
    return opaque(reason, `variables and other files of ${name} can be any code`);
  if (args.length === 0 && name === "deno") return opaque(reason, "deno runs the code it reads");
  return { reason };
};
