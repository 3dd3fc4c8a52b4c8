// Prisma: what its schema engine reads of a database, makes of a schema, and finds no difference in afterwards. It is the
// engine that runs as WebAssembly over a driver's adapter; the one that Prisma loads from elsewhere asks the same.
import fs from "node:fs";
import { createRequire } from "node:module";
import pg from "pg";
import { PrismaPg } from "@prisma/adapter-pg";
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engine from "@prisma/schema-engine-wasm/schema_engine_bg";
import { server, print, part } from "../node/shared.mjs";

const wasm = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg").replace(/js$/, "wasm");
const { instance } = await WebAssembly.instantiate(fs.readFileSync(wasm), { "./schema_engine_bg.js": engine });
globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (said) => print("panic", said) };
engine.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const head = (schemas) => `datasource db {
  provider = "postgresql"
  schemas  = ${JSON.stringify(schemas)}
}

generator client {
  provider        = "prisma-client"
  previewFeatures = ["partialIndexes", "views"]
}
`;
const files = (content) => ({ files: [{ path: "schema.prisma", content }] });
const filters = { externalTables: [], externalEnums: [] };

// The adapter knows no "char", which the engine asks for.
const { prototype } = Object.getPrototypeOf((await new PrismaPg({ ...server }).connect()).constructor);
const { performIO, queryRaw } = prototype;
prototype.queryRaw = async function (query) {
  let chars = [];
  const asText = async (asked) => {
    const found = await performIO.call(this, asked);
    chars = found.fields.map((f) => f.dataTypeID === 18);
    return { ...found, fields: found.fields.map((f, i) => ({ ...f, dataTypeID: chars[i] ? 25 : f.dataTypeID })) };
  };
  const found = await queryRaw.call(Object.create(this, { performIO: { value: asText } }), query);
  return { ...found, columnTypes: found.columnTypes.map((of, i) => (chars[i] ? ColumnTypeEnum.Character : of)) };
};

// prisma is an engine over a schema of its own language.
async function prisma(schema) {
  const factory = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ ...server, max: 2 }));
  return engine.SchemaEngine.new({ datamodels: [["schema.prisma", schema]] }, () => {}, factory);
}

// asked runs something, and prints why the engine does not.
async function asked(run) {
  try {
    return await run();
  } catch (e) {
    print("failed", String(e.message ?? e), JSON.stringify(e.meta ?? e.data ?? {}));
  }
}

async function pulled(schemas) {
  const of = await prisma(head(schemas));
  const found = await asked(() => of.introspect({ schema: files(head(schemas)), baseDirectoryPath: "/", force: true, compositeTypeDepth: -1, namespaces: schemas }));
  if (!found) return "";
  for (const f of found.schema.files) console.log(f.content);
  print(found.warnings, found.views);
  return found.schema.files[0].content;
}

async function pushed(schema) {
  const of = await prisma(schema);
  const done = await asked(() => of.schemaPush({ force: true, schema: files(schema), filters }));
  print(done);
}

// differs prints the statements that would make a database of a schema.
async function differs(from, to) {
  const of = await prisma(to);
  const found = await asked(() => of.diff({ from: from === "" ? { tag: "empty" } : { tag: "schemaDatamodel", ...files(from) }, to: { tag: "schemaDatamodel", ...files(to) }, script: true, exitCode: true, filters, shadowDatabaseUrl: null }));
  print(found?.exitCode);
  console.log(found?.stdout);
}

const first = head(["public", "other"]) + `
enum Mood {
  sad
  happy  @map("very happy")
  @@map("moods")
  @@schema("public")
}

model Person {
  id       Int       @id @default(autoincrement())
  name     String    @db.VarChar(80)
  mail     String?   @unique
  mood     Mood      @default(sad)
  tags     String[]  @default(["x", "y"])
  extra    Json      @default("{\\"a\\": 1}")
  born     DateTime? @db.Date
  seen     DateTime  @default(now()) @db.Timestamptz(3)
  changed  DateTime  @updatedAt
  size     Decimal   @default(1.5) @db.Decimal(6, 2)
  big      BigInt    @default(9007199254740993)
  ratio    Float     @default(0.25)
  short    Int       @db.SmallInt
  real     Float?    @db.Real
  data     Bytes?
  token    String    @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  flag     Boolean   @default(true)
  fixed    String?   @db.Char(3)
  bits     String?   @db.Bit(4)
  address  String?   @db.Inet
  at       DateTime? @db.Time(6)
  numbers  Int[]
  moods    Mood[]
  posts    Post[]
  likes    Topic[]   @relation("likes")
  mentor   Person?   @relation("mentors", fields: [mentorId], references: [id], onDelete: SetNull)
  mentorId Int?      @map("mentor_id")
  pupils   Person[]  @relation("mentors")

  @@index([name, born(sort: Desc)])
  @@index([tags], type: Gin)
  @@index([extra(ops: JsonbPathOps)], type: Gin, map: "person_extra")
  @@index([token], type: Hash)
  @@unique([name, mail], map: "one_name")
  @@map("people")
  @@schema("public")
}

model Post {
  author   Person   @relation(fields: [authorId], references: [id], onDelete: Cascade, onUpdate: Restrict)
  authorId Int
  number   Int      @default(autoincrement())
  title    String
  versions Version[]
  uniq     Int      @unique

  @@id([authorId, number], map: "post_key")
  @@unique([uniq, title])
  @@schema("other")
}

model Topic {
  id      String   @id @default(uuid()) @db.Uuid
  word    String   @unique(map: "one_word")
  likedBy Person[] @relation("likes")

  @@schema("other")
}

model Version {
  id     BigInt @id @default(autoincrement()) @db.BigInt
  a      Int
  n      Int
  post   Post   @relation(fields: [a, n], references: [authorId, number], map: "of_post")
  @@schema("other")
}
`;

