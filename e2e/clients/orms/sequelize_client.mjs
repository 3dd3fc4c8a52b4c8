// Sequelize: models that sync({ alter: true }) brings to what is there, twice, umzug-like migrations, associations, transactions.
import { DataTypes, Op, Sequelize, literal, fn, col } from "sequelize";
import { server, print, rows, part, fails } from "../node/shared.mjs";

let seen = [];
const db = new Sequelize({ dialect: "postgres", host: server.host, port: server.port, database: server.database, username: server.user, pool: { max: 3 },
  logging: (text) => { if (/^Executing \([^)]*\): (CREATE|ALTER|DROP|COMMENT|DO)/i.test(text)) seen.push(text.replace(/^Executing \([^)]*\): /, "")); } });
const defined = () => { print(seen); seen = []; };

let Author, Book, Tag;
function models(later) {
  Author = db.define("Author", { name: { type: DataTypes.STRING(later ? 80 : 40), allowNull: false, unique: "author_name" }, kind: DataTypes.ENUM("poet", "critic", ...(later ? ["novelist"] : [])), born: DataTypes.DATEONLY, ...(later ? { email: { type: DataTypes.STRING, defaultValue: "none", comment: "where to write" } } : {}) }, { tableName: "authors", paranoid: later });
  Book = db.define("Book", { title: { type: DataTypes.TEXT, allowNull: false }, price: { type: DataTypes.DECIMAL(8, 2), defaultValue: 0, validate: { min: -100 } }, ...(later ? { extra: { type: DataTypes.JSONB, defaultValue: {} }, words: { type: DataTypes.ARRAY(DataTypes.TEXT), defaultValue: [] }, token: { type: DataTypes.UUID }, span: DataTypes.RANGE(DataTypes.DATEONLY), place: DataTypes.BLOB } : {}) }, { tableName: "books", indexes: later ? [{ fields: ["title", { name: "price", order: "DESC" }], name: "book_title" }, { fields: ["price"], where: { price: { [Op.gt]: 100 } }, name: "book_dear" }, { unique: true, fields: ["token"], name: "book_token" }] : [] });
  Tag = db.define("Tag", { name: { type: DataTypes.STRING, primaryKey: true } }, { tableName: "tags", timestamps: false });
  Author.hasMany(Book, { as: "books", foreignKey: { name: "authorId", allowNull: false }, onDelete: "CASCADE" });
  Book.belongsTo(Author, { as: "author", foreignKey: "authorId" });
  Book.belongsToMany(Tag, { through: "book_tags", as: "tags" });
  Tag.belongsToMany(Book, { through: "book_tags", as: "books" });
}

for (const later of [false, true]) {
  for (const time of ["once", "twice"]) {
    await part(`sync, ${later ? "later" : "at first"}, ${time}`, async () => {
      models(later);
      await db.sync({ alter: true });
      defined();
    });
  }
}

await part("what there is", async () => {
  const q = db.getQueryInterface();
  for (const table of ["authors", "books", "book_tags"]) {
    print(table, Object.entries(await q.describeTable(table)).sort());
    print((await q.showIndex(table)).map((i) => [i.name, i.unique, i.primary, i.fields.map((f) => [f.attribute, f.order])]).sort());
    print((await q.getForeignKeyReferencesForTable(table)).map((k) => [k.constraintName, k.columnName, k.referencedTableName, k.referencedColumnName]).sort());
  }
});

