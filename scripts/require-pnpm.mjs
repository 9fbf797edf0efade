// `npm install` in the root would seem to work without linking the packages to each other.
// `npx haft` runs this too, but it only links the root into its cache, which is fine.
const { npm_config_user_agent: agent = "", npm_command: command } = process.env;
if (!agent.startsWith("pnpm/") && command !== "exec") {
  console.error("This workspace is installed by pnpm. Run `npm run setup`; nothing else is needed.");
  process.exit(1);
}
