import { describe } from 'vitest';
import { newDatabase } from '../../databases.ts';
import { type Script, type ScriptedCourier, startScripted } from './scripted-courier.ts';

/** Defines the tests of a scripted courier for each engine; a server may take its time to start. */
export function onEachEngine(define: (start: (script?: Script) => Promise<ScriptedCourier>) => void): void {
  const locations = {
    sqlite: async () => ':memory:',
    postgres: newDatabase,
  };
  describe.each(['sqlite', 'postgres'] as const)('on %s', { timeout: 60_000 }, (engine) => {
    define(async (script = {}) => startScripted(script, { location: await locations[engine]() }));
  });
}
