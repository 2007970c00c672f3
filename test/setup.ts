import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';

// Runs before each test file. A file may have many databases to drop.
afterAll(endFile, 180_000);
