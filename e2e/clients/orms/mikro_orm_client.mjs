// MikroORM: migrations and updates that it makes of models, there and back, until it finds nothing to change; units of work.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EntitySchema, LockMode, MikroORM, OptimisticLockError, QueryOrder, raw, sql } from "@mikro-orm/postgresql";
import { Migrator } from "@mikro-orm/migrations";
import { server, print, rows, part, fails } from "../node/shared.mjs";

const path = mkdtempSync(join(import.meta.dirname, "migrations-"));

function models(later) {
  const Author = new EntitySchema({ name: "Author", tableName: "authors", comment: later ? "who writes" : undefined, properties: {
    id: { type: "integer", primary: true },
    name: { type: "string", length: later ? 80 : 40, unique: true },
    kind: { enum: true, items: ["poet", "critic", ...(later ? ["novelist"] : [])], nativeEnumName: "kind", nullable: true },
    born: { type: "date", nullable: true },
    mentor: { kind: "m:1", entity: () => "Author", nullable: true },
    books: { kind: "1:m", entity: () => "Book", mappedBy: "author", orderBy: { title: QueryOrder.ASC }, orphanRemoval: true },
    ...(later ? { email: { type: "string", default: "none", comment: "where to write" }, seen: { type: "datetime", length: 3, nullable: true, index: true }, profile: { type: "json", nullable: true, defaultRaw: "'{}'::jsonb" } } : {}),
  } });
  const Book = new EntitySchema({ name: "Book", tableName: "books", properties: {
    id: { type: "uuid", primary: true, defaultRaw: "gen_random_uuid()" },
    version: { type: "integer", version: true },
    title: { type: "text", ...(later ? { index: "book_title" } : {}) },
    price: { type: "decimal", precision: 8, scale: 2, default: 0 },
    state: { enum: true, items: ["new", "sold"], default: "new" },
    author: { kind: "m:1", entity: () => "Author", deleteRule: "cascade", ...(later ? { updateRule: "cascade" } : {}) },
    tags: { kind: "m:n", entity: () => "Tag", pivotTable: "book_tags", owner: true },
    ...(later ? { words: { type: "string[]", defaultRaw: "'{}'" }, cover: { type: "blob", nullable: true }, pages: { type: "bigint", nullable: true }, twice: { type: "numeric", generated: "(price * 2) stored", nullable: true }, made: { type: "datetime", defaultRaw: "now()", length: 6 } } : { pages: { type: "smallint", nullable: true } }),
  }, ...(later ? { checks: [{ name: "price_not_negative", expression: "price >= 0" }], uniques: [{ properties: ["author", "title"], name: "one_title" }], indexes: [{ name: "dear", expression: "create index dear on books (price desc) where price > 100" }, { name: "lower_title", expression: "create index lower_title on books (lower(title))" }] } : {}) });
  const Tag = new EntitySchema({ name: "Tag", tableName: "tags", properties: { name: { type: "string", primary: true }, books: { kind: "m:n", entity: () => "Book", mappedBy: "tags" } } });
  const Loan = new EntitySchema({ name: "Loan", tableName: "loans", schema: "desk", properties: { book: { kind: "1:1", entity: () => "Book", primary: true, deleteRule: "cascade" }, reader: { kind: "m:1", entity: () => "Author", primary: true }, lasts: { type: "interval", nullable: true }, at: { type: "datetime", defaultRaw: "now()" } } });
  return [Author, Book, Tag, ...(later ? [Loan] : [])];
}

const open = (later) => MikroORM.init({ entities: models(later), dbName: server.database, host: server.host, port: server.port, user: server.user, extensions: [Migrator],
  pool: { min: 0, max: 3 }, timezone: "Z", migrations: { path, emit: "cjs", snapshot: false, fileName: (time) => "Migration" + time }, logger: () => {} });

// written prints the text of the newest migration.
function written() {
  const name = readdirSync(path).sort().at(-1);
  print(readFileSync(join(path, name), "utf8").split("\n").filter((l) => l.includes("addSql")).map((l) => l.trim()));
}

const executed = async (orm) => print((await orm.migrator.getExecuted()).length, (await orm.migrator.getPending()).length);

