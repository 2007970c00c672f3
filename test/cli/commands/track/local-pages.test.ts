import { expect, test } from 'vitest';
import { isOnDesktop } from '../../../../src/cli/commands/track/local-pages.ts';

const terminal = { interactive: true, isTerminal: true };

test.each([
  { where: 'macOS', platform: 'darwin', is: true },
  { where: 'Windows', platform: 'win32', is: true },
  { where: 'Linux with X', environment: { DISPLAY: ':0' }, is: true },
  { where: 'Linux with Wayland', environment: { WAYLAND_DISPLAY: 'wayland-0' }, is: true },
  { where: 'Linux without a screen', is: false },
  { where: 'a remote login', platform: 'darwin', environment: { SSH_CONNECTION: '::1' }, is: false },
  { where: 'a remote login with X', environment: { DISPLAY: ':1', SSH_CONNECTION: '::1' }, is: false },
  { where: 'a script', platform: 'darwin', interactive: false, is: false },
  { where: 'a pipe', platform: 'darwin', isTerminal: false, is: false },
])('$where is a desktop: $is', ({ platform = 'linux', environment = {}, is, ...more }) => {
  const { interactive, isTerminal } = { ...terminal, ...more };
  const host = { platform, environment, stdout: { isTerminal } };
  expect(isOnDesktop({ host, interactive })).toBe(is);
});
