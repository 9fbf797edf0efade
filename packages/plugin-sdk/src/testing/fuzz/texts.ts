/** These break programs. The plainest come first. */
export const SAMPLE_TEXTS: readonly string[] = [
  "",
  " ",
  "a",
  "0",
  "-1",
  "null",
  "true",
  "__proto__",
  "constructor",
  "{}",
  "[1,2",
  "a\nb",
  "a\r\nb\t",
  '"quoted"',
  "back\\slash",
  "<b>bold</b>",
  "$(id)",
  "-rf",
  "%s%n",
  "ä ö ü",
  "🔧👩‍👩‍👧",
  "名前",
  "\u202eright to left",
  "e\u0301",
  "\u0000",
  "x".repeat(300),
  "long ".repeat(2_000),
];

/** Paths of sample files, and missing or forbidden paths. */
const PATHS = [
  "README.md",
  "src/index.ts",
  "data/table.csv",
  "data/values.json",
  "empty.txt",
  "large.txt",
  "binary.bin",
  "link.md",
  "src",
  ".",
  "missing.txt",
  "new/folder/file.txt",
  "../outside.txt",
  "/etc/passwd",
];

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29", "1970-01-01", "9999-12-31"],
  "date-time": ["2024-02-29T12:00:00Z", "1970-01-01T00:00:00+14:00"],
  time: ["12:00:00Z", "23:59:60Z"],
  duration: ["PT1H", "P1Y2M3DT4H5M6S"],
  email: ["a@example.com", "a.b+c@sub.example.com"],
  hostname: ["example.com", "localhost"],
  ipv4: ["192.0.2.1", "0.0.0.0"],
  ipv6: ["::1", "2001:db8::1"],
  uri: ["https://example.com/", "https://api.example.com/a?b=c#d", "http://127.0.0.1/"],
  url: ["https://example.com/", "http://[::1]/"],
  uuid: ["00000000-0000-0000-0000-000000000000", "123e4567-e89b-42d3-a456-426614174000"],
};

const PATH_NAME = /path|file|folder|dir|cwd|source|target/i;
const URL_NAME = /url|uri|link|endpoint|href/i;

/** Uses name and format of a parameter; `undefined` if no usual texts are known. */
export function getSampleTexts(name: string, format: unknown): readonly string[] | undefined {
  const known = FORMATS[String(format)];
  if (known !== undefined) return known;
  if (PATH_NAME.test(name)) return PATHS;
  return URL_NAME.test(name) ? FORMATS["uri"] : undefined;
}
