const SENTENCE =
  "no editor here: use -m, -F or --no-edit, or name an editor that needs no terminal in EDITOR";

/** The open quote also makes programs fail that split the value without a shell. */
const EDITOR = `sh -c 'echo "${SENTENCE}" >&2; exit 1'`;
/** Equals the default of git, after the user's settings and before those of the command. */
const GIT_EDITOR = 'e() { eval "${VISUAL:-$EDITOR} \\"\\$@\\""; }; e';
const GIT_SEQUENCE_EDITOR = 'e() { eval "$(git var GIT_EDITOR) \\"\\$@\\""; }; e';

/** Makes editors fail, and keeps programs off the screen. Editors of the command or the operator (`operatorSet`) are used. */
export function withoutEditor(
  env: Readonly<Record<string, string>>,
  operatorSet: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { VISUAL: _, ...rest } = env;
  const defaults = { TERM: "dumb", EDITOR, ...operatorSet };
  return addGitSettings({ ...rest, ...defaults }, [
    ["core.editor", GIT_EDITOR],
    ["sequence.editor", GIT_SEQUENCE_EDITOR],
  ]);
}

export function addGitSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const given = env["GIT_CONFIG_COUNT"] ?? "";
  const count = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  const added = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${count + at}`, key],
    [`GIT_CONFIG_VALUE_${count + at}`, value],
  ]);
  return { ...env, GIT_CONFIG_COUNT: String(count + settings.length), ...Object.fromEntries(added) };
}
