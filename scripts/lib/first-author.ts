import { file, createStepBuilder, type Manager } from "./first-minutes.ts";
import type { Step } from "./terminal-recorder.ts";

const GRANTED = `
policy:
  sessions:
    group: { grant: [count_lines] }
    sandboxed: { grant: [count_lines] }`;
/** No registry has the plugin's peers, which its host brings. */
const WITHOUT_PEERS = "npm_config_legacy_peer_deps=true";

/** Plays a plugin author: creates, tests, checks, packs and calls a plugin in every kind of session. */
export function author(manager: Manager): Step[] {
  const { name, install, haft } = manager;
  const call = `tools call count_lines '{"path":"notes.txt"}'`;
  const made = name === "npm" ? "npx create-haft-plugin" : "pnpm exec create-haft-plugin";
  const run = createStepBuilder(manager);
  return [
    {
      title: "An empty folder",
      type: "mkdir author && cd author && echo '{ \"private\": true }' > package.json",
    },
    { title: "What makes packages", type: install("create-haft-plugin") },
    {
      title: "A package, after four questions",
      type: `began=$SECONDS; ${made} --package-manager ${name}`,
      answers: [
        [/Name of the package[^]*: $/, "Haft-Plugin-Lines\r"],
        [/capital letters[^]*Name of the package[^]*: $/, "haft-plugin-lines\r"],
        [/Purpose of the package[^]*: $/, "Counts lines.\r"],
        [/Name of the first tool[^]*: $/, "count_lines\r"],
        [/Effect of the tool[^]*: $/, "\r"],
      ],
      shows: [/Created haft-plugin-lines in haft-plugin-lines/],
      hides: [/not installed|not made/],
    },
    {
      title: "Its tests are green",
      type: `cd haft-plugin-lines && ${name} test`,
      shows: [/pass 4/, /fail 0/],
    },
    {
      title: "How long that took",
      type: 'echo "create to first green test: $((SECONDS - began)) s"',
      shows: [/create to first green test: \d+ s/],
    },
    {
      title: "It is right",
      type: `${name} run check`,
      shows: [/✓ lines/, /\d+ checks passed/],
      hides: [/✗|! /],
    },
    { title: "Its types are right", type: `${name} run typecheck` },
    { title: "Packed", type: `${name} pack`, shows: [/haft-plugin-lines-0\.0\.0\.tgz/] },
    {
      title: "It is not made twice",
      type: `cd .. && ${made} haft-plugin-lines --yes`,
      exit: 1,
      shows: [/is not empty/],
    },
    {
      title: "A host",
      type: `mkdir ../host && cd ../host && echo '{ "private": true }' > package.json && ${install("haft")}`,
    },
    run("Added by its name", "plugins add ../author/haft-plugin-lines/haft-plugin-lines-0.0.0.tgz", {
      type: `${WITHOUT_PEERS} ${haft} plugins add ../author/haft-plugin-lines/haft-plugin-lines-0.0.0.tgz`,
      shows: [/Added haft-plugin-lines 0\.0\.0/],
    }),
    { title: "Something to count", type: file("notes.txt", "one\ntwo") },
    run("In a main session", call, { shows: [/2 lines/] }),
    run("In a group, before it is granted", `${call} --session group`, {
      exit: 1,
      shows: [/sessions\.group\.grant/],
    }),
    { title: "Granted", type: `cat >> ~/.config/haft/haft.config.yaml <<'END'${GRANTED}\nEND` },
    run("In a group", `${call} --session group`, { shows: [/2 lines/] }),
    run("In a sandbox", `${call} --session sandboxed --sandbox-access ro`, { shows: [/2 lines/] }),
  ];
}
