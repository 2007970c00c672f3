import { afterAll } from 'vitest';
import { endFile } from './ends.ts';

// Comes before each test file.
afterAll(endFile);
