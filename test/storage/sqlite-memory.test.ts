import { storageSuite } from './suite.ts';

storageSuite('SQLite in memory', async () => ':memory:');