const second = first
  .replace("  happy ", "  calm\n  happy ")
  .replace("  flag     Boolean   @default(true)\n", "")
  .replace("short    Int       @db.SmallInt", "short    Int\n  added    String    @default(\"it's\")")
  .replace("mail     String?   @unique", "mail     String?")
  .replace("@db.Decimal(6, 2)", "@db.Decimal(8, 3)")
  .replace("onDelete: Cascade, onUpdate: Restrict", "onDelete: NoAction")
  .replace("  @@index([token], type: Hash)\n", "  @@index([token])\n")
  .replace(', map: "one_name"', ', map: "other_name"')
  .replace('@@map("people")', '@@map("persons")')
  .replace("title    String\n", "title    String?\n");

const pool = new pg.Pool({ ...server, max: 1 });

await part("a schema is pushed", async () => {
  await differs("", first);
  await pushed(first);
  await pushed(first);
  await pulled(["public", "other"]);
});

await part("a changed one", async () => {
  await differs(first, second);
  await pushed(second);
  await pushed(second);
  const found = await pulled(["public", "other"]);
  await differs(second, found);
  await pushed(found);
});

await part("what others made", async () => {
  await pool.query(`
    CREATE SCHEMA app;
    CREATE TYPE app.mood AS ENUM ('a b', 'c');
    CREATE DOMAIN app.word AS text CHECK (VALUE <> '');
    CREATE TABLE app.parent (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, w app.word, m app.mood DEFAULT 'a b', p point, i interval(2), r int4range, mo money,
      total numeric GENERATED ALWAYS AS (1.5) STORED, v bit varying(7), c "char", n name, o oid, z timetz(1), f text COLLATE "C", CHECK (id > 0));
    CREATE INDEX ON app.parent (lower(w));
    CREATE INDEX part ON app.parent (m) WHERE id > 3;
    CREATE INDEX dir ON app.parent (m DESC NULLS LAST, id) INCLUDE (o);
    CREATE TABLE app.child (a int, b int DEFAULT 3, parent_id int REFERENCES app.parent ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED, UNIQUE NULLS NOT DISTINCT (b));
    CREATE TABLE app.sliced (id int, k int, PRIMARY KEY (id, k)) PARTITION BY RANGE (k);
    CREATE TABLE app.sliced_1 PARTITION OF app.sliced FOR VALUES FROM (0) TO (10);
    CREATE TABLE app.heir (more text) INHERITS (app.child);
    CREATE VIEW app.seen AS SELECT id, upper(w) AS w FROM app.parent;
    CREATE MATERIALIZED VIEW app.kept AS SELECT count(*) AS n FROM app.parent;
    CREATE SEQUENCE app.counter AS smallint INCREMENT 2 MINVALUE 3 MAXVALUE 99 CYCLE;
    ALTER TABLE app.parent ENABLE ROW LEVEL SECURITY;
    COMMENT ON TABLE app.parent IS 'a parent';
    COMMENT ON COLUMN app.parent.m IS 'its mood';
    CREATE TABLE app."odd name" ("a.b" int PRIMARY KEY, "class" text, "1st" int);
    CREATE FUNCTION app.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE TRIGGER t BEFORE INSERT ON app.parent FOR EACH ROW EXECUTE FUNCTION app.f();`);
  const found = await pulled(["app"]);
  await pushed(found);
});

async function emptied() {
  const of = await prisma(head(["public", "other", "app", "kept"]));
  print(await asked(() => of.reset({ filter: filters })));
  print((await pool.query("SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname IN ('public', 'other', 'app', 'kept')")).rows);
}

await part("all gone", emptied);

await part("migrations", async () => {
  const schema = head(["kept"]) + `model Thing {\n  id Int @id\n  name String\n\n  @@schema("kept")\n}\n`;
  const of = await prisma(schema);
  const list = (names) => ({ baseDir: "/migrations", lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"' }, shadowDbInitScript: "",
    migrationDirectories: Object.entries(names).map(([path, content]) => ({ path, migrationFile: { path: "migration.sql", content: { tag: "ok", value: content } } })) });
  const two = { "20260101000000_first": `CREATE SCHEMA IF NOT EXISTS "kept"; CREATE TABLE "kept"."Thing" ("id" INTEGER NOT NULL, CONSTRAINT "Thing_pkey" PRIMARY KEY ("id"));`,
    "20260102000000_second": `ALTER TABLE "kept"."Thing" ADD COLUMN "name" TEXT NOT NULL;` };
  print(await asked(() => of.applyMigrations({ migrationsList: list(two), filters })));
  for (const names of [two, { ...two, "20260103000000_third": "CREATE TABLE kept.u (id INTEGER PRIMARY KEY); SELECT 1 / 0;" }]) {
    print(await asked(() => of.applyMigrations({ migrationsList: list(names), filters })));
    print(await asked(() => of.diagnoseMigrationHistory({ migrationsList: list(names), optInToShadowDatabase: false, filters })));
  }
  print(await asked(() => of.markMigrationRolledBack({ migrationName: "20260103000000_third" })));
  print((await pool.query("SELECT migration_name, applied_steps_count, finished_at IS NULL AS open, rolled_back_at IS NULL AS kept FROM _prisma_migrations ORDER BY started_at")).rows);
});

await part("all gone again", emptied);
await pool.end();
process.exit(0);
