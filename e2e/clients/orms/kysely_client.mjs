// kysely: its migrator, introspection, and queries that its builder makes.
import pg from "pg";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Migrator, NO_MIGRATIONS } from "kysely/migration";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { server, print, rows, part, fails } from "../node/shared.mjs";

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...server, max: 2 }) }) });
const migrations = {
  "1_first": {
    async up(k) {
      await k.schema.createTable("person").addColumn("id", "serial", (c) => c.primaryKey()).addColumn("name", "varchar(40)", (c) => c.notNull().unique()).addColumn("born", "date").execute();
      await k.schema.createTable("pet").addColumn("id", "bigint", (c) => c.primaryKey().generatedAlwaysAsIdentity()).addColumn("owner", "integer", (c) => c.references("person.id").onDelete("cascade").notNull()).addColumn("name", "text").execute();
      await k.schema.createIndex("pet_owner").on("pet").column("owner").execute();
    },
    async down(k) {
      await k.schema.dropTable("pet").execute();
      await k.schema.dropTable("person").execute();
    },
  },
  "2_second": {
    async up(k) {
      await k.schema.createType("species").asEnum(["cat", "dog"]).execute();
      await k.schema.alterTable("pet").addColumn("kind", sql`species`, (c) => c.defaultTo("cat")).addColumn("extra", "jsonb", (c) => c.defaultTo(sql`'{}'`)).addColumn("tags", sql`text[]`).execute();
      await k.schema.alterTable("person").alterColumn("name", (c) => c.setDataType("text")).alterColumn("born", (c) => c.setNotNull()).execute();
      await k.schema.alterTable("person").addCheckConstraint("name_not_empty", sql`name <> ''`).execute();
      await k.schema.alterTable("pet").addUniqueConstraint("one_name", ["owner", "name"]).execute();
      await k.schema.createIndex("person_lower").on("person").expression(sql`lower(name)`).where("id", ">", 0).execute();
      await k.schema.createView("cats").as(k.selectFrom("pet").where("kind", "=", sql`'cat'`).select(["id", "name"])).execute();
    },
    async down(k) {
      await k.schema.dropView("cats").execute();
      await k.schema.dropIndex("person_lower").execute();
      await k.schema.alterTable("pet").dropConstraint("one_name").execute();
      await k.schema.alterTable("pet").dropColumn("kind").dropColumn("extra").dropColumn("tags").execute();
      await k.schema.alterTable("person").dropConstraint("name_not_empty").execute();
      await k.schema.dropType("species").execute();
    },
  },
};
const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
const migrated = ({ error, results }) => print(results?.map((r) => [r.migrationName, r.direction, r.status]), error?.message);

await part("migrations", async () => {
  migrated(await migrator.migrateToLatest());
  migrated(await migrator.migrateToLatest());
  migrated(await migrator.migrateDown());
  migrated(await migrator.migrateToLatest());
  print((await migrator.getMigrations()).map((m) => [m.name, m.executedAt !== undefined]));
});

await part("introspection", async () => {
  print((await db.introspection.getSchemas()).map((s) => s.name).filter((n) => n !== "zproxy").sort());
  for (const t of (await db.introspection.getTables({ withInternalKyselyTables: true })).filter((t) => t.schema === "public")) print(t.name, t.isView, t.columns.map((c) => [c.name, c.dataType, c.dataTypeSchema, c.isNullable, c.isAutoIncrementing, c.hasDefaultValue, c.comment]));
});

await part("queries", async () => {
  const people = await db.insertInto("person").values([{ name: "ann", born: "1980-02-29" }, { name: "bob", born: "1990-01-01" }]).returning(["id", "name"]).execute();
  await db.insertInto("pet").values([{ owner: people[0].id, name: "tom", extra: { a: [1] }, tags: ["x", "y"] }, { owner: people[0].id, name: "rex", kind: "dog" }]).execute();
  rows(await db.selectFrom("person as p").leftJoin("pet", "pet.owner", "p.id").select(["p.name", "pet.name as pet", "kind", "extra", "tags"]).orderBy("p.id").orderBy("pet.id").execute());
  rows(await db.selectFrom("person as p").select((e) => ["p.name", jsonArrayFrom(e.selectFrom("pet").whereRef("pet.owner", "=", "p.id").select(["pet.name", "pet.tags"]).orderBy("pet.id")).as("pets")]).orderBy("p.id").execute());
  rows(await db.selectFrom("pet").select((e) => ["kind", e.fn.countAll().as("n"), e.fn.agg("array_agg", ["name"]).as("names")]).groupBy("kind").having((e) => e.fn.countAll(), ">", 0).orderBy("kind").execute());
  rows(await db.insertInto("person").values({ name: "ann", born: "2000-01-01" }).onConflict((c) => c.column("name").doUpdateSet((e) => ({ born: e.ref("excluded.born") }))).returning(["name", sql`born::text`.as("born")]).execute());
  rows(await db.with("gone", (d) => d.deleteFrom("pet").where("name", "=", "rex").returningAll()).selectFrom("gone").select(["name", "kind"]).execute());
  rows(await db.updateTable("pet").from("person").whereRef("person.id", "=", "pet.owner").set((e) => ({ name: sql`${e.ref("pet.name")} || ' of ' || ${e.ref("person.name")}` })).returning("pet.name").execute());
  rows(await db.selectFrom("cats").selectAll().execute());
  rows(await db.mergeInto("person as t").using("pet as s", "s.owner", "t.id").whenMatched().thenUpdateSet({ name: "anna" }).execute().then((r) => [[r[0].numChangedRows]]));
  await fails(() => db.transaction().setIsolationLevel("serializable").execute(async (t) => { await t.insertInto("person").values({ name: "", born: "2000-01-01" }).execute(); }));
  await fails(() => db.insertInto("pet").values({ owner: 99, name: "x" }).execute());
  await fails(() => db.insertInto("pet").values({ owner: 1, name: "x", kind: "cow" }).execute());
});

await part("all taken back", async () => {
  migrated(await migrator.migrateTo(NO_MIGRATIONS));
  print((await db.introspection.getTables()).filter((t) => t.schema === "public").map((t) => t.name));
});
await db.destroy();