let orm;
await part("the first migration", async () => {
  orm = await open(false);
  print(await orm.isConnected(), await orm.migrator.checkSchema());
  await orm.migrator.create();
  written();
  print((await orm.migrator.up()).length, await orm.migrator.checkSchema(), JSON.stringify(await orm.schema.getUpdateSchemaSQL()));
  await executed(orm);
  await orm.em.getConnection().execute("INSERT INTO authors (name, kind) VALUES ('old', 'poet')");
  await orm.em.getConnection().execute("INSERT INTO books (title, author_id, pages) VALUES ('Old', 1, 7)");
  await orm.close();
});

await part("the second migration", async () => {
  orm = await open(true);
  await new Promise((resolve) => setTimeout(resolve, 1100)); // the name of a migration is the second in which it was made
  await orm.migrator.create();
  written();
  print((await orm.migrator.up()).length, await orm.migrator.checkSchema(), JSON.stringify(await orm.schema.getUpdateSchemaSQL()));
  print((await orm.migrator.down()).length, await orm.migrator.checkSchema(), (await orm.migrator.up()).length);
  await executed(orm);
  print(JSON.stringify(await orm.schema.getUpdateSchemaSQL()));
  rows(await orm.em.getConnection().execute("SELECT title, pages, price, words FROM books"));
});

let Author, Book, Tag, Loan;
await part("a unit of work", async () => {
  [Author, Book, Tag, Loan] = ["Author", "Book", "Tag", "Loan"];
  const em = orm.em.fork();
  const ann = em.create(Author, { name: "ann", kind: "novelist", born: "1980-02-29", email: "ann@example.org", profile: { lang: "de", n: [1, { a: null }] }, seen: new Date("2026-03-01T08:00:00.123Z") });
  const red = em.create(Tag, { name: "red" });
  for (const n of [1, 2, 3]) ann.books.add(em.create(Book, { title: "Title " + n, price: String(n * 60), words: ["w" + n, "x, \"y\""], cover: Buffer.from([0, 255, n]), pages: 2n ** 40n, tags: n === 1 ? [red, em.create(Tag, { name: "new" })] : [red] }));
  em.create(Author, { name: "bob", mentor: ann });
  await em.flush();
  print(ann.id, ann.books.length, ann.books[0].version, ann.books[0].twice);
  em.create(Loan, { book: ann.books[0], reader: ann, lasts: "1 day" });
  ann.books[1].price = "7.25";
  ann.books[1].tags.removeAll();
  ann.profile.more = true;
  ann.books.remove(ann.books[2]);
  await em.flush();
  print(ann.books[1].version, ann.books.length);
});

await part("finding", async () => {
  const em = orm.em.fork();
  for (const strategy of ["select-in", "joined"]) {
    for (const a of await em.fork().find(Author, {}, { populate: ["books.tags", "mentor"], strategy, orderBy: { id: "asc", books: { title: "asc", tags: { name: "asc" } } } })) print(a.name, a.kind, a.born, a.email, a.seen, a.profile, a.mentor?.name, a.books.getItems().map((b) => [b.title, b.price, b.words, b.cover, b.pages, b.twice, b.state, b.tags.getItems().map((t) => t.name)]));
  }
  print((await em.find(Book, { author: { name: "ann" }, tags: { name: { $in: ["new"] } }, price: { $gte: 10 } })).map((b) => b.title), (await em.find(Author, { profile: { lang: "de" } })).map((a) => a.name), (await em.find(Book, { words: { $overlap: ["w1"] } })).map((b) => b.title), (await em.find(Book, { words: { $contains: ["w2"] } })).map((b) => b.title));
  print((await em.find(Author, { name: { $ilike: "A%" }, books: { $some: { title: "Title 1" } } })).map((a) => a.name), (await em.find(Author, { books: { $none: { title: { $like: "Title%" } } } }, { orderBy: { name: "asc" } })).map((a) => a.name), (await em.find(Author, { name: /^an/ })).map((a) => a.name), (await em.find(Author, { [raw("length(name)")]: 3 }, { orderBy: { name: "desc" } })).map((a) => a.name));
  print(await em.findAndCount(Book, {}, { limit: 2, offset: 1, orderBy: { title: "asc" }, fields: ["title"] }).then(([b, n]) => [b.map((x) => x.title), n]), await em.count(Book, { price: { $lt: 100 } }), await em.findOne(Author, { name: "nobody" }));
  const page = await em.findByCursor(Book, { first: 2, orderBy: { title: "asc" } });
  print(page.items.map((b) => b.title), page.totalCount, page.hasNextPage, (await em.findByCursor(Book, { first: 2, after: page, orderBy: { title: "asc" } })).items.map((b) => b.title));
  rows(await em.createQueryBuilder(Author, "a").select(["a.name", sql`count(b.id)::int as n`, sql`coalesce(sum(b.price), 0) as total`]).leftJoin("a.books", "b").groupBy("a.name").having("count(b.id) >= 0").orderBy({ name: "asc" }).execute("all"));
  await fails(() => em.findOneOrFail(Author, 12345));
  print((await em.find(Author, {}, { orderBy: { born: "asc nulls first", name: "desc" } })).map((a) => a.name));
});

