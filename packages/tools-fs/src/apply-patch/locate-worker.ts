import { answerJobs } from "../scheduling/worker-thread.ts";
import { type LocateJob, locateSection } from "./locate-section.ts";

answerJobs((job: LocateJob) => locateSection(job));
