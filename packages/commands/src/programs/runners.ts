import { opaque, type CarrierRule } from "./carrier.ts";

/** Programs that run what files of the folder say; their arguments choose among it. */
const RUNNERS =
  "make gmake bmake pmake ninja samu cmake ctest meson scons waf bazel bazelisk buck buck2 gradle gradlew mvn mvnw ant sbt " +
  "mill lein rake just task mage invoke nox tox cargo go zig dotnet msbuild swiftc nx turbo lerna rush grunt gulp npm " +
  "pnpm yarn bun deno pip poetry pdm hatch uv rye conda mamba gem bundle composer cpan luarocks opam cabal mix rebar3 " +
  "docker podman nerdctl buildah kubectl oc helm skaffold vagrant ansible ansible-playbook terraform tofu pulumi " +
  "systemctl service launchctl snap flatpak nix nix-shell nix-build guix brew apt apt-get dpkg yum dnf rpm apk pacman " +
  "emerge corepack volta nvm fnm asdf mise rustup pyenv rbenv sdk pre-commit husky lint-staged act earthly dagger " +
  "screenfetch update-alternatives";
const NAMES = new Set(RUNNERS.split(" "));

/** Words of theirs after which a program, a package or code is named. */
const LAUNCHING: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x|init|create|innit|explore|edit|config|set|c|ln|link|-c|--call|--script-shell|--prefix|-C|--node-options)$/,
  pnpm: /^(?:exec|dlx|create|init|config|env|-c|-C|--dir|--script-shell|--shell-mode)$/,
  yarn: /^(?:exec|dlx|create|init|config|node|--cwd)$/,
  bun: /^(?:x|exec|create|c|init|repl|-e|--eval|-p|--print|-r|--preload|--require|--import|--cwd)$/,
  deno: /^(?:eval|repl|x|compile|jupyter|--preload|--import|-r)$/,
  uv: /^(?:run|tool|x|pip)$/,
  poetry: /^(?:run|shell)$/,
  pdm: /^run$/,
  hatch: /^(?:run|shell)$/,
  rye: /^run$/,
  conda: /^run$/,
  mamba: /^run$/,
  bundle: /^exec$/,
  composer: /^exec$/,
  cargo: /^(?:--config|-Z|-C)$/,
  go: /^(?:-exec|-toolexec|-vettool|--exec|--toolexec|--vettool|tool|generate|env|-C)$/,
  make: /^(?:-f|-C|-E|-I|--eval|--file|--makefile|--directory|--include-dir)$/,
  nix: /^(?:run|shell|develop|--command|-c|eval)$/,
  corepack: /^./,
  volta: /^run$/,
  mise: /^(?:x|exec|run)$/,
  asdf: /^(?:exec|shell)$/,
  rustup: /^run$/,
  pyenv: /^exec$/,
  rbenv: /^exec$/,
  opam: /^exec$/,
  cabal: /^(?:exec|v2-exec)$/,
  cmake: /^-[EP]$/,
};

export const runner: CarrierRule = (name, args) => {
  if (!NAMES.has(name)) return undefined;
  const reason = `${name} runs what files of its folder say`;
  const launching = LAUNCHING[name];
  const named = args.find((word) => {
    const option = word.startsWith("-") ? (word.split("=", 1)[0] ?? word) : word;
    return launching?.test(option) ?? false;
  });
  if (named !== undefined)
    return opaque(reason, `${name} ${named.split("=", 1)[0]} runs what its arguments name`);
  // Variables of make and of others are code.
  if (name.endsWith("make") && args.some((word) => word.includes("=")))
    return opaque(reason, `variables of ${name} can be code`);
  return { reason };
};
