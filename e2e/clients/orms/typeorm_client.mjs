// TypeORM: migrations that it generates of entities, runs and takes back, until nothing is left to change; and relations, trees, locks.
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
import { server, print, rows, part, fails } from "../node/shared.mjs";

const options = { type: "postgres", host: server.host, port: server.port, database: server.database, username: server.user, installExtensions: false, uuidExtension: "pgcrypto", poolSize: 3 };
const stamped = { made: { type: "timestamptz", createDate: true }, changed: { type: "timestamptz", updateDate: true, precision: 3 }, gone: { type: "timestamptz", deleteDate: true, nullable: true }, version: { type: Number, version: true, default: 1 } };

const first = [
  new EntitySchema({ name: "Author", tableName: "authors", columns: { id: { type: Number, primary: true, generated: "increment" }, name: { type: String, unique: true }, kind: { type: "enum", enum: ["poet", "critic"], nullable: true } }, relations: { books: { type: "one-to-many", target: "Book", inverseSide: "author" } } }),
  new EntitySchema({ name: "Book", tableName: "books", columns: { id: { type: Number, primary: true, generated: "increment" }, title: { type: "varchar", length: 50 }, price: { type: "numeric", precision: 8, scale: 2, default: 0 } }, relations: { author: { type: "many-to-one", target: "Author", inverseSide: "books", onDelete: "CASCADE", nullable: false } }, indices: [{ columns: ["title"] }] }),
];
const second = [
  new EntitySchema({ name: "Author", tableName: "authors", columns: { id: { type: Number, primary: true, generated: "increment" }, name: { type: "varchar", length: 80, unique: true, comment: "as on the cover" }, kind: { type: "enum", enum: ["poet", "critic", "novelist"], nullable: true }, born: { type: "date", nullable: true }, ...stamped }, relations: { books: { type: "one-to-many", target: "Book", inverseSide: "author", cascade: true }, mentor: { type: "many-to-one", target: "Author", nullable: true, onDelete: "SET NULL" } } }),
  new EntitySchema({
    name: "Book", tableName: "books", columns: {
      id: { type: "bigint", primary: true, generated: "increment" }, title: { type: "text" }, price: { type: "numeric", precision: 8, scale: 2, default: 0 }, twice: { type: "numeric", generatedType: "STORED", asExpression: "price * 2", nullable: true },
      extra: { type: "jsonb", default: {} }, words: { type: "text", array: true, default: [] }, token: { type: "uuid", default: () => "gen_random_uuid()" }, span: { type: "tstzrange", nullable: true }, at: { type: "timestamp", precision: 3, default: () => "now()" }, place: { type: "point", nullable: true }, ip: { type: "inet", nullable: true }, code: { type: "char", length: 4, nullable: true }, flags: { type: "bit", length: 3, nullable: true },
    },
    relations: { author: { type: "many-to-one", target: "Author", inverseSide: "books", onDelete: "CASCADE", nullable: false }, tags: { type: "many-to-many", target: "Tag", cascade: true, joinTable: { name: "book_tags" } } },
    uniques: [{ name: "one_title", columns: ["title", "author"] }], checks: [{ name: "price_not_negative", expression: "price >= 0" }], indices: [{ name: "book_dear", columns: ["price"], where: "price > 100" }, { name: "book_token", columns: ["token"], unique: true }],
  }),
  new EntitySchema({ name: "Tag", tableName: "tags", columns: { id: { type: "uuid", primary: true, generated: "uuid" }, name: { type: String, unique: true } } }),
  new EntitySchema({ name: "Place", tableName: "places", trees: [], columns: { id: { type: Number, primary: true, generated: "identity", generatedIdentity: "BY DEFAULT" }, name: { type: String }, mpath: { type: String, nullable: true, default: "" } } }),
  new EntitySchema({ name: "Dear", tableName: "dear", type: "view", expression: 'SELECT "id", "title" FROM "books" WHERE "price" > 10', columns: { id: { type: Number }, title: { type: String } } }),
];

// migration makes a class of what a schema builder would run.
async function migration(db, name) {
  const found = await db.driver.createSchemaBuilder().log();
  for (const q of found.upQueries) print(q.query, q.parameters ?? []);
  for (const q of found.downQueries) print("down", q.query, q.parameters ?? []);
  const run = (list) => async (r) => { for (const q of list) await r.query(q.query, q.parameters); };
  const made = { [name]: class { name = name; up = run(found.upQueries); down = run(found.downQueries.reverse()); } };
  return made[name];
}

async function open(entities, migrations) {
  return await new DataSource({ ...options, entities, migrations }).initialize();
}

let one, two, db;
await part("the first migration", async () => {
  db = await open(first, []);
  one = await migration(db, "First1700000000001");
  await db.destroy();
  db = await open(first, [one]);
  print((await db.runMigrations({ transaction: "each" })).map((m) => m.name), (await db.driver.createSchemaBuilder().log()).upQueries.length);
  await db.destroy();
});

await part("the second migration", async () => {
  db = await open(second, [one]);
  two = await migration(db, "Second1700000000002");
  await db.destroy();
  db = await open(second, [one, two]);
  print((await db.runMigrations()).map((m) => m.name), (await db.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query));
  print(await db.showMigrations(), await db.query("SELECT name FROM migrations ORDER BY id"));
});

