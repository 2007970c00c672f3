import { test } from 'vitest';
import { documentsRunSeldom, runDocument } from '../program/guide-documents.ts';

test.each(documentsRunSeldom)('the commands of $name run in order', runDocument);
