import { answerJobs } from "../threads/answer-jobs.ts";
import { shrink } from "./shrink.ts";

answerJobs(shrink);
