"""asyncpg: looks each type up that it does not know, and sends and reads all values in binary."""
import asyncio
import datetime as dt
import decimal
import io

import asyncpg

from shared import DATABASE, HOST, PORT, USER, rows, said, show, title

# The columns of the table things that follow its key, with their types.
COLUMNS = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = 'things'::regclass AND attnum > 1 AND NOT attisdropped ORDER BY attnum"""


async def connect(**options):
    return await asyncpg.connect(host=HOST, port=PORT, database=DATABASE, user=USER, **options)


def shown(value):
    """A value with what a record has by name, and a range by its parts."""
    if isinstance(value, asyncpg.Record):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, asyncpg.Range):
        bounds = ("[" if value.lower_inc else "("), ("]" if value.upper_inc else ")")
        return "empty" if value.isempty else f"{bounds[0]}{shown(value.lower)}, {shown(value.upper)}{bounds[1]}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    return show(value)


def sent(value, kind=""):
    """A value as the driver takes it: a record, or a multirange in an array, must not look like another array."""
    if isinstance(value, asyncpg.Record):
        return tuple(sent(v) for v in value.values())
    if isinstance(value, list):
        return [tuple(v) if v is not None and kind.endswith("multirange[]") else sent(v) for v in value]
    return value


async def fails(run):
    try:
        print("   did not fail", shown(await run))
    except Exception as e:
        print("  ", said(e), getattr(e, "detail", None), getattr(e, "position", None), getattr(e, "data_type_name", None))


async def make(c):
    title("a schema of types")
    await c.execute(open("types/types.sql").read())
    await c.set_builtin_type_codec("hstore", codec_name="pg_contrib.hstore")
    for name in ("id", "a_mood", "some_moods", "a_positive", "an_address", "a_person", "a_near", "a_floatrange", "some_moodsets", "a_hstore"):
        statement = await c.prepare(f"SELECT {name} FROM things")
        for of in (a.type for a in statement.get_attributes()):
            print("  ", name, of.name, of.kind, of.schema)


async def there_and_back(c):
    title("values there and back")
    for column, kind in await c.fetch(COLUMNS):
        print("  ", column, kind)
        for n, value in await c.fetch(f"SELECT id, {column} FROM things ORDER BY id"):
            try:
                back, text, same = await c.fetchrow(f"SELECT $1::{kind}, $1::{kind}::text, $1::{kind} IS NOT DISTINCT FROM {column} FROM things WHERE id = $2", sent(value, kind), n)
                print("    ", shown(value), "|", text, "|", same, "" if back == value else shown(back))
                await c.execute(f"INSERT INTO returned (id, {column}) VALUES ($1, $2) ON CONFLICT DO NOTHING", n, sent(value, kind))
                print("    ", await c.fetchval(f"UPDATE returned SET {column} = $2 WHERE id = $1 RETURNING {column}::text", n, sent(value, kind)))
            except Exception as e:
                print("    ", shown(value), said(e))
    print("  ", await c.fetchval("SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r"))


async def copies(c):
    title("COPY in binary")
    out = io.BytesIO()
    print("  ", await c.copy_from_query("SELECT * FROM things ORDER BY id", output=out, format="binary"))
    await c.execute("TRUNCATE returned")
    out.seek(0)
    print("  ", await c.copy_to_table("returned", source=out, format="binary"))
    print("  ", await c.fetchval("SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r"))
    await c.execute("TRUNCATE returned")
    found = await c.fetch("SELECT * FROM things ORDER BY id")
    kinds = ["integer", *(kind for _, kind in await c.fetch(COLUMNS))]
    print("  ", await c.copy_records_to_table("returned", records=[tuple(map(sent, row, kinds)) for row in found]))
    print("  ", await c.fetchval("SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r"))
    for columns, record in ((["p", "e"], (1, 3)), (["p"], (0,)), (["s"], (None,)), (["m"], (["ok"] * 4,)), (["n"], (("x", 6000, None),)), (["mood"], ("no mood",))):
        await fails(c.copy_records_to_table("checked", columns=columns, records=[record]))


async def wholes(c):
    title("whole rows and rows without a name")
    for q in (
        "SELECT t FROM things t ORDER BY id", "SELECT array_agg(t ORDER BY id) FROM (SELECT id, a_mood FROM things) t",
        "SELECT ROW(1, 'x'::text, 'ok'::mood, ROW(2::positive, NULL))", "SELECT a_person.home FROM things t, LATERAL (SELECT (t.a_person).*) a_person ORDER BY id",
        "SELECT (a_person).others[1] FROM things ORDER BY id", "SELECT an_address FROM things WHERE an_address = ROW('x', 1, NULL)::address"):
        print("  ", q, *(shown(r[0]) for r in await c.fetch(q)), sep="\n     ")
    address = ("x", 3, asyncpg.Range(dt.date(2024, 1, 1), None))
    person = ("eve", "ok", address, [address, None], {"k": None}, decimal.Decimal("1.5"), dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
    print("  ", await c.fetchval("SELECT $1::person::text", person))
    print("  ", await c.fetchval("SELECT count(*) FROM unnest($1::person[]) p WHERE (p.home).zip = ANY ($2::positive[])", [person, person], [3]))
    print("  ", shown(await c.fetch("SELECT * FROM unnest($1::mood[], $2::int4multirange[]) u (m, r) ORDER BY m DESC", ["ok", "é", "sad"], [(asyncpg.Range(1, 3), asyncpg.Range(7)), (), None])))
    print("  ", await c.fetchval("SELECT ($1::address).zip + ($2::person).score", {"zip": 4}, {"score": decimal.Decimal(2), "name": "x"}))
    for query, value in (
        ("SELECT $1::mood", "no mood"), ("SELECT $1::mood", 1), ("SELECT $1::positive", 0), ("SELECT $1::even", 3), ("SELECT $1::short", None), ("SELECT $1::short", "toolong"),
        ("SELECT $1::moods", ["ok"] * 4), ("SELECT $1::near", ("x", 6000, None)), ("SELECT $1::address", ("x", -1, None)), ("SELECT $1::address", ("x", 1)),
        ("SELECT $1::int4range", asyncpg.Range(2, 1)), ("SELECT $1::numeric(3,1)", decimal.Decimal("123.45")), ("SELECT $1::person", ("x" * 21, None, None, None, None, None, None)),
        ("SELECT $1::moodrange", asyncpg.Range("ok", "sad")), ("SELECT $1::other.mood", "ok"), ("SELECT $1::record", (1, 2))):
        await fails(c.fetchval(query, value))


async def codecs(c):
    title("codecs of types")
    await c.set_type_codec("mood", encoder=lambda v: v.lower(), decoder=lambda v: v.upper(), schema="public")
    await c.set_type_codec("numeric", encoder=str, decoder=float, schema="pg_catalog", format="text")
    await c.set_type_codec("address", encoder=lambda v: v, decoder=lambda v: v, schema="public", format="tuple")
    print("  ", shown(await c.fetchrow("SELECT $1::mood, $2::mood[], $3::numeric, $4::address, $5::address[]", "SAD", ["OK", "É"], 1.5, ("x", 1, None), [("y", 2, None)])))
    for name, schema in (("mood", "public"), ("address", "public"), ("numeric", "pg_catalog")):
        await c.reset_type_codec(name, schema=schema)
    await fails(c.set_type_codec("positive", encoder=str, decoder=int))
    await fails(c.set_type_codec("nothing", encoder=str, decoder=str))
    print("  ", shown(await c.fetchrow("SELECT 'sad'::mood, '{sad}'::mood[]")))


async def changes(c):
    title("changed types")
    await c.fetchval("SELECT $1::mood", "ok")
    await c.execute("ALTER TYPE mood ADD VALUE 'better' BEFORE 'sad'")
    print("  ", await c.fetchval("SELECT $1::mood < 'sad'", "better"))
    other = await connect()
    await other.fetchrow("SELECT an_address FROM things")
    await c.execute("ALTER TYPE address ADD ATTRIBUTE country text CASCADE")
    await fails(other.fetchrow("SELECT an_address FROM things WHERE id = 1"))
    await other.reload_schema_state()
    print("  ", shown(await other.fetchrow("SELECT an_address, some_addresses FROM things WHERE id = 1")))
    await other.close()
    await c.execute("ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'")
    rows(await c.fetch("SELECT a_moodrange::text, a_mood FROM things ORDER BY id"))


async def cursors(c):
    title("cursors and many")
    async with c.transaction():
        async for row in c.cursor("SELECT id, a_person FROM things WHERE id <> ALL ($1::even[]) ORDER BY id", [2, 4], prefetch=1):
            print("  ", shown(row))
    await c.executemany("INSERT INTO checked (p, mood, s) VALUES ($1, $2, $3)", [(n, "sad", "x") for n in range(1, 5)])
    await fails(c.executemany("INSERT INTO checked (p, mood, s) VALUES ($1, $2, $3)", [(n, "sad", "x") for n in range(3, -1, -1)]))
    rows(await c.fetchmany("INSERT INTO checked (p, s) VALUES ($1, $2) RETURNING p, s", [(7, "a"), (8, "b")]))
    print("  ", await c.fetchval("SELECT count(*) FROM checked"))


async def main():
    c = await connect()
    for part in (make, there_and_back, copies, wholes, codecs, changes, cursors):
        try:
            await part(c)
        except Exception as e:
            print("FAILED:", said(e))
        if c.is_in_transaction():
            await c.execute("ROLLBACK")
    await c.close()


asyncio.run(main())
