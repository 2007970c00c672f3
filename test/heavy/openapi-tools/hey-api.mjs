// Generates a client with hey-api from the description at the path given into the folder given.
import { createClient } from '@hey-api/openapi-ts';

const [, , input, path] = process.argv;
const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'];
await createClient({ input, output: { path }, plugins, logs: { level: 'silent' } });
