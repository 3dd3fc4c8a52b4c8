// TypeORM: entities that it synchronizes with what it finds, repositories, query builders, streams.
import "reflect-metadata";
import { DataSource, EntitySchema, Table, TableIndex, TableColumn } from "typeorm";
import { server, show, print, rows, part, fails } from "./shared.mjs";

const Team = new EntitySchema({
  name: "Team", tableName: "teams",
  columns: {
    id: { type: Number, primary: true, generated: "increment" },
    name: { type: "varchar", length: 40, unique: true },
    members: { type: "text", array: true, default: "{}" },
    extra: { type: "jsonb", nullable: true },
    token: { type: "uuid", nullable: true },
    budget: { type: "numeric", precision: 12, scale: 2, nullable: true, comment: "in francs" },
    joined: { type: "timestamptz", nullable: true },
    day: { type: "date", nullable: true },
    open: { type: Boolean, default: true },
    ratio: { type: "float8", nullable: true },
    blob: { type: "bytea", nullable: true },
  },
  indices: [{ name: "teams_budget", columns: ["budget", "name"] }],
  checks: [{ name: "budget_not_negative", expression: "budget >= 0" }],
});
const Game = new EntitySchema({
  name: "Game", tableName: "games",
  columns: { id: { type: "bigint", primary: true, generated: "identity", generatedIdentity: "ALWAYS" }, score: { type: Number, default: 0 }, side: { type: Number, nullable: true } },
  relations: { team: { type: "many-to-one", target: "Team", joinColumn: { name: "side" }, createForeignKeyConstraints: false } },
});
const db = new DataSource({ type: "postgres", host: server.host, port: server.port, database: server.database, username: server.user, entities: [Team, Game], installExtensions: false, poolSize: 2 });

await part("connecting", async () => {
  await db.initialize();
  print(db.isInitialized);
});

await part("looking around", async () => {
  const r = db.createQueryRunner();
  print(await r.hasTable("customers"), await r.hasTable("nothing"), await r.hasColumn("customers", "name"), await r.hasSchema("archive"), await r.getCurrentSchema());
  const tables = await r.getTables(["customers", "orders", "kinds", "Odd Names", "archive.orders"]);
  for (const t of tables.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    print(t.name, t.comment, t.checks.map((c) => c.name + " " + c.expression), t.uniques.map((u) => u.name + " " + u.columnNames), t.foreignKeys.length);
    for (const c of t.columns) print(" ", c.name, c.type, c.length, c.precision, c.scale, c.isNullable, c.isPrimary, c.isGenerated, c.generationStrategy, c.isUnique, c.default, c.comment, c.isArray);
    for (const i of t.indices.sort((a, b) => (a.name < b.name ? -1 : 1))) print(" ", i.name, i.isUnique, i.columnNames);
  }
  print((await r.getViews(["large_orders"])).map((v) => v.name));
  await r.release();
});

await part("synchronizing", async () => {
  const before = await db.driver.createSchemaBuilder().log();
  print(before.upQueries.map((q) => q.query));
  await db.synchronize();
  print((await db.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query));
});

await part("changing tables", async () => {
  const r = db.createQueryRunner();
  await r.createTable(new Table({ name: "extra", columns: [{ name: "a", type: "int", isPrimary: true }, { name: "b", type: "varchar", length: "10", isNullable: true }] }));
  await r.addColumn("extra", new TableColumn({ name: "c", type: "timestamptz", default: "now()" }));
  await r.createIndex("extra", new TableIndex({ name: "extra_c", columnNames: ["c"] }));
  await r.renameColumn("extra", "b", "bb");
  await r.changeColumn("extra", "bb", new TableColumn({ name: "bb", type: "varchar", length: "20", isNullable: true }));
  const t = await r.getTable("extra");
  print(t.columns.map((c) => [c.name, c.type, c.length, c.default]), t.indices.map((i) => i.name));
  await r.dropIndex("extra", "extra_c");
  await r.dropTable("extra");
  await r.release();
});

await part("repositories", async () => {
  const teams = db.getRepository("Team");
  const games = db.getRepository("Game");
  const red = await teams.save({ name: "red", members: ["a", "b"], extra: { x: [1, null] }, token: "a0000000-0000-0000-0000-000000000001", budget: "12.50", joined: new Date("2026-03-01T00:00:00Z"), day: "2024-02-29", ratio: 1.5, blob: Buffer.from([0, 255]) });
  print(red);
  await teams.insert([{ name: "blue" }, { name: "green", budget: 1 }]);
  await games.save([1, 2, 3].map((score) => ({ score, team: red })));
  rows((await games.find({ relations: { team: true }, order: { id: "ASC" } })).map((g) => [g.id, g.score, g.team.name]));
  print(await teams.findAndCount({ where: [{ open: true }], select: { name: true }, order: { name: "ASC" }, take: 2, skip: 1 }));
  print((await teams.update({ name: "blue" }, { budget: 5 })).affected, (await games.delete({ score: 3 })).affected, await games.sum("score"), await games.exists({ where: { score: 9 } }));
  print((await teams.upsert([{ name: "red", day: "2025-01-01" }], ["name"])).generatedMaps.length);
  red.ratio = 2.5;
  await teams.save(red);
  await fails(() => teams.insert({ name: "red" }));
  await fails(() => teams.insert({ name: "x", budget: -1 }));
});

await part("query builders", async () => {
  rows(await db.createQueryBuilder("Game", "g").leftJoin("g.team", "t").select("t.name", "name").addSelect("sum(g.score)", "s").where("g.score > :least", { least: 0 }).groupBy("t.name").getRawMany());
  rows(await db.createQueryBuilder("Team", "t").leftJoinAndMapMany("t.games", "Game", "g", "g.side = t.id").orderBy("t.id").addOrderBy("g.id").take(2).getMany());
  print((await db.createQueryBuilder().update("Team").set({ open: () => "NOT open" }).where("name IN (:...names)", { names: ["red", "blue"] }).returning(["id", "open"]).execute()).raw.sort((a, b) => a.id - b.id));
  rows(await db.query("SELECT $1::int + 1 AS a, $2::text AS b", [1, "x"]));
  let n = 0;
  const stream = await db.createQueryBuilder("Game", "g").orderBy("g.id").stream();
  for await (const row of stream) n += row.g_score;
  print(n);
});

await part("a transaction with an error and a rollback", async () => {
  await fails(() => db.transaction(async (m) => { await m.insert("Team", { name: "lost" }); await m.insert("Team", { name: "red" }); }));
  await db.transaction("SERIALIZABLE", async (m) => {
    await m.insert("Team", { name: "kept" });
    await fails(() => m.transaction(async (inner) => { await inner.insert("Team", { name: "lost" }); throw new Error("back"); }));
    print((await m.findOne("Team", { where: { name: "kept" }, lock: { mode: "pessimistic_write" } })).name);
  });
  print((await db.getRepository("Team").find({ order: { id: "ASC" } })).map((t) => t.name));
  await fails(() => db.query("SELECT * FROM nothing"));
});

await part("leaving", async () => {
  await db.getRepository("Game").clear();
  const r = db.createQueryRunner();
  await r.dropTable("games");
  await r.dropTable("teams");
  await r.release();
});

await db.destroy();
