// Drizzle: what drizzle-kit finds and changes until models and tables agree, its migrator, and its queries. And what two
// generators of types, zapatos and pg-introspection, read of the tables then.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import pg from "pg";
import { and, arrayContains, count, desc, eq, inArray, relations, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import * as d from "drizzle-orm/pg-core";
import { makeIntrospectionQuery, parseIntrospectionResults } from "pg-introspection";
import { server, print, rows, part, fails } from "../node/shared.mjs";

const require = createRequire(import.meta.url);
const kit = require("drizzle-kit/api");
const pool = new pg.Pool({ ...server, max: 3 });

function models(later) {
  const desk = d.pgSchema("desk");
  const mood = d.pgEnum("mood", later ? ["sad", "ok", "happy"] : ["sad", "happy"]);
  const author = d.pgTable("author", {
    id: d.serial("id").primaryKey(), name: d.varchar("name", { length: later ? 80 : 40 }).notNull().unique(), mood: mood("mood").default("sad").notNull(),
    born: d.date("born"), mentor: d.integer("mentor").references(() => author.id, { onDelete: "set null" }),
    ...(later ? { email: d.text("email").default("none").notNull(), profile: d.jsonb("profile").default({}), words: d.text("words").array().default([]), seen: d.timestamp("seen", { withTimezone: true, precision: 3 }) } : {}),
  }, (t) => (later ? [d.index("author_lower").on(sql`lower(${t.name})`), d.uniqueIndex("author_email").on(t.email).where(sql`email <> 'none'`), d.check("name_is", sql`length(name) > 0`)] : []));
  const book = d.pgTable("book", {
    id: d.uuid("id").defaultRandom().primaryKey(), title: d.text("title").notNull(), price: d.numeric("price", { precision: 8, scale: 2 }).default("0"),
    author: d.integer("author").notNull().references(() => author.id, { onDelete: "cascade", onUpdate: "cascade" }), pages: later ? d.bigint("pages", { mode: "number" }) : d.smallint("pages"),
    ...(later ? { twice: d.numeric("twice").generatedAlwaysAs(sql`price * 2`), number: d.integer("number").generatedAlwaysAsIdentity({ startWith: 100 }), lasts: d.interval("lasts"), place: d.point("place", { mode: "xy" }), host: d.inet("host") } : {}),
  }, (t) => [d.index("book_author").on(t.author, t.title.desc()), ...(later ? [d.unique("one_title").on(t.author, t.title), d.index("book_dear").using("btree", t.price.desc().nullsLast()).where(sql`price > 100`)] : [])]);
  const tag = d.pgTable("tag", { id: d.serial("id").primaryKey(), book: d.uuid("book").notNull().references(() => book.id, { onDelete: "cascade" }), name: d.text("name").notNull() }, (t) => [d.unique("one_tag").on(t.book, t.name)]);
  const loan = desk.table("loan", { id: d.bigserial("id", { mode: "number" }).primaryKey(), book: d.uuid("book").references(() => book.id), reader: d.text("reader") });
  const dear = d.pgView("dear").as((q) => q.select({ id: book.id, title: book.title }).from(book).where(sql`${book.price} > 100`));
  return { mood, author, book, tag, ...(later ? { desk, loan, dear } : {}), authorRelations: relations(author, ({ many, one }) => ({ books: many(book), mentor: one(author, { fields: [author.mentor], references: [author.id] }) })),
    bookRelations: relations(book, ({ one, many }) => ({ author: one(author, { fields: [book.author], references: [author.id] }), tags: many(tag) })), tagRelations: relations(tag, ({ one }) => ({ book: one(book, { fields: [tag.book], references: [book.id] }) })) };
}

// quietly runs what draws on the terminal.
async function quietly(run) {
  const write = process.stdout.write;
  process.stdout.write = () => true;
  try { return await run(); } finally { process.stdout.write = write; }
}

for (const later of [false, true]) {
  await part(`pushed, ${later ? "later" : "at first"}`, async () => {
    const of = models(later);
    for (const time of [1, 2]) {
      const found = await quietly(() => kit.pushSchema(of, drizzle(pool), ["public", "desk"]));
      print(time, found.hasDataLoss, found.warnings, [...found.statementsToExecute].sort());
      if (time === 1) await quietly(() => found.apply());
    }
  });
}

const { author, book, tag } = models(true);
const db = drizzle(pool, { schema: models(true) });
await part("queries", async () => {
  const made = await db.insert(author).values([{ name: "ann", mood: "happy", born: "1980-02-29", profile: { lang: "de", n: [1, null] }, words: ["x", "y \"z\""], seen: new Date("2026-03-01T08:00:00.123Z") }, { name: "bob", mentor: 1 }]).returning({ id: author.id, name: author.name });
  print(made);
  const books = await db.insert(book).values([1, 2, 3].map((n) => ({ title: "Title " + n, author: 1, price: String(n * 60), pages: 2 ** 40, lasts: "1 day", place: { x: n, y: 2 }, host: "10.0.0.1" }))).returning();
  print(books.map((b) => [b.title, b.price, b.twice, b.number, b.pages, b.lasts, b.place, b.host]));
  await db.insert(tag).values(books.slice(0, 2).flatMap((b) => ["red", "new"].map((name) => ({ book: b.id, name }))));
  const found = await db.query.author.findMany({ with: { books: { with: { tags: { columns: { name: true }, orderBy: (t) => t.name } }, columns: { title: true, price: true }, orderBy: (b) => desc(b.title), limit: 2 }, mentor: { columns: { name: true } } }, orderBy: (a) => a.id });
  print(found.map((a) => [a.name, a.mood, a.born, a.profile, a.words, a.seen, a.mentor, a.books]));
  rows(await db.select({ name: author.name, n: count(book.id), total: sql`coalesce(sum(${book.price}), 0)` }).from(author).leftJoin(book, eq(book.author, author.id)).groupBy(author.name).orderBy(author.name));
  rows(await db.select({ name: author.name }).from(author).where(and(arrayContains(author.words, ["x"]), inArray(author.id, db.select({ id: book.author }).from(book)), sql`profile->>'lang' = 'de'`)));
  rows(await db.insert(author).values({ name: "ann" }).onConflictDoUpdate({ target: author.name, set: { email: "ann@example.org" } }).returning({ name: author.name, email: author.email }));
  rows(await db.insert(author).values({ name: "ann" }).onConflictDoNothing().returning());
  rows(await db.update(book).set({ price: sql`${book.price} + 1` }).from(author).where(eq(book.author, author.id)).returning({ title: book.title, price: book.price, name: author.name }).then((r) => r.sort((a, b) => a.title.localeCompare(b.title))));
  const cheap = db.$with("cheap").as(db.select().from(book).where(sql`price < 100`));
  rows(await db.with(cheap).select({ title: cheap.title }).from(cheap));
  rows(await db.select({ title: models(true).dear.title }).from(models(true).dear).orderBy(sql`1`));
  const prepared = db.query.author.findFirst({ where: (a, { eq: is }) => is(a.name, sql.placeholder("name")), columns: { id: true } }).prepare("first");
  print(await prepared.execute({ name: "bob" }), await prepared.execute({ name: "nobody" }), await db.$count(book, eq(book.author, 1)));
  await fails(() => db.insert(book).values({ title: "x", author: 999 }).catch((e) => { throw e.cause ?? e; }));
  await fails(() => db.insert(author).values({ name: "" }).catch((e) => { throw e.cause ?? e; }));
  await fails(() => db.transaction(async (t) => { await t.insert(author).values({ name: "lost" }); t.rollback(); }, { isolationLevel: "serializable" }));
  await db.transaction(async (t) => {
    await t.insert(author).values({ name: "kept" });
    await fails(() => t.transaction(async (inner) => { await inner.insert(author).values({ name: "kept" }); }).catch((e) => { throw e.cause ?? e; }));
    rows(await t.select({ name: author.name }).from(author).orderBy(author.name).for("update", { skipLocked: true }));
  });
  print(await db.delete(author).where(eq(author.name, "ann")).then((r) => r.rowCount), await db.$count(tag));
});

await part("types that zapatos makes", async () => {
  const { generate } = require("zapatos/generate");
  const outDir = mkdtempSync(join(tmpdir(), "zapatos"));
  await generate({ db: server, outDir, progressListener: false, warningListener: false, schemas: { public: { include: "*", exclude: [] }, desk: { include: "*", exclude: [] } } });
  print(readFileSync(join(outDir, "zapatos", "schema.d.ts"), "utf8").split("\n").filter((l) => l.trim() && !l.includes("*")));
});

await part("what pg-introspection reads", async () => {
  const text = (await pool.query(makeIntrospectionQuery())).rows[0].introspection;
  const found = parseIntrospectionResults(typeof text === "string" ? text : JSON.stringify(text), true);
  for (const c of found.classes.filter((c) => ["public", "desk"].includes(c.getNamespace().nspname))) {
    print(c.relname, c.relkind, c.getDescription(), c.getAttributes().filter((a) => a.attnum > 0).map((a) => [a.attname, a.getType()?.typname, a.attnotnull, a.attidentity, a.attgenerated]), c.getConstraints().map((k) => [k.conname, k.contype, k.conkey, k.contype === "f" ? k.getForeignAttributes().map((a) => a.attname) : []]).sort(), c.getIndexes().map((i) => [i.getIndexClass().relname, i.indisunique, i.indkey]).sort());
  }
  print(found.enums.filter((e) => e.getType().typname === "mood").map((e) => e.enumlabel), found.getCurrentUser().rolname, found.namespaces.map((n) => n.nspname).sort());
});

await part("the migrator", async () => {
  await pool.query("DROP SCHEMA desk CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const migrationsFolder = mkdtempSync(join(tmpdir(), "drizzle"));
  mkdirSync(join(migrationsFolder, "meta"));
  const jsons = [kit.generateDrizzleJson({}), kit.generateDrizzleJson(models(false)), kit.generateDrizzleJson(models(true))];
  const entries = [];
  for (const idx of [0, 1]) {
    const statements = await quietly(() => kit.generateMigration(jsons[idx], jsons[idx + 1]));
    print(statements);
    writeFileSync(join(migrationsFolder, `000${idx}_step.sql`), statements.join("\n--> statement-breakpoint\n"));
    entries.push({ idx, version: "7", when: 1700000000000 + idx, tag: `000${idx}_step`, breakpoints: true });
    writeFileSync(join(migrationsFolder, "meta", "_journal.json"), JSON.stringify({ version: "7", dialect: "postgresql", entries }));
    for (const _ of [1, 2]) await migrate(db, { migrationsFolder });
  }
  rows((await pool.query("SELECT id, created_at FROM drizzle.__drizzle_migrations ORDER BY id")).rows);
  const found = await quietly(() => kit.pushSchema(models(true), drizzle(pool), ["public", "desk"]));
  print([...found.statementsToExecute].sort());
});
await pool.end();
