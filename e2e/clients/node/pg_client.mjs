// node-postgres: parameters, prepared statements, cursors, streams, a pool.
import pg from "pg";
import Cursor from "pg-cursor";
import QueryStream from "pg-query-stream";
import { server, kinds, show, print, rows, part, fails } from "./shared.mjs";

const c = new pg.Client(server);
await c.connect();
const notices = [];
c.on("notice", (n) => notices.push(n.severity + " " + n.code + " " + n.message));

await part("reads", async () => {
  const r = await c.query("SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY ($1) OR name = $2 ORDER BY id", [[1, 3], "bob"]);
  print(r.command, r.rowCount, r.fields.map((f) => [f.name, f.columnID, f.dataTypeID, f.dataTypeSize, f.dataTypeModifier, f.format]));
  rows(r.rows);
  rows((await c.query({ text: "SELECT * FROM orders WHERE total > $1 AND placed >= $2 ORDER BY total", values: [12, new Date("2026-03-01T00:00:00Z")], rowMode: "array" })).rows);
  rows((await c.query("SELECT $1::text || 'x' AS a, $2::int + 1 AS b, $3::text IS NULL AS c", ["it's", 1, null])).rows);
  for (let i = 1; i <= 3; i++) rows((await c.query({ name: "by number", text: "SELECT total FROM orders WHERE number = $1", values: [i] })).rows);
  const many = await c.query("SELECT 1 AS a; SELECT 2 AS b; SET search_path = public");
  print(many.map((m) => [m.command, m.rows]));
  print((await c.query("")).command);
});

await part("types", async () => {
  for (const binary of [false, true]) {
    for (const k of kinds) {
      try {
        const r = await c.query({ text: `SELECT ${k} FROM kinds WHERE id > $1 ORDER BY id`, rowMode: "array", binary, values: [0] });
        print(k, r.fields[0].dataTypeID, r.fields[0].format, r.rows.map((v) => v[0]));
      } catch (err) {
        print(k, "FAILED", err.message);
      }
    }
  }
  const values = [["bool", true], ["int2", -32768], ["int4", 2147483647], ["int8", "-9223372036854775808"], ["int8", 12n], ["numeric", "-12.340"], ["float8", 1e300], ["text", "it's \\ é\n"],
    ["bytea", Buffer.from([0, 255, 39])], ["date", "2024-02-29"], ["time", "01:02:03.000004"], ["timestamptz", new Date("2024-07-01T12:00:00Z")], ["interval", "1 mon 2 days"],
    ["uuid", "a0000000-0000-0000-0000-000000000001"], ["jsonb", { a: [1, null] }], ["json", JSON.stringify([1])], ["int4[]", [1, null, 3]], ["text[]", ["a b", null, '"']], ["int4[]", [[1, 2], [3, 4]]], ["point", "(1,2)"]];
  for (const [type, v] of values) {
    const r = await c.query(`SELECT $1::${type} AS v, $1::${type}::text AS t`, [v]);
    print(type, r.rows[0].v, r.rows[0].t);
  }
});

await part("writes", async () => {
  const r = await c.query("INSERT INTO customers (name, tags, profile) VALUES ($1, $2, $3) RETURNING id, created", ["dan", ["a", "b"], { a: 1 }]);
  print(r.command, r.oid, r.rowCount, r.rows);
  print((await c.query("INSERT INTO orders (customer, total) SELECT 4, n FROM unnest($1::numeric[]) n", [[1, 2, 3]])).rowCount);
  print((await c.query("UPDATE orders SET note = $1 WHERE customer = $2", [null, 4])).rowCount);
  print((await c.query("DELETE FROM orders WHERE customer = $1 AND total > $2 RETURNING number", [4, 2])).rows);
});

await part("a transaction with an error and a rollback", async () => {
  await c.query("BEGIN");
  await c.query("INSERT INTO without_key VALUES (1, 'lost')");
  await fails(() => c.query("INSERT INTO customers (name) VALUES ($1)", [""]));
  await fails(() => c.query("SELECT 1"));
  print((await c.query("COMMIT")).command);
  rows((await c.query("SELECT * FROM without_key")).rows);
  for (const sql of ["SELECT 1/0", "SELECT * FROM nothing", "SELEC 1", "INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org')", "SELECT $1::int"]) {
    await fails(() => c.query(sql, sql.includes("$1") ? ["x"] : undefined));
  }
  await fails(() => c.query("SELECT 1; SELECT 1/0; SELECT 2"));
});

await part("queued queries", async () => {
  const all = await Promise.all([1, 2, 3].map((n) => c.query("SELECT $1::int * 2 AS n", [n])));
  print(all.map((r) => r.rows[0].n));
});

await part("cursors and streams", async () => {
  const cursor = c.query(new Cursor("SELECT n, n * n AS square FROM generate_series(1, $1) n", [10]));
  print((await cursor.read(3)).length, await cursor.read(2));
  await cursor.close();
  let sum = 0;
  for await (const row of c.query(new QueryStream("SELECT n FROM generate_series(1, $1) n", [1000], { batchSize: 7 }))) sum += row.n;
  print(sum);
  await fails(async () => {
    for await (const row of c.query(new QueryStream("SELECT 10 / (3 - n) AS q FROM generate_series(1, 5) n", [], { batchSize: 1 }))) print(row);
  });
});

await part("a pool, settings, notices", async () => {
  const pool = new pg.Pool({ ...server, max: 3, application_name: "pooled", statement_timeout: 5000, options: "-c search_path=archive" });
  const found = await Promise.all([1, 2, 3, 4, 5].map((n) => pool.query("SELECT count(*) AS n, current_setting('application_name') AS app, $1::int AS i FROM orders", [n])));
  rows(found.map((r) => r.rows[0]));
  print((await pool.query("SHOW statement_timeout")).rows);
  await pool.end();
  await c.query("DROP TABLE IF EXISTS nothing");
  print(notices);
});

await c.end();
