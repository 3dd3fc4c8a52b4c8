// PostGraphile: the GraphQL schema that it makes of tables, functions, enums, composite types, comments and policies, and
// what queries, mutations and roles are answered.
import pg from "pg";
import { createPostGraphileSchema, withPostGraphileContext } from "postgraphile";
import { graphql, printSchema } from "graphql";
import { server, print, show, part } from "../node/shared.mjs";

const definitions = `
CREATE SCHEMA app;
CREATE SCHEMA hidden;
CREATE EXTENSION pgcrypto;
CREATE TYPE app.mood AS ENUM ('sad', 'very-happy');
CREATE DOMAIN app.email AS text CHECK (VALUE ~ '@');
CREATE TYPE app.address AS (street text, number int, moods app.mood[]);
CREATE TABLE app.person (
  id serial PRIMARY KEY, name text NOT NULL CHECK (length(name) < 80), email app.email UNIQUE, mood app.mood NOT NULL DEFAULT 'sad',
  home app.address, tags text[] NOT NULL DEFAULT '{}', extra jsonb DEFAULT '{}', born date, seen timestamptz, lasts interval, during tstzrange,
  size numeric(6,2), big bigint GENERATED ALWAYS AS IDENTITY, token uuid DEFAULT 'a0000000-0000-0000-0000-000000000001', twice numeric GENERATED ALWAYS AS (size * 2) STORED);
CREATE TABLE app.post (
  id serial PRIMARY KEY, author_id int NOT NULL REFERENCES app.person ON DELETE CASCADE, title text NOT NULL, body text DEFAULT '', score int NOT NULL DEFAULT 0,
  UNIQUE (author_id, title));
CREATE TABLE app.vote (person_id int REFERENCES app.person, post_id int REFERENCES app.post ON DELETE CASCADE, up boolean NOT NULL DEFAULT true, PRIMARY KEY (person_id, post_id));
CREATE TABLE app.passport (person_id int PRIMARY KEY REFERENCES app.person, number text);
CREATE TABLE app.tree (id int PRIMARY KEY, parent_id int REFERENCES app.tree, name text);
CREATE TABLE hidden.secret (id int PRIMARY KEY);
CREATE TABLE app.kind (kind text PRIMARY KEY, description text);
INSERT INTO app.kind VALUES ('LONG', 'many words'), ('SHORT', NULL);
COMMENT ON TABLE app.kind IS '@enum';
ALTER TABLE app.post ADD kind text NOT NULL DEFAULT 'SHORT' REFERENCES app.kind;
CREATE INDEX ON app.post (author_id);
CREATE INDEX ON app.post (score);
CREATE INDEX ON app.tree (parent_id);
CREATE VIEW app.loud AS SELECT id, upper(title) AS title FROM app.post;
CREATE MATERIALIZED VIEW app.counts AS SELECT author_id, count(*) AS n FROM app.post GROUP BY 1;
COMMENT ON TABLE app.person IS E'@simpleCollections both\\nWho writes.';
COMMENT ON COLUMN app.person.email IS E'@name mail\\nWhere to write.';
COMMENT ON COLUMN app.person.big IS '@omit create,update';
COMMENT ON VIEW app.loud IS E'@primaryKey id\\n@foreignKey (id) references app.post (id)';
COMMENT ON CONSTRAINT post_author_id_fkey ON app.post IS E'@foreignFieldName written\\n@foreignSimpleFieldName writtenList';
COMMENT ON TYPE app.mood IS 'How one feels.';
CREATE FUNCTION app.person_shouted(p app.person, mark text DEFAULT '!') RETURNS text LANGUAGE sql STABLE AS $$ SELECT upper(p.name) || mark $$;
CREATE FUNCTION app.person_best(p app.person) RETURNS SETOF app.post LANGUAGE sql STABLE AS $$ SELECT * FROM app.post WHERE author_id = p.id ORDER BY score DESC $$;
CREATE FUNCTION app.search(word text, lowest int = 0) RETURNS SETOF app.post LANGUAGE sql STABLE AS $$ SELECT * FROM app.post WHERE title ILIKE '%' || word || '%' AND score >= lowest ORDER BY id $$;
CREATE FUNCTION app.sum_of(numbers int[]) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT sum(n)::int FROM unnest(numbers) n $$;
CREATE FUNCTION app.pair(a int, OUT twice int, OUT word text) LANGUAGE sql IMMUTABLE AS $$ SELECT a * 2, 'w' || a $$;
CREATE FUNCTION app.rows_of(n int) RETURNS TABLE (i int, square int) LANGUAGE sql STABLE AS $$ SELECT i, i * i FROM generate_series(1, n) i $$;
CREATE FUNCTION app.me() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('jwt.claims.person', true) $$;
CREATE FUNCTION app.publish(author int, title text) RETURNS app.post LANGUAGE plpgsql STRICT AS $$
  DECLARE made app.post;
  BEGIN
    IF title = '' THEN RAISE EXCEPTION 'no title' USING ERRCODE = '22023', HINT = 'give one'; END IF;
    INSERT INTO app.post (author_id, title) VALUES (author, title) RETURNING * INTO made;
    RETURN made;
  END $$;
COMMENT ON FUNCTION app.publish(int, text) IS 'Makes a post.';
DO $$ BEGIN CREATE ROLE visitor; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT USAGE ON SCHEMA app TO visitor;
GRANT SELECT ON ALL TABLES IN SCHEMA app TO visitor;
GRANT INSERT (author_id, title), UPDATE (title), DELETE ON app.post TO visitor;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA app TO visitor;
ALTER TABLE app.post ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_all ON app.post FOR SELECT USING (score >= 0);
CREATE POLICY own ON app.post TO visitor USING (author_id = nullif(app.me(), '')::int) WITH CHECK (author_id = nullif(app.me(), '')::int);
`;

