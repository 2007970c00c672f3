import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';

// Runs before each test file.
afterAll(endFile);
