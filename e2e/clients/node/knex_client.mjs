// knex: its schema builder, migrations, queries, transactions and streams.
import knex from "knex";
import { server, print, rows, part, fails } from "./shared.mjs";

const db = knex({ client: "pg", connection: server, pool: { min: 0, max: 2 }, log: { warn: () => {} } });

await part("looking around", async () => {
  for (const t of ["customers", "Odd Names", "nothing"]) print(t, await db.schema.hasTable(t), await db.schema.hasColumn(t, "name"));
  print(await db.schema.withSchema("archive").hasTable("orders"));
  for (const t of ["customers", "orders", "kinds"]) {
    const info = await db(t).columnInfo();
    for (const name of Object.keys(info)) print(t, name, info[name]);
  }
});

await part("migrations", async () => {
  const migrationSource = {
    getMigrations: async () => ["one", "two"],
    getMigrationName: (m) => m,
    getMigration: async (m) => m === "one"
      ? { up: (k) => k.schema.createTable("teams", (t) => {
            t.increments("id");
            t.string("name", 40).notNullable().unique();
            t.specificType("members", "text[]").defaultTo("{}");
            t.jsonb("extra");
            t.uuid("token");
            t.decimal("budget", 12, 2).index();
            t.boolean("open").defaultTo(true);
            t.timestamps(true, true);
            t.comment("who plays");
          }), down: (k) => k.schema.dropTable("teams") }
      : { up: async (k) => {
            await k.schema.alterTable("teams", (t) => { t.integer("rank").notNullable().defaultTo(0); t.renameColumn("extra", "more"); t.index(["rank", "name"], "teams_rank"); t.dropIndex("budget"); });
            await k.schema.createView("best", (v) => { v.columns(["name"]); v.as(k("teams").select("name").where("rank", ">", 1)); });
          }, down: async (k) => { await k.schema.dropView("best"); await k.schema.alterTable("teams", (t) => t.dropColumn("rank")); } },
  };
  const [batch, done] = await db.migrate.latest({ migrationSource });
  print(batch, done, await db.migrate.currentVersion({ migrationSource }));
  print(await db("teams").columnInfo());
  print((await db("knex_migrations").select("name", "batch")).map((r) => r.name + " " + r.batch));
});

await part("writes", async () => {
  print((await db("teams").insert([{ name: "red", members: ["a"], more: { x: 1 }, budget: "1.50" }, { name: "blue" }], ["id", "name", "open"])));
  print(await db("teams").insert({ name: "red", rank: 5 }).onConflict("name").merge(["rank"]).returning(["id", "rank"]));
  print((await db("teams").insert({ name: "red" }).onConflict("name").ignore()).rowCount);
  print(await db("teams").where({ name: "blue" }).update({ rank: db.raw("rank + ?", [2]) }).returning("rank"));
  print(await db("teams").where("name", "blue").increment("rank", 1), await db("teams").where("id", "<", 0).del());
  await db.batchInsert("orders", Array.from({ length: 10 }, (_, i) => ({ customer: 7, number: 100 + i, total: i })), 4);
});

await part("reads", async () => {
  rows(await db("best").orderBy("name"));
  rows(await db("customers as c").leftJoin("orders as o", "o.customer", "c.id").groupBy("c.id").orderBy("c.id").select("c.name").count("o.number as n").sum("o.total as s"));
  rows(await db("orders").whereIn("number", [1, 2]).orWhere((q) => q.whereBetween("total", [60, 70]).whereNotNull("placed")).orderBy("number").limit(5).offset(1));
  rows(await db.with("large", db("orders").where("total", ">", 20)).select("number").from("large").orderBy("number"));
  print(await db("orders").first("number").where({ number: 3 }), await db("orders").pluck("number").where("customer", 1).orderBy("number"));
  print((await db.raw("SELECT ?::int + ? AS a, ?? FROM ??", [1, 2, "Key", "Odd Names"])).rows);
  rows(await db("customers").whereJsonPath("profile", "$.limit", ">", 400).select("name"));
  rows(await db("customers").whereRaw("tags @> ?", [["vip"]]).whereILike("name", "C%").select("name"));
  rows(await db("orders").distinct("customer").orderBy("customer"));
  rows(await db("orders").select("number").rank("r", (q) => q.orderBy("total", "desc").partitionBy("customer")).where("customer", "<", 3).orderBy("number"));
});

await part("a transaction with an error and a rollback", async () => {
  await fails(() => db.transaction(async (t) => {
    await t("without_key").insert({ a: 1, b: "lost" });
    await t("customers").insert({ name: "" });
  }));
  await db.transaction(async (t) => {
    await t("without_key").insert({ a: 2, b: "kept" });
    await fails(() => t.transaction(async (s) => { await s("without_key").insert({ a: 3 }); throw new Error("back"); }));
    rows(await t("without_key").forUpdate());
  }, { isolationLevel: "repeatable read" });
  rows(await db("without_key"));
  await fails(() => db("nothing"));
  await fails(() => db("teams").insert({ name: "red" }));
});

await part("streams", async () => {
  let n = 0;
  for await (const r of db("orders").where("customer", 7).orderBy("number").stream({ batchSize: 3 })) n += r.number;
  print(n);
});

await part("leaving", async () => {
  await db.schema.dropView("best");
  await db.schema.renameTable("teams", "sides");
  await db.schema.raw("ALTER TABLE sides DROP CONSTRAINT teams_name_unique");
  await db.schema.dropTableIfExists("sides");
  await db.schema.dropTableIfExists("nothing");
});

await db.destroy();