const pool = new pg.Pool({ ...server, max: 3 });
let schema;

// ask prints what a query is answered.
async function ask(query, options = {}) {
  const found = await withPostGraphileContext({ pgPool: pool, ...options.context }, (context) => graphql(schema, query, null, { ...context }, options.variables));
  for (const e of found.errors ?? []) print("error", e.message, e.originalError?.code ?? "", e.originalError?.detail ?? "", e.originalError?.hint ?? "", e.path ?? "");
  print(show(JSON.parse(JSON.stringify(found.data ?? null))));
}

const as = (person) => ({ context: { pgSettings: { role: "visitor", "jwt.claims.person": String(person) } } });

for (const [name, options] of [["the schema", { dynamicJson: true }], ["the schema without what a role may not do", { ignoreRBAC: false, ignoreIndexes: false, simpleCollections: "both", legacyRelations: "omit", sortExport: true, setofFunctionsContainNulls: false }]]) {
  await part(name, async () => {
    if (!schema) await pool.query(definitions);
    schema = await createPostGraphileSchema(pool, ["app"], options);
    console.log(printSchema(schema));
  });
}

await part("mutations", async () => {
  schema = await createPostGraphileSchema(pool, ["app"], { dynamicJson: true, disableDefaultMutations: false });
  await ask(`mutation($home: AddressInput) { createPerson(input: { clientMutationId: "a", person: { name: "ann", mail: "ann@example.org", mood: VERY_HAPPY, home: $home, tags: ["x", "y z"], extra: { a: [1, null] }, born: "1980-02-29", seen: "2026-03-01T08:00:00Z", lasts: { days: 1, hours: 2 }, size: "12.5",
    during: { start: { value: "2026-03-01T00:00:00Z", inclusive: true }, end: { value: "2026-04-01T00:00:00Z", inclusive: false } } } }) { clientMutationId person { nodeId id name mail mood home { street number moods } tags extra born seen lasts { days hours } size twice during { start { value inclusive } end { value inclusive } } token big shouted loud: shouted(mark: "?") } } }`, { variables: { home: { street: "High", number: 3, moods: ["SAD"] } } });
  await ask(`mutation { createPerson(input: { person: { name: "bob" } }) { person { id mood tags } query { allPeople { totalCount } } } }`);
  for (const n of [1, 2, 3]) await ask(`mutation { createPost(input: { post: { authorId: 1, title: "Post ${n}", score: ${n * 5}, kind: LONG } }) { post { id kind personByAuthorId { name } } } }`);
  await ask(`mutation { a: publish(input: { author: 2, title: "by bob" }) { post { id authorId } } b: publish(input: { author: 2, title: "" }) { post { id } } }`);
  await ask(`mutation { updatePostByAuthorIdAndTitle(input: { authorId: 1, title: "Post 2", postPatch: { body: "new" } }) { post { id body } } }`);
  await ask(`mutation { createVote(input: { vote: { personId: 2, postId: 1 } }) { vote { up personByPersonId { name } postByPostId { title } } } }`);
  await ask(`mutation { a: createPerson(input: { person: { name: "x", mail: "no" } }) { person { id } } b: createPerson(input: { person: { name: "x", mail: "ann@example.org" } }) { person { id } } c: createPost(input: { post: { authorId: 99, title: "x" } }) { post { id } } d: deletePostById(input: { id: 77 }) { deletedPostId } }`);
  await ask(`mutation { deletePostById(input: { id: 3 }) { deletedPostId post { title } } }`);
});

