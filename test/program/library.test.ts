import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callerEnv, compilePrograms, guidePrograms, runPrograms } from './library-programs.ts';
import { freshHome, inProcess, root, sharedService } from './run.ts';

const fileService = sharedService();

/** A folder of another project that has the package. */
function project(): string {
  const { folder } = freshHome();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'waybill'), 'dir');
  return folder;
}

test('the programs of the guide run, as does CommonJS', async () => {
  expect(guidePrograms).toHaveLength(3);
  await runPrograms(project(), await fileService());
});

/** The Node of the system, such as the 20 of Debian. */
const system_node = '/usr/bin/node';

test('on the Node of the system a program of the guide can be run again, with the same result', async ({
  skip,
}) => {
  if (!existsSync(system_node)) skip(`${system_node} is not installed here`);
  const served = await fileService();
  const folder = project();
  const env = { PATH: process.env.PATH, ...callerEnv(served) };
  for (const [index, code] of guidePrograms.slice(0, 2).entries()) {
    const file = join(folder, `guide-${index}.mjs`);
    writeFileSync(file, code);
    const runs = [1, 2].map(() => spawnSync(system_node, [file], { env, encoding: 'utf8' }));
    expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(runs[0]?.stdout).toMatch(
      index === 0 ? /^dlv_\w+ 6\.47\nrecord_not_found 404 null\n$/ : /^webhook\.test\n$/,
    );
    expect(runs[1]?.stdout).toBe(runs[0]?.stdout);
  }
  const home = freshHome(callerEnv(served));
  const { stdout } = await inProcess(home, 'deliveries', 'list', '-o', 'id');
  expect(stdout.trim().split('\n')).toHaveLength(1);
});

const uncaught: [name: string, program: string, said: RegExp][] = [
  ['a wrong key', "await createClient({ baseUrl, apiKey: 'wb_test_wrong' }).orders.list()", /ApiError: /],
  ['a missing record', "await client.orders.get({ params: { order_id: 'ord_none' } })", /ApiError: /],
  [
    'no service',
    "await createClient({ baseUrl: 'http://127.0.0.1:1', apiKey, maxNetworkRetries: 0 }).orders.list()",
    /Unreachable: /,
  ],
  ['a bad address', "createClient({ baseUrl: 'shop.example', apiKey })", /BadBaseUrl: /],
];

test('an error that a program does not catch is its message, without the library', async () => {
  const served = await fileService();
  const file = join(project(), 'uncaught.mjs');
  const { WAYBILL_BASE_URL: baseUrl, WAYBILL_API_KEY: apiKey } = callerEnv(served);
  for (const [name, program, said] of uncaught) {
    writeFileSync(
      file,
      `import { createClient } from 'waybill';
const [baseUrl, apiKey] = ${JSON.stringify([baseUrl, apiKey])};
const client = createClient({ baseUrl, apiKey });
${program};
`,
    );
    // Of another Node one error is enough.
    const isFirst = name === uncaught[0]?.[0];
    const nodes = [process.execPath, ...(isFirst && existsSync(system_node) ? [system_node] : [])];
    for (const node of nodes) {
      const { status, stderr } = spawnSync(node, [file], { encoding: 'utf8' });
      expect([name, status, stderr]).toEqual([name, 1, expect.stringMatching(said)]);
      expect(
        stderr.split('\n').filter((line) => line.length > 300),
        stderr.slice(0, 3000),
      ).toEqual([]);
      expect(stderr.length, stderr.slice(0, 3000)).toBeLessThan(3000);
    }
  }
});

test('programs that import the package compile under --strict', () => {
  // Those of CommonJS are the same; test/heavy/package.test.ts compiles both.
  compilePrograms(project(), ['typed.mts']);
});

test('the declarations import no package', () => {
  const entries = ['library', 'library-service', 'library-webhooks'];
  for (const name of entries.flatMap((entry) => [`${entry}.d.cts`, `${entry}.d.mts`])) {
    const imports = [
      ...readFileSync(join(root, 'dist', name), 'utf8').matchAll(/from '([^']+)'|import\('([^']+)/g),
    ];
    for (const [, from = ''] of imports)
      expect(from, name).toMatch(/^\.\/library(-service|-webhooks)?\.cjs$/);
  }
});