await part("relations", async () => {
  const ann = await Author.create({ name: "ann", kind: "poet", born: "1980-02-29", books: [{ title: "one", price: "12.5", extra: { a: [1, { b: null }] }, words: ["x", "y z"], span: ["2026-03-01", "2026-04-01"], place: Buffer.from([0, 255]), tags: [{ name: "new" }, { name: "red" }] }] }, { include: [{ association: "books", include: ["tags"] }] });
  const two = await ann.createBook({ title: "two", price: 200 }); // by itself: those of a list are made at once, in any order
  print(ann.id, ann.books.map((b) => [b.id, b.tags?.length]), two.id);
  await Author.bulkCreate([{ name: "bob" }, { name: "cem" }]);
  for (const a of await Author.findAll({ include: [{ model: Book, as: "books", include: [{ model: Tag, as: "tags", through: { attributes: [] } }] }], order: ["id", [{ model: Book, as: "books" }, "id"], [{ model: Book, as: "books" }, { model: Tag, as: "tags" }, "name"]] })) print(a.name, a.email, a.books.map((b) => [b.title, b.price, b.extra, b.words, b.span, b.place, b.tags.map((t) => t.name)]));
  print((await Book.findAll({ where: { extra: { a: { [Op.contains]: [1] } } } }).catch((e) => [{ title: e.message }])).map((b) => b.title), (await Book.findAll({ where: { words: { [Op.overlap]: ["x"] }, span: { [Op.contains]: "2026-03-02" } } })).map((b) => b.title));
  print(await Book.findAll({ attributes: ["authorId", [fn("count", col("*")), "n"], [fn("sum", col("price")), "total"]], group: ["authorId"], having: literal("count(*) > 1"), raw: true }));
  print((await Author.findAndCountAll({ where: { name: { [Op.iLike]: "%n%" } }, limit: 1, offset: 0, include: "books", distinct: true })).count, await Book.max("price"), await Book.sum("price", { where: { price: { [Op.between]: [1, 100] } } }));
  const book = await Book.findOne({ where: { title: "two" } });
  await book.addTags(["red"]);
  print(await book.countTags(), await book.hasTag("red"), (await book.increment({ price: 5 })).price !== undefined, (await book.reload()).price);
  await book.setTags([]);
  print(await Book.upsert({ id: book.id, title: "second", authorId: ann.id, price: 7 }, { conflictFields: ["id"] }).then(([b]) => [b.title, b.price]));
  print((await Book.bulkCreate([{ id: book.id, title: "third", authorId: ann.id }, { title: "new", authorId: ann.id }], { updateOnDuplicate: ["title"], conflictAttributes: ["id"], returning: ["title"] })).map((b) => b.title));
  print(await Author.findOrCreate({ where: { name: "dan" }, defaults: { kind: "novelist" } }).then(([a, made]) => [a.name, made]), await Author.findOrCreate({ where: { name: "dan" } }).then(([a, made]) => [a.kind, made]));
  await (await Author.findOne({ where: { name: "dan" } })).destroy();
  print(await Author.count(), await Author.count({ paranoid: false }), await Author.restore({ where: { name: "dan" } }));
  await fails(() => Author.create({ name: "ann" }));
  await fails(() => Book.create({ title: "x", authorId: 999 }));
  await fails(() => Book.create({ authorId: 1 }));
  await fails(() => Tag.destroy({ where: { name: "red" } }));
});

await part("transactions", async () => {
  await fails(() => db.transaction(async (t) => { await Tag.create({ name: "lost" }, { transaction: t }); throw new Error("on purpose"); }));
  await db.transaction({ isolationLevel: "REPEATABLE READ" }, async (t) => {
    await Tag.create({ name: "kept" }, { transaction: t });
    await fails(() => db.transaction({ transaction: t }, (inner) => Tag.create({ name: "kept" }, { transaction: inner })));
    print((await Tag.findAll({ transaction: t, lock: t.LOCK.UPDATE, skipLocked: true, order: ["name"] })).map((x) => x.name));
  });
  print((await Tag.findAll({ order: ["name"] })).map((x) => x.name));
});

await part("migrating", async () => {
  seen = [];
  const q = db.getQueryInterface();
  await q.createTable("loans", { id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true }, book: { type: DataTypes.INTEGER, references: { model: "books", key: "id" }, onDelete: "SET NULL" }, reader: DataTypes.STRING });
  await q.addColumn("loans", "since", { type: DataTypes.DATE, defaultValue: DataTypes.NOW });
  await q.changeColumn("loans", "reader", { type: DataTypes.TEXT, allowNull: false, defaultValue: "who" });
  await q.renameColumn("loans", "reader", "who");
  await q.addIndex("loans", ["book", "who"], { unique: true, name: "one_loan" });
  await q.addConstraint("loans", { fields: ["who"], type: "check", where: { who: { [Op.ne]: "" } }, name: "who_is" });
  await q.bulkInsert("loans", [{ who: "a", since: new Date(0) }, { who: "b", since: new Date(0) }]);
  rows(await db.query("SELECT * FROM loans ORDER BY id", { type: "SELECT" }));
  await q.removeConstraint("loans", "who_is");
  await q.removeIndex("loans", "one_loan");
  await q.removeColumn("loans", "since");
  await q.renameTable("loans", "lent");
  defined();
  print((await q.showAllTables()).map((t) => t.tableName ?? t).sort(), await q.tableExists("lent"));
  await q.dropTable("lent");
});

await part("all dropped", async () => {
  await db.drop({ cascade: true });
  print((await db.getQueryInterface().showAllTables()).map((t) => t.tableName ?? t));
});
await db.close();
