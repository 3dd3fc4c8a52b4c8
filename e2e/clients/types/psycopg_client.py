"""psycopg 3: registers types that it fetches by name, and sends and reads their values in text and in binary."""
import datetime as dt
import decimal
import enum
import re

import psycopg
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.hstore import register_hstore
from psycopg.types.multirange import Multirange, MultirangeInfo, register_multirange
from psycopg.types.numeric import Int4BinaryDumper, Int4BinaryLoader, Int4Dumper, IntLoader
from psycopg.types.range import Range, RangeInfo, register_range

import shared
from shared import DATABASE, HOST, PORT, USER, part, show, title

# The columns of the table things that follow its key, with their types.
COLUMNS = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = 'things'::regclass AND attnum > 1 AND NOT attisdropped ORDER BY attnum"""


class Mood(enum.Enum):
    SAD = "sad"
    OK = "ok"
    HAPPY = 'very "happy"'
    É = "é"


def said(e):
    """How a call failed, without OIDs."""
    return re.sub(r"\boid \d+", "oid", shared.said(e))


def rows(found):
    """Rows without the bytes of values whose type nothing is known of, which may have OIDs."""
    shared.rows([len(v) if isinstance(v, bytes) else v for v in row] for row in found)


def fails(run, *args, **kwargs):
    try:
        run(*args, **kwargs)
    except psycopg.Error as e:
        print("  ", said(e))


def connect():
    return psycopg.connect(host=HOST, port=PORT, dbname=DATABASE, user=USER, options="-c TimeZone=UTC")


def make(c):
    title("a schema of types")
    c.execute(open("types/types.sql").read())
    c.commit()
    for kind, names in ((TypeInfo, ("hstore", "positive", "mood[]", "other.mood", "nothing")), (EnumInfo, ("mood", "other.mood", "positive")),
                        (CompositeInfo, ("address", "person", "things", "checked")), (RangeInfo, ("floatrange", "moodrange", "int4range")),
                        (MultirangeInfo, ("moodsets", "floatmultirange", "nummultirange"))):
        for name in names:
            info = kind.fetch(c, name)
            about = info and [getattr(info, a, None) for a in ("name", "regtype", "delimiter", "labels", "field_names")]
            about = about and about + [[getattr(c.adapters.types.get(o), "name", "another") for o in getattr(info, "field_types", [getattr(info, "subtype_oid", 23)])]]
            print("  ", kind.__name__, name, about)


def register(c):
    register_hstore(TypeInfo.fetch(c, "hstore"), c)
    register_enum(EnumInfo.fetch(c, "mood"), c, Mood, mapping={m: m.value for m in Mood})
    for name in ("floatrange", "moodrange"):
        register_range(RangeInfo.fetch(c, name), c)
    for name in ("floatmultirange", "moodsets"):
        register_multirange(MultirangeInfo.fetch(c, name), c)
    for name in ("positive", "even"):  # domains, which psycopg has nothing for
        info = TypeInfo.fetch(c, name)
        info.register(c)
        for base in (Int4Dumper, Int4BinaryDumper):
            c.adapters.register_dumper(None, type(base.__name__, (base,), {"oid": info.oid}))
        for loader in (IntLoader, Int4BinaryLoader):
            c.adapters.register_loader(info.oid, loader)
    for name in ("other.mood", "short"):
        TypeInfo.fetch(c, name).register(c)
    made = [CompositeInfo.fetch(c, name) for name in ("address", "person")]
    for info in made:
        register_composite(info, c)
    c.commit()
    return [info.python_type for info in made]


def unregistered(c):
    title("types that nothing is known of")
    for binary in (False, True):
        cur = c.cursor(binary=binary)
        for column, kind in c.execute(COLUMNS).fetchall():
            try:
                found = [r[0] for r in cur.execute(f"SELECT {column} FROM things ORDER BY id")]
                print("  ", column, [show(v) if not isinstance(v, bytes) else len(v) for v in found])
            except Exception as e:
                print("  ", column, said(e))
                c.rollback()


def there_and_back(c):
    register(c)
    columns = c.execute(COLUMNS).fetchall()
    for binary in (False, True):
        title(f"values there and back, binary={binary}")
        cur, spelled = c.cursor(binary=binary), "%b" if binary else "%t"
        cur.execute("TRUNCATE returned")
        cur.execute("INSERT INTO returned (id) SELECT id FROM things")
        for column, kind in columns:
            where = {"a_tsrange": "WHERE id <> 1", "a_daterange": "WHERE id <> 4"}.get(column, "")  # Python has no infinite times
            print("  ", column, kind)
            for n, value in cur.execute(f"SELECT id, {column} FROM things {where} ORDER BY id").fetchall():
                try:
                    with c.transaction():
                        back, text, same = cur.execute(f"SELECT {spelled}::{kind}, {spelled}::{kind}::text, {spelled}::{kind} IS NOT DISTINCT FROM {column} FROM things WHERE id = %s", (value, value, value, n)).fetchone()
                        print("    ", show(value), "|", text, "|", same, "" if back == value else show(back))
                        cur.execute(f"UPDATE returned SET {column} = {spelled} WHERE id = %s RETURNING {column}::text", (value, n))
                        print("    ", cur.fetchone()[0])
                except Exception as e:
                    print("    ", show(value), said(e))
        print("  ", c.execute("SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r").fetchone())


def wholes(c):
    address, person = register(c)
    home = address("x", 3, Range(dt.date(2024, 1, 1), None))
    eve = person("eve", Mood.OK, home, [home, None], {"k": None, "": "é"}, decimal.Decimal("1.5"), dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
    for binary in (False, True):
        title(f"rows, binary={binary}")
        cur = c.cursor(binary=binary)
        for query, *args in (
            ("SELECT t FROM (SELECT id, a_mood, an_address, some_addresses FROM things) t ORDER BY id",), ("SELECT ROW(1, 'x'::text, ROW(2::positive, NULL), '{1,2}'::int[])",),
            ("SELECT %s, %s::text", eve, eve), ("SELECT (%s).home, (%s::person).others", eve, eve), ("SELECT %s::person[]", [eve, None]),
            ("SELECT u.zip FROM unnest(%s::address[]) u", [home, home]), ("SELECT * FROM unnest(%s::mood[], %s::moodrange[]) u ORDER BY 1 DESC", [Mood.É, Mood.OK], [Range("sad", "ok"), Range(empty=True)]),
            ("SELECT %s, %s", Multirange([Range(decimal.Decimal(1), None)]), [Multirange([Range(1, 2)]), Multirange()]),
            ("SELECT a_mood FROM things WHERE a_mood = ANY (%s) AND a_mood >= %s ORDER BY a_mood", [Mood.SAD, Mood.É], Mood.OK),
            ("SELECT id FROM things WHERE an_address = %s OR a_hstore @> %s ORDER BY id", address(None, None, None), {"k": "v"}),
            ("SELECT id FROM things WHERE a_floatrange && %s OR %s <@ a_moodrange ORDER BY id", Range(0.0, 1.0), Mood.SAD)):
            try:
                print("  ", query)
                rows(cur.execute(query, args))
            except Exception as e:
                print("  ", said(e))
                c.rollback()
        for query, *args in (
            ("SELECT %s::other.mood", "ok"), ("SELECT %s::positive", 0), ("SELECT %s::even", 3), ("SELECT %s::short", None), ("SELECT %s::short", "toolong"), ("SELECT %s::short[]", ["toolong"]),
            ("SELECT %s::moods", [Mood.OK] * 4), ("SELECT %s::near", address("x", 6000, None)), ("SELECT %s", address("x", -1, None)), ("SELECT %s", [address("x", -1, None)]),
            ("SELECT %s::address", ("x", 1)), ("SELECT %s::address", ("x", 1, None, None)), ("SELECT %s::int4range", Range(2, 1)), ("SELECT %s::moodrange", Range("ok", "sad")), ("SELECT %s::mood", "no mood")):
            for spelled in ("%t", "%b"):
                with c.transaction(force_rollback=True):
                    try:
                        rows(cur.execute(query.replace("%s", spelled), args))
                    except psycopg.Error as e:
                        d = e.diag
                        print("  ", query, spelled, type(e).__name__, d.sqlstate, d.message_primary, d.message_detail, d.schema_name, d.datatype_name, d.constraint_name, d.statement_position, d.context)


def copies(c):
    register(c)
    some = "id, some_moods, some_positive, an_address, some_addresses, a_person, a_numrange, some_ranges, some_multiranges, some_numerics, a_hstore, some_hstores"
    oids = [r[0] for r in c.execute("SELECT atttypid FROM pg_attribute WHERE attrelid = 'things'::regclass AND attname = ANY (%s) ORDER BY attnum", (some.split(", "),))]
    for binary in (False, True):
        title(f"COPY, binary={binary}")
        form = "(FORMAT binary)" if binary else ""
        with c.cursor().copy(f"COPY (SELECT {some} FROM things ORDER BY id) TO STDOUT {form}") as copy:
            copy.set_types(oids)
            found = list(copy.rows())
        rows(found)
        c.execute("TRUNCATE returned")
        with c.cursor().copy(f"COPY returned ({some}) FROM STDIN {form}") as copy:
            copy.set_types(oids)
            for row in found:
                copy.write_row(row)
        rows(c.execute(f"SELECT count(*) FROM (SELECT {some} FROM things INTERSECT SELECT {some} FROM returned) b"))


def changes(c):
    register(c)
    title("changed types")
    c.execute("ALTER TYPE mood ADD VALUE 'better' BEFORE 'sad'")
    c.commit()
    for binary in (False, True):
        fails(c.execute, "SELECT 'better'::mood", binary=binary)
        print("  ", c.cursor(binary=binary).execute("SELECT 'better'::mood < %s", (Mood.SAD,)).fetchone())
    c.rollback()
    c.execute("ALTER TYPE address ADD ATTRIBUTE country text CASCADE")
    for binary in (False, True):
        fails(lambda: print("  ", c.execute("SELECT an_address FROM things WHERE id = 1", binary=binary).fetchone()))
    register_composite(CompositeInfo.fetch(c, "address"), c)
    for binary in (False, True):
        print("  ", c.execute("SELECT an_address, some_addresses FROM things WHERE id = 1", binary=binary).fetchone())


def main():
    with connect() as c:
        for run in (make, unregistered, there_and_back, wholes, copies, changes):
            part(run, c)


main()
