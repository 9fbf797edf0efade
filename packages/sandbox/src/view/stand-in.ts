/** Ends of names, and what programs take for no settings: an empty file would be an error to them. */
const STAND_INS: readonly (readonly [end: string, text: string])[] = [
  ["/.m2/settings.xml", "<settings/>\n"],
  ["/.m2/settings-security.xml", "<settingsSecurity/>\n"],
  [".json", "{}\n"],
];

export function standInFor(path: string): string {
  return STAND_INS.find(([end]) => path.endsWith(end))?.[1] ?? "";
}
