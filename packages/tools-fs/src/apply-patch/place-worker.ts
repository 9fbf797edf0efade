import { answerJobs } from "../scheduling/worker-thread.ts";
import { type PlacingJob, placeSection } from "./place-section.ts";

answerJobs((job: PlacingJob) => placeSection(job));
