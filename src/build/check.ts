/**
 * Types, lint and structure. No check needs another, so as many run at a time as there are processors, longest first.
 * Each prints its whole output at its end. After a failed one no further one starts.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const kept = 'node_modules/.cache';
const browser = ['board/browser', 'driver-page/browser', 'driver-page/worker', 'tracking-page/browser'];

const checks = [
  ['knip', '--cache'],
  // Each of several checkers would check again the types that they share.
  [
    ...['tsc', '-p', 'tsconfig.json', '--checkers', '1'],
    ...['--incremental', '--tsBuildInfoFile', `${kept}/tsc/tsconfig.tsbuildinfo`],
  ],
  ['biome', 'check', '--error-on-warnings'],
  ...(process.argv.includes('--build') ? [[process.execPath, 'src/build/bundle.ts']] : []),
  ['depcruise', 'src'],
  ...browser.map((folder) => ['tsc', '-p', `src/service/${folder}`]),
  ['node', 'src/build/unique-names.ts'],
];

/** The type checker, which ends soon, collects garbage seldom. */
const env = { ...process.env, GOGC: '400' };

let hasFailed = false;

async function runChecks(): Promise<void> {
  while (!hasFailed) {
    const check = checks.shift();
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
for (const check of checks) process.stderr.write(`Not checked: ${check.join(' ')}\n`);
