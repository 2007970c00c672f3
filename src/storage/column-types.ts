/** The differences between the engines' schemas, as parts of statements. */
export interface ColumnTypes {
  /** Text compared by its bytes. */
  text: string;
  bytes: string;
  /** A 64-bit integer. */
  integer: string;
  /** An auto-incremented primary key. */
  counter: string;
  /** The end of a table definition. */
  table_end: string;
  /** The trigram index of `search_documents`. */
  search_index: readonly string[];
}

// Strict tables give SQLite the column checking that PostgreSQL has anyway.
export const sqliteTypes: ColumnTypes = {
  text: 'text',
  bytes: 'blob',
  integer: 'integer',
  counter: 'integer primary key autoincrement',
  table_end: ') strict',
  // The texts are stored once, in `search_documents` (https://sqlite.org/fts5.html#external_content_tables).
  search_index: [
    `create virtual table search_index using fts5(text, content = 'search_documents', content_rowid = 'number',
      detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1')`,
    // Without this setting deleted trigrams stay in the index until its parts are merged (https://sqlite.org/fts5.html).
    "insert into search_index (search_index, rank) values ('secure-delete', 1)",
    `create trigger search_documents_inserted after insert on search_documents begin
      insert into search_index (rowid, text) values (new.number, new.text);
    end`,
    `create trigger search_documents_deleted after delete on search_documents begin
      insert into search_index (search_index, rowid, text) values ('delete', old.number, old.text);
    end`,
    `create trigger search_documents_updated after update of text on search_documents begin
      insert into search_index (search_index, rowid, text) values ('delete', old.number, old.text);
      insert into search_index (rowid, text) values (new.number, new.text);
    end`,
  ],
};

export const postgresTypes: ColumnTypes = {
  text: 'text collate "C"',
  bytes: 'bytea',
  integer: 'bigint',
  counter: 'bigint generated always as identity primary key',
  table_end: ')',
  // Of core PostgreSQL alone: creating the extension pg_trgm is not allowed everywhere. PostgreSQL removes deleted
  // trigrams when it vacuums.
  search_index: [
    `create function search_trigrams(text) returns text[] language sql immutable strict parallel safe as
      $$ select array_agg(distinct substr($1, place, 3)) from generate_series(1, length($1) - 2) as place $$`,
    'create index search_documents_text on search_documents using gin (search_trigrams(text))',
    'create index search_documents_newest on search_documents (account_id, test_mode, number)',
  ],
};
