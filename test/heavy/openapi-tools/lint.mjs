// Prints the problems that spectral finds in the description at the path given, as JSON.
import { readFileSync } from 'node:fs';
import spectral from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

const linter = new spectral.Spectral();
linter.setRuleset({ extends: oas });
const problems = await linter.run(readFileSync(process.argv[2], 'utf8'));
process.stdout.write(JSON.stringify(problems.map(({ code, message, path }) => ({ code, message, path }))));
