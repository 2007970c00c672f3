import { afterAll } from 'vitest';
import { endFile } from './ends.ts';

// Runs before each test file.
afterAll(endFile);
