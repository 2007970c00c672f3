import { expect, test } from 'vitest';
import { globalFlags } from '../../../../src/cli/kit/args/global-flags.ts';
import { envVarOf, flagsOfEnvVar } from '../../../../src/cli/kit/args/input.ts';
import { commands } from '../../commands-of-tree.ts';

const names = new Set([
  ...Object.keys(globalFlags),
  ...commands.flatMap(({ command }) => Object.keys(command.flags)),
]);

test.each([...names])('the variable of %s is mapped back to it, also in lower case', (name) => {
  expect(flagsOfEnvVar(envVarOf(name))).toEqual([name]);
  expect(flagsOfEnvVar(envVarOf(name).toLowerCase())).toEqual([name]);
});

test('other variables have no flag', () => {
  expect(['PATH', 'WAYBILL', 'MY_WAYBILL_OUTPUT', ''].flatMap(flagsOfEnvVar)).toEqual([]);
});
