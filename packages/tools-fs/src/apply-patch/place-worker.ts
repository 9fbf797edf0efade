import { answerJobs } from "../scheduling/answer-jobs.ts";
import { type PlacingJob, placeSection } from "./place-section.ts";

answerJobs((job: PlacingJob) => placeSection(job));
