import { shellContract } from "./shell.ts";

shellContract("dash");
