"""psycopg 3: the extended protocol, text and binary, pipelines, prepared statements, COPY."""
import datetime as dt
import decimal
import uuid

import psycopg
from psycopg import sql
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from shared import DATABASE, HOST, KINDS, PORT, USER, fails, part, rows, show, title


def connect(**kwargs):
    return psycopg.connect(host=HOST, port=PORT, dbname=DATABASE, user=USER, **kwargs)


def reads(c):
    title("connection")
    i = c.info
    print("  ", i.server_version // 10000, i.encoding, i.transaction_status.name, i.timezone, i.user, i.parameter_status("IntervalStyle"))
    for binary in (False, True):
        title(f"parameters, binary={binary}")
        cur = c.cursor(binary=binary)
        cur.execute("SELECT id, name, email, tags, profile, created FROM customers WHERE id = ANY(%s) OR name = %s ORDER BY id", ([1, 3], "bob"))
        print("  ", [(d.name, d.type_code, d.internal_size, d.precision, d.scale) for d in cur.description], cur.statusmessage)
        rows(cur)
        cur.execute("SELECT %(a)s + %(b)s, %(c)s::text, pg_typeof(%(a)s)", {"a": 1, "b": 2, "c": "it's 100%"})
        rows(cur)
        cur.execute("SELECT * FROM orders WHERE total > %s AND placed >= %s ORDER BY total LIMIT %s", (decimal.Decimal("12.0"), dt.datetime(2026, 3, 1), 2))
        rows(cur)
    cur = c.cursor(row_factory=dict_row)
    print("  ", cur.execute("SELECT name, total FROM large_orders ORDER BY number").fetchall())
    named = sql.SQL("SELECT {} FROM {} ORDER BY 1").format(sql.Identifier('with "quotes"'), sql.Identifier("public", "Odd Names"))
    rows(c.execute(named))
    c.rollback()


def types(c):
    for binary in (False, True):
        title(f"types, binary={binary}")
        cur = c.cursor(binary=binary)
        for column in KINDS:
            where = "WHERE id < 3" if column in ("a_date", "a_timestamp", "a_timestamptz") else ""  # Python has no infinite times
            found = cur.execute(f"SELECT {column} FROM kinds {where} ORDER BY id").fetchall()
            d = cur.description[0]
            print("  ", column, d.type_code, d.internal_size, d.precision, d.scale, [show(r[0]) for r in found])
    values = [
        True, 1, -32768, 2**31, -(2**63), 2**70, decimal.Decimal("-12.340"), decimal.Decimal("NaN"), 1.5, float("inf"), "it's \\ é\n",
        b"\x00\xff'\\", dt.date(2024, 2, 29), dt.time(1, 2, 3, 4), dt.time(1, tzinfo=dt.timezone.utc),
        dt.datetime(1999, 12, 31, 23, 59, 59, 999999), dt.datetime(2024, 7, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.timedelta(days=-1, seconds=1), uuid.UUID(int=1), Jsonb({"a": [1, None]}), [1, None, 3], ["a b", None, '"'], [[1, 2], [3, 4]],
        [decimal.Decimal("1.5")], [dt.date(2024, 2, 29)], None,
    ]
    for spelled in ("%s", "%t", "%b"):
        title(f"types, there and back, {spelled}")
        cur = c.cursor(binary=spelled == "%b")
        for v in values:
            try:
                got = cur.execute(f"SELECT {spelled}", (v,)).fetchone()
                print("  ", show(got[0]), cur.description[0].type_code)
            except psycopg.Error as e:
                print("  ", show(v), type(e).__name__, e.sqlstate, e)
                c.rollback()
    c.rollback()


def writes(c):
    title("writes")
    cur = c.cursor()
    cur.execute("INSERT INTO customers (name, profile) VALUES (%s, %s) RETURNING id, tags, created", ("dan", Jsonb({"a": 1})))
    print("  ", cur.fetchone(), cur.rowcount, cur.statusmessage)
    cur.executemany("INSERT INTO orders (customer, total) VALUES (%s, %s) RETURNING number", [(4, 1), (4, 2), (4, None)], returning=True)
    while True:
        print("  ", cur.fetchall())
        if not cur.nextset():
            break
    print("  ", cur.rowcount)
    for i in range(8):  # from the sixth on prepared
        cur.execute("UPDATE orders SET total = total + %s WHERE number = %s", (i, 5 + i % 3))
    rows(c.execute("SELECT name, statement, parameter_types, from_sql FROM pg_prepared_statements ORDER BY name"))
    cur.execute("DELETE FROM orders WHERE customer = %s AND total > %s RETURNING number, total", (4, 2), prepare=True)
    rows(sorted(cur.fetchall()))
    c.commit()


def pipelines(c):
    title("a pipeline")
    with c.pipeline():
        a, b = c.cursor(), c.cursor()
        a.execute("INSERT INTO without_key VALUES (%s, %s)", (1, "one"))
        b.execute("SELECT * FROM without_key")
        print("  ", b.fetchall(), a.rowcount)
    c.commit()
    title("a pipeline with an error")
    try:
        with c.pipeline() as p:
            c.execute("INSERT INTO without_key VALUES (2, 'two')")
            c.execute("SELECT 1/%s", (0,))
            c.execute("INSERT INTO without_key VALUES (3, 'three')")
            p.sync()
    except psycopg.Error as e:
        print("  ", type(e).__name__, e.sqlstate, e)
    print("  ", c.info.transaction_status.name)
    c.rollback()
    rows(c.execute("SELECT * FROM without_key"))
    c.commit()


def transactions(c):
    title("a transaction with an error and a rollback")
    c.execute("INSERT INTO without_key VALUES (1, 'lost')")
    fails(c.execute, "INSERT INTO customers (name) VALUES (%s)", ("",))
    print("  ", c.info.transaction_status.name)
    fails(c.execute, "SELECT 1")
    c.rollback()
    title("nested")
    with c.transaction():
        c.execute("INSERT INTO without_key VALUES (3, 'three')")
        fails(nested, c)
        with c.transaction(force_rollback=True):
            c.execute("INSERT INTO without_key VALUES (4, 'four')")
    rows(c.execute("SELECT * FROM without_key ORDER BY a"))
    c.rollback()
    title("errors")
    for statement, args in (
        ("INSERT INTO customers (name, email) VALUES ('x', %s)", ("ann@example.org",)), ("SELECT %s / 0", (1,)), ("SELECT * FROM nothing", ()),
        ("SELECT nothing FROM orders WHERE total = %s", (1,)), ("SELECT %s::int", ("x",)), ("SELEC 1", ()), ("SELECT 1; SELECT %s", (1,)),
        ("SELECT %s + %s", ("a", "b")), ("INSERT INTO orders (total) VALUES (%s)", (dt.date(2024, 1, 1),)),
    ):
        try:
            c.execute(statement, args)
        except psycopg.Error as e:
            d = e.diag
            print("  ", type(e).__name__, d.sqlstate, d.severity, d.message_primary, "|", d.message_detail, "|", d.message_hint, "|",
                  d.statement_position, d.schema_name, d.table_name, d.column_name, d.constraint_name)
        c.rollback()


def nested(c):
    with c.transaction("inner"):
        c.execute("INSERT INTO without_key VALUES (5, 'five')")
        c.execute("SELECT 1/0")


def streams(c):
    title("streams and cursors")
    cur = c.cursor()
    rows(cur.stream("SELECT n, n * n FROM generate_series(1, %s) n", (4,)))
    with c.cursor("named") as cur:
        cur.itersize = 3
        cur.execute("SELECT n FROM generate_series(1, %s) n", (8,))
        print("  ", [r[0] for r in cur], cur.description[0].name)
    with c.cursor("scrolls", scrollable=True, withhold=True) as cur:
        cur.execute("SELECT n FROM generate_series(1, 8) n")
        print("  ", cur.fetchmany(3))
        cur.scroll(-2)
        print("  ", cur.fetchone())
        c.commit()
        cur.scroll(6, mode="absolute")
        print("  ", cur.fetchall())
    c.commit()


def copies(c):
    title("COPY")
    cur = c.cursor()
    with cur.copy("COPY without_key (a, b) FROM STDIN") as copy:
        copy.write_row((10, "x\ty"))
        copy.write_row((11, None))
    print("  ", cur.rowcount, cur.statusmessage)
    for options in ("", " (FORMAT binary)"):
        with cur.copy(f"COPY (SELECT a, b FROM without_key ORDER BY a) TO STDOUT{options}") as copy:
            copy.set_types(["int4", "text"])
            rows(copy.rows())
        c.commit()
    try:
        with cur.copy("COPY without_key FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["int4", "text"])
            copy.write_row((12, "binary"))
        rows(c.execute("SELECT * FROM without_key WHERE a = 12"))
    except psycopg.Error as e:
        print("  ", type(e).__name__, e.sqlstate, e)
    c.commit()


def types_by_name(c):
    title("types found by name")
    for name in ("int4", "text", "hstore", "customers"):
        info = psycopg.types.TypeInfo.fetch(c, name)
        print("  ", info and (info.name, info.oid if info.oid < 16384 else "", info.array_oid if info.array_oid < 16384 else ""))
    info = psycopg.types.composite.CompositeInfo.fetch(c, "without_key")
    print("  ", info and (info.name, info.field_names, info.field_types))
    c.rollback()


def main():
    notices = []
    with connect() as c:
        c.add_notice_handler(lambda d: notices.append((d.severity, d.sqlstate, d.message_primary)))
        for run in (reads, types, writes, pipelines, transactions, streams, copies, types_by_name):
            part(run, c)
        c.execute("DROP TABLE IF EXISTS nothing")
        print("  ", notices)
    title("autocommit, cancel, a failed connection")
    with connect(autocommit=True, options="-c statement_timeout=50") as c:
        fails(c.execute, "SELECT count(*) FROM generate_series(1, 100000000)")
        print("  ", c.execute("SELECT 1").fetchone())
    fails(connect, options="-c nothing_known=1")


main()
