// postgres.js: tagged templates, prepared and pipelined, cursors, transactions, COPY.
import postgres from "postgres";
import { server, kinds, print, rows, part, fails } from "./shared.mjs";

const notices = [];
const options = { host: server.host, port: server.port, database: server.database, username: server.user, max: 1, onnotice: (n) => notices.push(n.severity + " " + n.code + " " + n.message) };
const sql = postgres(options);

await part("reads", async () => {
  const r = await sql`SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY (${[1, 3]}) OR name = ${"bob"} ORDER BY id`;
  print(r.command, r.count, r.columns.map((f) => [f.name, f.type, f.number]), r.statement.types);
  rows([...r]);
  rows([...(await sql`SELECT * FROM orders WHERE total > ${12} AND placed >= ${new Date("2026-03-01T00:00:00Z")} AND customer IN ${sql([1, 2])} ORDER BY total`)]);
  rows([...(await sql`SELECT ${"it's"}::text || 'x' AS a, ${1}::int + 1 AS b, ${null}::text IS NULL AS c`)]);
  rows([...(await sql`SELECT ${sql(["name", "total"])} FROM ${sql("large_orders")} ORDER BY ${sql("number")}`)]);
  print((await sql.unsafe("SELECT 1 AS a; SELECT 2 AS b")).map((x) => [...x]));
  const d = await sql`SELECT total FROM orders WHERE number = ${1}`.describe();
  print(d.string, d.types, d.columns.map((f) => [f.name, f.number, f.type]));
  print((await sql`SELECT 1 AS a, 'x' AS b`.values()).map((x) => [...x]), (await sql`SELECT 1 AS a`.raw()).length);
});

await part("types", async () => {
  for (const k of kinds) {
    const r = await sql`SELECT ${sql(k)} FROM kinds ORDER BY id`;
    print(k, r.columns[0].type, r.map((x) => x[k]));
  }
  const values = [true, 2147483647, 12n, 1.5, "it's \\ é\n", Buffer.from([0, 255, 39]), new Date("2024-07-01T12:00:00Z"), sql.json({ a: [1, null] }), sql.array([1, 2, 3]), sql.array(["a b", '"']), sql.typed("1.50", 1700)];
  for (const v of values) {
    const r = await sql`SELECT ${v} AS v`;
    print(r.columns[0].type, r[0].v);
  }
});

await part("writes", async () => {
  const dan = [{ name: "dan", tags: ["a", "b"], profile: { a: 1 } }, { name: "eve", tags: [], profile: null }];
  rows([...(await sql`INSERT INTO customers ${sql(dan)} RETURNING id, name, tags, profile`)]);
  print((await sql`UPDATE customers SET ${sql({ name: "fay", profile: { b: [1] } })} WHERE id = ${5}`).count);
  print((await sql`DELETE FROM orders WHERE customer = ${1} AND total > ${60} RETURNING number`).map((r) => r.number));
  print(...(await Promise.all([1, 2, 3].map((n) => sql`INSERT INTO without_key VALUES (${n}, ${"n" + n}) RETURNING a`))).map((r) => r[0].a));
});

await part("a transaction with an error and a rollback", async () => {
  await fails(() => sql.begin(async (tx) => {
    await tx`INSERT INTO without_key VALUES (100, 'lost')`;
    await tx`INSERT INTO customers (name) VALUES (${""})`;
  }));
  await sql.begin("isolation level serializable", async (tx) => {
    await tx`INSERT INTO without_key VALUES (101, 'kept')`;
    await fails(() => tx.savepoint(async (sp) => { await sp`INSERT INTO without_key VALUES (102, 'lost')`; await sp`SELECT 1/0`; }));
  });
  await fails(() => sql.begin("read only", (tx) => tx`INSERT INTO without_key VALUES (103)`));
  await fails(() => sql.begin((tx) => [tx`INSERT INTO without_key VALUES (104)`, tx`SELECT 1/0`, tx`INSERT INTO without_key VALUES (105)`]));
  rows([...(await sql`SELECT * FROM without_key ORDER BY a`)]);
  await fails(() => sql`SELECT * FROM nothing`);
  await fails(() => sql`SELECT ${"x"}::int`);
  await fails(() => sql`INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org')`);
});

await part("cursors", async () => {
  const sizes = [];
  await sql`SELECT n FROM generate_series(1, ${20}) n`.cursor(8, (part) => { sizes.push(part.length); });
  print(sizes);
  let sum = 0;
  for await (const [row] of sql`SELECT n FROM generate_series(1, 20) n`.cursor()) { sum += row.n; if (row.n === 15) break; }
  print(sum);
  const seen = [];
  await sql`SELECT n FROM generate_series(1, 5) n`.forEach((row) => { seen.push(row.n); });
  print(seen);
});

await part("COPY, notices, closing", async () => {
  const input = await sql`COPY without_key (a, b) FROM STDIN`.writable();
  await new Promise((done, failed) => { input.on("finish", done); input.on("error", failed); input.write("200\tx\n"); input.end("201\t\\N\n"); });
  let text = "";
  for await (const chunk of await sql`COPY (SELECT * FROM without_key WHERE a >= 200 ORDER BY a) TO STDOUT`.readable()) text += chunk;
  print(text.split("\n"));
  await sql`DROP TABLE IF EXISTS nothing`;
  print(notices);
});

await part("without prepared statements, many connections", async () => {
  const other = postgres({ ...options, max: 4, prepare: false, fetch_types: false, connection: { application_name: "other", statement_timeout: 5000 } });
  const found = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => other`SELECT ${n}::int AS n, current_setting('application_name') AS app, current_setting('statement_timeout') AS t`));
  rows(found.map((r) => r[0]));
  await other.end();
});

await sql.end();
