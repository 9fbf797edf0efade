import { answerJobs } from "../scheduling/answer-jobs.ts";
import { shrink } from "./shrink.ts";

answerJobs(shrink);
