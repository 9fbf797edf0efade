#!/usr/bin/env -S node --conditions=@haft/source
// The `haft` command of this repository, on the sources and without a build; not published.
import "../src/cli/main.ts";
