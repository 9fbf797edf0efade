import { answerJobs } from "../scheduling/worker-thread.ts";
import { shrink } from "./shrink.ts";

answerJobs(shrink);
