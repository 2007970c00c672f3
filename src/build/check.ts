/**
 * Checks types, lint and structure (`npm run check`). The checks are independent, so as many run at a time as there are
 * processors, the longest first. Each prints its whole output at its end. No check starts after one has failed.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const cache = 'node_modules/.cache';
/** The folders of `src/service` with code for browsers, which have TypeScript projects of their own. */
const browserCode = ['board/browser', 'driver-page/browser', 'driver-page/worker', 'tracking-page/browser'];

const waitingChecks = [
  ['knip', '--cache'],
  // With several checkers, each would check the shared types again.
  [
    ...['tsc', '-p', 'tsconfig.json', '--checkers', '1'],
    ...['--incremental', '--tsBuildInfoFile', `${cache}/tsc/tsconfig.tsbuildinfo`],
  ],
  ['biome', 'check', '--error-on-warnings'],
  ...(process.argv.includes('--build') ? [[process.execPath, 'src/build/bundle.ts']] : []),
  ['depcruise', 'src'],
  ...browserCode.map((folder) => ['tsc', '-p', `src/service/${folder}`]),
  ['node', 'src/build/unique-names.ts'],
];

/** The type checker, a Go program that ends soon, collects garbage seldom. */
const env = { ...process.env, GOGC: '400' };

let hasFailed = false;

async function runChecks(): Promise<void> {
  while (!hasFailed) {
    const check = waitingChecks.shift();
    if (check === undefined) return;
    await runCheck(check);
  }
}

function runCheck([command = '', ...args]: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.once('error', reject).once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) {
        hasFailed = true;
        process.exitCode = 1;
        process.stderr.write(`Failed: ${[command, ...args].join(' ')}\n`);
      }
      resolve();
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, runChecks));
for (const check of waitingChecks) process.stderr.write(`Not checked: ${check.join(' ')}\n`);
