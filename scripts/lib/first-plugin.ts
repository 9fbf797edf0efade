import { file, type Manager } from "./first-minutes.ts";
import type { Step } from "./terminal-recorder.ts";

const PLUGIN = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const greet = defineTool({
  name: "greet",
  description: "Greets somebody by name.",
  parameters: Type.Object({ who: Type.String() }),
  effects: [],
  execute: async (_id, { who }) => ({ content: [text("Hello, " + who + "!")], details: {} }),
});
export default definePlugin({ id: "greeter", version: "1.0.0", tools: [greet] });`;

/** Plays a user who adds a plugin, and uses a repository with a configuration. */
export function plugins({ install, haft }: Manager): Step[] {
  const run = (title: string, words: string, more: Partial<Step> = {}): Step => ({
    title,
    type: `${haft} ${words}`,
    ...more,
  });
  const configuration = (settings: string) => file("haft.config.yaml", settings);
  return [
    {
      title: "An empty folder",
      type: "mkdir -p project/greeter && cd project && echo '{ \"private\": true }' > package.json",
    },
    { title: "One install", type: install("haft") },
    { title: "A plugin: one file", type: file("greeter/index.mjs", PLUGIN) },
    run("Is it right", "plugins check greeter/index.mjs", { shows: [/✓ greeter 1\.0\.0/] }),
    run("Tried at once", `tools call greet '{"who":"Ada"}' --plugin greeter/index.mjs`, {
      shows: [/Hello, Ada!/],
    }),
    run("For good", "plugins add ./greeter/index.mjs", { shows: [/Added .*greeter/, /greet/] }),
    run("All of them", "plugins list", { shows: [/greeter.*ready.*greet/] }),
    run("It is there", `tools call greet '{"who":"Grace"}'`, { shows: [/Hello, Grace!/] }),
    run("Why not in a group", "plugins why greet --session group", {
      exit: 1,
      shows: [/is not available in a group session/, /sessions\.group\.grant/],
    }),
    run("Why not at all", "plugins why weather", { exit: 1, shows: [/haft plugins add NAME/] }),
    { title: "It breaks", type: `echo 'throw new Error("out of coffee");' > greeter/index.mjs` },
    run("All others work, and it is said", "tools", { shows: [/read/, /out of coffee/] }),
    run("Why", "plugins why greet", { exit: 1, shows: [/out of coffee/] }),
    { title: "It is mended", type: file("greeter/index.mjs", PLUGIN) },
    run("It is back", `tools call greet '{"who":"Ada"}'`, { shows: [/Hello, Ada!/] }),
    run("Taken out", "plugins remove greeter", { shows: [/Removed .*greeter.* from/] }),
    {
      title: "A repository brings rules, and wants more",
      type: configuration("policy: { deny: [bash] }\nroots:\n  docs: { path: ./greeter, access: ro }"),
    },
    run("It tightens, and no more", "config show", {
      exit: 1,
      shows: [/used to tighten, not trusted/, /also says roots/],
    }),
    run("No agent trusts it", `tools call exec '{"command":"npx haft config trust --yes"}'`, {
      exit: 1,
      shows: [/Only the user decides/],
    }),
    run("You do", "config trust", {
      answers: [[/Do you trust this\?[^]*> /, "y\r"]],
      shows: [/Trusted: .*haft\.config\.yaml/],
    }),
    run("Now it counts", "config show", { shows: [/roots\.docs.*haft\.config\.yaml/] }),
    { title: "Somebody changes it", type: "sed -i 's/access: ro/access: rw/' haft.config.yaml" },
    run("That was not trusted", "config show", { exit: 1, shows: [/trust ended/, /changed/] }),
    run("Taken back", "config untrust .", { shows: [/is no longer trusted/] }),
  ];
}