await part("changing many", async () => {
  const em = orm.em.fork();
  print(await em.insertMany(Author, [1, 2, 3, 4].map((n) => ({ name: "many " + n }))));
  print((await em.upsert(Author, { name: "many 1", email: "new" }, { onConflictFields: ["name"] })).email, (await em.upsertMany(Author, [{ name: "many 2", kind: "critic" }, { name: "many 5", kind: "poet" }], { onConflictFields: ["name"] })).map((a) => [a.name, a.kind]));
  print(await em.nativeUpdate(Author, { name: { $like: "many%" } }, { email: raw("name || '!'") }), await em.nativeDelete(Author, { name: "many 4" }), (await em.createQueryBuilder(Author).update({ kind: null }).where({ name: "many 5" }).returning("name").execute()));
  await fails(() => em.insert(Author, { name: "ann" }));
  await fails(() => em.insert(Book, { title: "x", author: 999 }));
  await fails(() => em.insert(Book, { title: null, author: 1, id: "a0000000-0000-0000-0000-000000000001", made: new Date(0) }));
  await fails(() => em.insert(Book, { title: "x", author: 1, price: -1, id: "a0000000-0000-0000-0000-000000000001", made: new Date(0) }));
  await fails(() => em.getConnection().execute("INSERT INTO authors (name, kind) VALUES ('x', 'cook')"));
  await fails(() => em.getConnection().execute("SELECT * FROM nothing"));
});

await part("transactions and locks", async () => {
  const em = orm.em.fork();
  await fails(() => em.transactional(async (t) => { await t.insert(Tag, { name: "lost" }); throw new Error("on purpose"); }));
  await em.transactional(async (t) => {
    t.create(Tag, { name: "kept" });
    await t.flush();
    await fails(() => t.transactional(async (inner) => { await inner.insert(Tag, { name: "kept" }); }));
    print((await t.find(Tag, {}, { orderBy: { name: "asc" }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })).map((x) => x.name));
    await t.lock(await t.findOneOrFail(Book, { title: "Title 1" }), LockMode.PESSIMISTIC_READ);
  }, { isolationLevel: "repeatable read" });
  const [one, other] = [orm.em.fork(), orm.em.fork()];
  const [a, b] = [await one.findOneOrFail(Book, { title: "Title 1" }), await other.findOneOrFail(Book, { title: "Title 1" })];
  a.price = "1";
  await one.flush();
  b.price = "2";
  try { await other.flush(); } catch (e) { print(e instanceof OptimisticLockError, e.message); }
  await fails(() => one.lock(a, LockMode.OPTIMISTIC, 1));
  print((await em.find(Tag, {}, { orderBy: { name: "asc" } })).map((t) => t.name));
  const gone = orm.em.fork();
  gone.remove(await gone.findOneOrFail(Author, { name: "ann" }, { populate: ["books"] }));
  await fails(() => gone.flush());
  print(await em.nativeDelete(Loan, {}), await em.nativeUpdate(Author, { name: "bob" }, { mentor: null }), await em.nativeDelete(Author, { name: "ann" }), await em.count(Book));
});

await part("the schema generator", async () => {
  await orm.migrator.down({ to: 0 });
  await executed(orm);
  print((await orm.schema.getCreateSchemaSQL()).split("\n"));
  await orm.schema.drop({ dropMigrationsTable: true });
  await orm.schema.create();
  print(JSON.stringify(await orm.schema.getUpdateSchemaSQL()));
  await orm.schema.clear();
  await orm.schema.refresh();
  print(await orm.schema.ensureDatabase());
  print((await orm.schema.getDropSchemaSQL()).split("\n"));
  await orm.schema.drop({ dropMigrationsTable: true });
  rows(await orm.em.getConnection().execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"));
});
await orm.close(true);