await part("back and forth", async () => {
  await db.undoLastMigration({ transaction: "all" });
  print(await db.showMigrations());
  print(await db.query("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'books' ORDER BY 1"));
  print((await db.runMigrations({ transaction: "all" })).map((m) => m.name), (await db.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query));
});

await part("relations", async () => {
  await db.query(`INSERT INTO authors (name) VALUES ('ann'), ('bob')`);
  await db.query(`INSERT INTO books (title, price, token, at, "authorId") VALUES ('one', 1.5, 'a0000000-0000-0000-0000-00000000000a', '2026-03-01', 1), ('two', 20, 'a0000000-0000-0000-0000-00000000000b', '2026-03-02', 2)`);
  const authors = db.getRepository("Author");
  const books = db.getRepository("Book");
  const eve = await authors.save({ name: "eve", kind: "critic", born: "1980-02-29", mentor: { id: 1 }, books: [
    { title: "three", price: "12.5", extra: { a: [1, { b: null }] }, words: ["x", "y z"], token: "a0000000-0000-0000-0000-000000000001", span: "[2026-03-01,2026-04-01)", at: new Date("2026-03-01T00:00:00Z"), place: "(1,2)", ip: "10.0.0.1", code: "ab", flags: "101", tags: [{ name: "new" }, { name: "red" }] }] });
  print(eve.id, eve.version, eve.books[0].id, eve.books[0].tags.length);
  rows((await books.find({ relations: { author: { mentor: true }, tags: true }, order: { id: "ASC", tags: { name: "ASC" } } })).map((b) => [b.id, b.title, b.price, b.twice, b.extra, b.words, b.span, b.place, b.ip, b.code, b.flags, b.author.name, b.author.mentor?.name, b.tags.map((t) => t.name)]));
  print(await authors.createQueryBuilder("a").leftJoin("a.books", "b").select("a.name", "name").addSelect("count(b.id)", "n").addSelect("sum(b.price)", "total").groupBy("a.id").orderBy("a.name").getRawMany());
  print(await books.createQueryBuilder("b").innerJoinAndSelect("b.author", "a").where("b.extra @> :e", { e: { a: [1] } }).andWhere("b.words && :w", { w: ["x"] }).getManyAndCount().then(([l, n]) => [l.map((b) => b.title), n]));
  print((await books.createQueryBuilder("b").leftJoinAndSelect("b.tags", "t").orderBy("b.price", "DESC").skip(1).take(2).getMany()).map((b) => b.title));
  print(await books.createQueryBuilder("b").where((q) => "b.price > " + q.subQuery().select("avg(x.price)").from("Book", "x").getQuery()).getCount());
  await authors.update({ name: "eve" }, { kind: "poet" });
  eve.name = "eva";
  print((await authors.save(eve)).version);
  print((await authors.softRemove({ id: eve.id })).gone !== null, await authors.count(), await authors.count({ withDeleted: true }), (await authors.restore({ id: eve.id })).affected);
  print(await db.getRepository("Dear").find({ order: { id: "ASC" } }));
  await fails(() => books.save({ title: "three", author: { id: eve.id } }));
  await fails(() => books.insert({ title: "bad", price: "-1", author: { id: 1 }, token: "a0000000-0000-0000-0000-000000000002", at: new Date(0), made: new Date(0) }));
  await fails(() => books.insert({ title: "lost", author: { id: 999 } }));
  await fails(() => authors.insert({ name: "x", kind: "none" }));
});

await part("transactions", async () => {
  await fails(() => db.transaction("SERIALIZABLE", async (m) => {
    await m.insert("Tag", { name: "lost" });
    throw new Error("on purpose");
  }));
  await db.transaction(async (m) => {
    await m.insert("Tag", { name: "kept" });
    await fails(() => m.transaction(async (inner) => { await inner.insert("Tag", { name: "inner" }); await inner.insert("Tag", { name: "kept" }); }));
    print((await m.find("Tag", { order: { name: "ASC" } })).map((t) => t.name));
    print((await m.findOne("Tag", { where: { name: "kept" }, lock: { mode: "pessimistic_write_or_fail" } })).name, (await m.createQueryBuilder("Tag", "t").setLock("pessimistic_partial_write").getMany()).length);
  });
});

await part("many rows", async () => {
  const books = db.getRepository("Book");
  await books.insert(Array.from({ length: 300 }, (_, n) => ({ title: "many " + n, price: n, author: { id: 1 } })));
  const up = await books.createQueryBuilder().insert().values([{ title: "many 1", price: 500, author: { id: 1 } }, { title: "other", price: 7, author: { id: 1 } }]).orUpdate(["price"], ["title", "authorId"], { skipUpdateIfNoValuesChanged: true }).returning(["title", "price"]).execute();
  print(up.raw.map((r) => [r.title, r.price, r.twice]));
  print((await books.upsert([{ title: "other", price: 8, author: { id: 1 } }], { conflictPaths: ["title", "author"], skipUpdateIfNoValuesChanged: true })).identifiers.length);
  print((await books.increment({ title: "other" }, "price", 5)).affected, await books.sum("price"), await books.maximum("price"), await books.exists({ where: { title: "other" } }));
  print((await books.createQueryBuilder().delete().where("title LIKE 'many%'").execute()).affected);
});

await part("all taken back", async () => {
  await db.query("DELETE FROM authors");
  await db.undoLastMigration();
  await db.undoLastMigration();
  print(await db.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"));
  await db.synchronize();
  print((await db.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query));
  await db.dropDatabase();
  print(await db.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"));
  await db.destroy();
});
