// What the programs of this folder have in common: where the server is, and how they print.
const e = process.env;
export const server = { host: e.PGHOST, port: Number(e.PGPORT), database: e.PGDATABASE, user: e.PGUSER };

export const kinds = [
  "a_bool", "a_int2", "a_int4", "a_int8", "a_numeric", "a_numeric_10_2", "a_float4", "a_float8", "a_text", "a_varchar", "a_char", "a_bytea",
  "a_date", "a_time", "a_time_3", "a_timetz", "a_timestamp", "a_timestamptz", "a_interval", "a_uuid", "a_json", "a_jsonb", "a_point", "some_int4", "some_text",
];

// show prints a value so that two runs agree.
export function show(v) {
  if (Buffer.isBuffer(v)) return "Buffer " + v.toString("hex");
  if (v instanceof Date) return "Date " + (isNaN(v) ? "none" : v.toISOString());
  if (Array.isArray(v)) return "[" + v.map(show).join(", ") + "]";
  if (typeof v === "bigint") return v + "n";
  if (v && typeof v === "object") return (v.constructor && v.constructor !== Object ? v.constructor.name + " " : "") + "{" + Object.keys(v).map((k) => k + ": " + show(v[k])).join(", ") + "}";
  return typeof v === "string" ? JSON.stringify(v) : String(v);
}

export function print(...values) {
  console.log("  " + values.map((v) => (typeof v === "string" ? v : show(v))).join(" "));
}

export function rows(found) {
  for (const r of found) print(r);
  console.log(`  (${found.length} rows)`);
}

export function said(err) {
  const e = err.original ?? err.driverError ?? err;
  return [err.constructor.name, e.code, e.message.replace(/\s+/g, " "), e.detail, e.constraint ?? e.constraint_name, e.position].join(" | ");
}

export async function part(name, run) {
  console.log("\n== " + name);
  try {
    await run();
  } catch (err) {
    console.log("FAILED: " + said(err));
  }
}

export async function fails(run) {
  try {
    await run();
    print("did not fail");
  } catch (err) {
    print(said(err));
  }
}
