// Sequelize: models that it makes and alters, what it finds out about tables, queries and transactions.
import { Sequelize, DataTypes, Op, QueryTypes } from "sequelize";
import { server, print, rows, part, fails } from "./shared.mjs";

const db = new Sequelize(server.database, server.user, "", { host: server.host, port: server.port, dialect: "postgres", logging: false, pool: { max: 2 } });
const q = db.getQueryInterface();

await part("looking around", async () => {
  await db.authenticate();
  print((await q.showAllTables()).map((t) => t.tableName ?? t).sort(), (await q.showAllSchemas()).sort());
  for (const t of ["customers", "orders", "kinds", "Odd Names", { tableName: "orders", schema: "archive" }]) {
    const found = await q.describeTable(t);
    for (const name of Object.keys(found)) print(t.tableName ?? t, name, found[name]);
  }
  for (const t of ["customers", "without_key", "kinds"]) { // the others' indexes it cannot read
    for (const i of (await q.showIndex(t)).sort((a, b) => (a.name < b.name ? -1 : 1))) print(t, i.name, i.primary, i.unique, i.fields, i.definition);
    for (const k of (await q.showConstraint(t)).sort((a, b) => (a.constraintName.replace(/^\d+_\d+/, "") < b.constraintName.replace(/^\d+_\d+/, "") ? -1 : 1))) print(t, { ...k, constraintName: k.constraintName.replace(/^\d+_\d+_/, "") });
    print(await q.getForeignKeyReferencesForTable(t));
  }
  print(await q.tableExists("customers"), await q.tableExists("nothing"), await db.databaseVersion().then((v) => v.split(".")[0]));
});

const Team = db.define("team", {
  name: { type: DataTypes.STRING(40), allowNull: false, unique: true },
  members: { type: DataTypes.ARRAY(DataTypes.TEXT), defaultValue: [] },
  extra: DataTypes.JSONB, token: DataTypes.UUID, budget: DataTypes.DECIMAL(12, 2), joined: DataTypes.DATE, day: DataTypes.DATEONLY,
  at: DataTypes.TIME, open: { type: DataTypes.BOOLEAN, defaultValue: true }, big: DataTypes.BIGINT, ratio: DataTypes.DOUBLE, blob: DataTypes.BLOB, real: DataTypes.REAL,
}, { timestamps: false, indexes: [{ fields: [{ name: "budget", order: "DESC" }, "name"] }], comment: "who plays" });
const Game = db.define("game", { id: { type: DataTypes.BIGINT, autoIncrement: true, primaryKey: true }, score: DataTypes.INTEGER }, { timestamps: false, indexes: [{ fields: ["teamId"] }] });
Team.hasMany(Game, { constraints: false });
Game.belongsTo(Team, { constraints: false });

await part("making tables", async () => {
  await db.sync();
  await db.sync({ alter: true });
  print(Object.keys(await q.describeTable("teams")));
  await q.addColumn("games", "note", { type: DataTypes.STRING, defaultValue: "x" });
  await q.changeColumn("games", "note", { type: DataTypes.TEXT, allowNull: false, defaultValue: "y" });
  await q.renameColumn("games", "note", "remark");
  await q.addIndex("games", ["score", "remark"], { name: "games_score", unique: false });
  await q.addConstraint("games", { fields: ["score"], type: "check", name: "score_not_negative", where: { score: { [Op.gte]: 0 } } });
  print((await q.describeTable("games")).remark);
  await q.removeIndex("games", "games_score");
  await q.removeConstraint("games", "score_not_negative");
  await q.removeColumn("games", "remark");
});

await part("models", async () => {
  const red = await Team.create({ name: "red", members: ["a", "b"], extra: { x: [1, null] }, token: "a0000000-0000-0000-0000-000000000001", budget: "12.50", joined: new Date("2026-03-01T00:00:00Z"),
    day: "2024-02-29", at: "01:02:03", big: "9007199254740993", ratio: 1.5, blob: Buffer.from([0, 255]), real: 0.25 });
  print(red.get({ plain: true }));
  await Team.bulkCreate([{ name: "blue" }, { name: "green", budget: 1 }], { returning: true });
  await red.createGame({ score: 3 });
  await Game.bulkCreate([{ score: 4, teamId: red.id }, { score: 5, teamId: 2 }]);
  rows((await Team.findAll({ include: Game, order: [["id", "ASC"], [Game, "id", "ASC"]] })).map((t) => [t.name, t.members, t.extra, t.budget, t.big, t.games.map((g) => g.score)]));
  print(await Team.count({ where: { name: { [Op.like]: "%e%" } } }), await Game.sum("score"), await Game.max("score"));
  print((await Team.findAndCountAll({ where: { [Op.or]: [{ budget: { [Op.gt]: 0 } }, { name: "blue" }] }, limit: 2, order: ["name"] })).count);
  print(await Team.update({ open: false }, { where: { members: { [Op.contains]: ["a"] } } }), (await Team.update({ open: null }, { where: { id: 2 }, returning: true }))[1].map((t) => t.name));
  print((await Team.findOne({ where: { "extra.x": { [Op.ne]: null } } }))?.name ?? "none", (await Team.findByPk(2)).name);
  const made = await Team.create({ name: "black" });
  print((await Team.upsert({ name: "black", budget: 3 }))[0].id);
  await made.increment("budget", { by: 2 });
  await made.reload();
  print(made.budget, await Game.destroy({ where: { score: 5 } }));
  rows(await Game.findAll({ attributes: ["teamId", [db.fn("count", db.col("id")), "n"]], group: ["teamId"], raw: true }));
  await fails(() => Team.create({ name: "red" }));
  await fails(() => Team.create({}));
});

await part("finding or creating", async () => {
  const [found, created] = await Team.findOrCreate({ where: { name: "black" } });
  print(found.id, created, (await Team.findCreateFind({ where: { name: "white" } }))[1]);
});

await part("a transaction with an error and a rollback", async () => {
  await fails(() => db.transaction(async (transaction) => {
    await Team.create({ name: "lost" }, { transaction });
    await Team.create({ name: "red" }, { transaction });
  }));
  await db.transaction({ isolationLevel: "SERIALIZABLE" }, async (transaction) => {
    print((await Team.findOne({ where: { name: "blue" }, lock: true, transaction })).id);
    await db.transaction({ transaction }, async (inner) => { await Team.create({ name: "kept" }, { transaction: inner }); });
  });
  print((await Team.findAll({ order: ["id"] })).map((t) => t.name));
});

await part("raw queries", async () => {
  rows(await db.query("SELECT * FROM orders WHERE total > :least ORDER BY number", { replacements: { least: 12 }, type: QueryTypes.SELECT }));
  rows(await db.query("SELECT $1::text || $2::int AS a", { bind: ["it's ", 3], type: QueryTypes.SELECT }));
  await fails(() => db.query("SELECT * FROM nothing"));
});

await part("leaving", async () => {
  await db.drop();
  print((await q.showAllTables()).map((t) => t.tableName ?? t).sort());
});

await db.close();
