// `npm install` in the root would seem to work without linking the packages to each other.
const agent = process.env.npm_config_user_agent ?? "";
if (!agent.startsWith("pnpm/")) {
  console.error("This workspace is installed by pnpm. Run `npm run setup`; nothing else is needed.");
  process.exit(1);
}
