import { createFindTool, createGrepTool } from "@earendil-works/pi-coding-agent";
import { observe } from "../work/files.ts";
import { FIND, SEARCHES } from "../work/search-tree.ts";

// pi: its tools in this process, which start ripgrep and fd.

const signal = new AbortController().signal;

async function pi(tool, args) {
  const call = async () => {
    const result = await tool.execute("id", args, signal);
    if (result.isError) throw new Error(JSON.stringify(result.content));
  };
  await call();
  return { sample: () => observe(call) };
}

export const piGrepNone = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.none);
export const piGrepNeedles = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.needles);
export const piGrepMarkdown = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.markdown);
export const piGrepMany = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.many);
export const piGrepExpression = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.expression);
export const piGrepDigits = (fixtures) => pi(createGrepTool(fixtures), SEARCHES.digits);
export const piFindName = (fixtures) => pi(createFindTool(fixtures), FIND.name);
export const piFindThousand = (fixtures) => pi(createFindTool(fixtures), FIND.thousand);