await part("queries", async () => {
  await pool.query("REFRESH MATERIALIZED VIEW app.counts");
  await pool.query("INSERT INTO app.tree VALUES (1, NULL, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'aa')");
  await ask(`{ allPeople(orderBy: [MOOD_DESC, NAME_ASC], first: 1) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { name written(orderBy: SCORE_DESC, first: 1) { totalCount nodes { title votesByPostId { nodes { up } } } } best(first: 1) { nodes { title } } } } } peopleList: allPeopleList(condition: { name: "bob" }) { name writtenList { title } } }`);
  await ask(`query($after: Cursor) { allPosts(orderBy: PRIMARY_KEY_ASC, after: $after, last: 2) { nodes { id title kind kindByKind: kind } pageInfo { hasPreviousPage } } personById(id: 2) { name } personByMail(mail: "ann@example.org") { id } post: postByAuthorIdAndTitle(authorId: 1, title: "Post 1") { score loudById { title } } }`, { variables: { after: Buffer.from('["primary_key_asc",[1]]').toString("base64") } });
  await ask(`{ search(word: "post", first: 2) { totalCount nodes { title } } sumOf(numbers: [1, 2, 3]) pair(a: 4) { twice word } rowsOf(n: 3) { nodes { i square } } me allCounts(orderBy: AUTHOR_ID_ASC) { nodes { authorId n } } treeById(id: 1) { treesByParentId { nodes { name treesByParentId { nodes { name treeByParentId { name } } } } } } allLouds(orderBy: ID_ASC) { nodes { title postById { body } } } }`);
  await ask(`{ __type(name: "Mood") { description enumValues { name } } node(nodeId: "${Buffer.from('["people",1]').toString("base64")}") { ... on Person { name } } bad: search(word: 1) { totalCount } }`);
});

await part("a role", async () => {
  await ask(`{ me allPosts { nodes { title } } }`, as(1));
  await ask(`mutation { createPost(input: { post: { authorId: 1, title: "own" } }) { post { title } } other: createPost(input: { post: { authorId: 2, title: "not own" } }) { post { title } } updatePostById(input: { id: 1, postPatch: { title: "changed" } }) { post { title } } b: updatePostById(input: { id: 4, postPatch: { title: "x" } }) { post { title } } c: updatePostById(input: { id: 1, postPatch: { score: 7 } }) { post { title } } createPerson(input: { person: { name: "x" } }) { person { id } } }`, as(1));
});

await part("all gone", async () => {
  await pool.query("DROP SCHEMA app, hidden CASCADE");
  await pool.query("DROP OWNED BY visitor; DROP ROLE visitor");
});
await pool.end();
