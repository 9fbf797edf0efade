import { answerJobs } from "../threads/answer-jobs.ts";
import { searchText } from "./search-text.ts";

answerJobs(searchText);
