const SENTENCE =
  "no editor here: use -m, -F or --no-edit, or name an editor that needs no terminal in EDITOR";

/** Found wherever `sh` is. Programs that split it without a shell see an open quote, so it never succeeds. */
const EDITOR = `sh -c 'echo "${SENTENCE}" >&2; exit 1'`;
/** What git does by itself: this goes before the settings of the user, and behind those of the command. */
const GIT_EDITOR = 'e() { eval "${VISUAL:-$EDITOR} \\"\\$@\\""; }; e';
const GIT_SEQUENCE_EDITOR = 'e() { eval "$(git var GIT_EDITOR) \\"\\$@\\""; }; e';

/**
 * Variables of a command on pipes: an editor fails at once, and nothing draws on a screen.
 * An editor that the command names itself, or the operator on purpose (`kept`), is used.
 */
export function withoutEditor(
  env: Readonly<Record<string, string>>,
  kept: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { VISUAL: _, ...rest } = env;
  const own = { TERM: "dumb", EDITOR, ...kept };
  return addGitSettings({ ...rest, ...own }, [
    ["core.editor", GIT_EDITOR],
    ["sequence.editor", GIT_SEQUENCE_EDITOR],
  ]);
}

/** The variables with more settings for every git, behind those that are there. */
export function addGitSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const given = env["GIT_CONFIG_COUNT"] ?? "";
  // Git refuses to work with any other count.
  const count = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  const added = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${count + at}`, key],
    [`GIT_CONFIG_VALUE_${count + at}`, value],
  ]);
  return { ...env, GIT_CONFIG_COUNT: String(count + settings.length), ...Object.fromEntries(added) };
}
